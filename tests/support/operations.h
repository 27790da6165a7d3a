/* The operations that a context's backend does on a caller's matrices, each against a truth that
 * comes without it. Fail the test where they differ. */
#ifndef OPERATIONS_H
#define OPERATIONS_H

#include <cltomo/cltomo.h>

/* cltomo_matrix_apply, and an applier, on matrices of many shapes: wide, tall, of one row, of one
 * column; whole numbers, so that the results are exact in any order of summation. */
void operations_expect_matrix_apply(const cltomo_context *context);

/* cltomo_gradient_apply and its transpose, both stencils, on a pupil in which nothing is symmetric:
 * a tilt, the documented weights, and <Gamma x, y> = <x, Gamma^T y>. */
void operations_expect_gradient(const cltomo_context *context);

/* The von Karman functions against 40-digit arithmetic, the identity that ties them together, the
 * ends of their range, in place, and for numbers of separations that fill no vector. */
void operations_expect_von_karman(const cltomo_context *context);

/* What builders do to a matrix in place: values added to its diagonal, unused rows and columns
 * cleared, a multiple of another matrix added. */
void operations_expect_updates(const cltomo_context *context);

/* A matrix of the precision with element(i, j) at row i and column j. */
cltomo_matrix *operations_matrix(const cltomo_context *context, cltomo_precision precision,
    size_t rows, size_t cols, double (*element)(size_t i, size_t j));

/* The element, whatever the precision. */
double operations_element(const cltomo_matrix *matrix, size_t i, size_t j);

#endif
