/*
 * Reading the reference matrices in tests/golden and measuring how far a matrix is from them.
 *
 * Large references are not stored whole. For an m x n matrix A a probe file holds Y = A V (m x k)
 * or Z = U^T A (k x n), where the entries of V (n x k) and U (m x k) are the +1 and -1 of
 * golden_signs(). For such a random v the mean of ||Delta v||^2 is ||Delta||_F^2: k probes estimate
 * the Frobenius distance of a candidate from A without A itself. Beside them lie some whole rows.
 *
 * For tests only: golden_load() ends the program when a reference cannot be read.
 */
#ifndef GOLDEN_H
#define GOLDEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The seeds of V and U in every probe file; tests/golden/probes.py has the same two. */
#define GOLDEN_SEED_RIGHT UINT64_C(1)
#define GOLDEN_SEED_LEFT UINT64_C(2)

/* A row-major matrix of doubles, or a vector (columns is 1); golden_destroy() releases it. */
typedef struct golden_array {
    size_t rows;
    size_t columns;
    double *data;
} golden_array;

/* A matrix that a test has at hand: row-major, `stride` elements from one row to the next, in
 * double or in single precision; the other pointer is NULL. */
typedef struct golden_view {
    size_t rows;
    size_t columns;
    size_t stride;
    const double *f64;
    const float *f32;
} golden_view;

/* Reads a NumPy file: format 1, one or two dimensions, little-endian float64, C order. False, with
 * nothing to release, when it is missing, of another kind, or longer or shorter than it says. */
bool golden_read(const char *path, golden_array *array);

/* As golden_read(), but ends the program when it fails. */
golden_array golden_load(const char *path);

void golden_destroy(golden_array *array);

/* Fills rows x columns, row by row: entry k is +1 where the top bit of output k of splitmix64,
 * started from `seed`, is 0, and -1 where it is 1. */
void golden_signs(uint64_t seed, size_t rows, size_t columns, double *signs);

/* FNV-1a, 64 bits, over the rows of a map written as lines of 0 and 1: names a map in
 * tests/golden/pytomoao_systems.h. */
uint64_t golden_map_hash(const unsigned char *map, size_t rows, size_t columns);

golden_view golden_view_f64(const double *data, size_t rows, size_t columns);
golden_view golden_view_f32(const float *data, size_t rows, size_t columns);
golden_view golden_view_array(const golden_array *array);

double golden_frobenius(golden_view matrix);

/* ||candidate - reference||_F / ||reference||_F. This and the next three are infinite when the
 * shapes do not fit together, and not a number when the candidate holds one. */
double golden_difference(golden_view candidate, const golden_array *reference);

/* An estimate of it from the probes A V alone; `norm` is ||A||_F. */
double golden_difference_right(golden_view candidate, const golden_array *right, double norm);

/* An estimate of it from the probes U^T A alone. */
double golden_difference_left(golden_view candidate, const golden_array *left, double norm);

/* The difference over some rows of A, relative to the norm of these rows. The i-th of the k >= 2
 * stored rows is row i (m - 1) / (k - 1) of A, rounded down. */
double golden_difference_rows(golden_view candidate, const golden_array *stored);

#endif
