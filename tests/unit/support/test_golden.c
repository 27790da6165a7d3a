#include "support/golden.h"

#include <criterion/criterion.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char square[] = "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }";
static const char line[] = "{'descr': '<f8', 'fortran_order': False, 'shape': (2,), }";

/* Writes a NumPy file with this dictionary and the numbers 0, 1, ... and reads it back. */
static bool round_trip(
    const char *dictionary, size_t count, unsigned char version, size_t extra, golden_array *array)
{
    char path[] = "/tmp/cltomo-golden-XXXXXX";
    int descriptor = mkstemp(path);
    cr_assert_geq(descriptor, 0);
    FILE *file = fdopen(descriptor, "wb");
    cr_assert_not_null(file);
    unsigned char preamble[] = {0x93, 'N', 'U', 'M', 'P', 'Y', version, 0, 0, 0};
    preamble[8] = (unsigned char)strlen(dictionary);
    fwrite(preamble, 1, sizeof preamble, file);
    fwrite(dictionary, 1, strlen(dictionary), file);
    for (size_t i = 0; i < count; i++) {
        double value = (double)i; /* the machines that run the tests are little-endian */
        fwrite(&value, 1, sizeof value, file);
    }
    for (size_t i = 0; i < extra; i++) {
        fputc(0, file);
    }
    fclose(file);
    bool read = golden_read(path, array);
    unlink(path);
    return read;
}

Test(golden, reads_a_matrix)
{
    golden_array array;
    cr_assert(round_trip(square, 6, 1, 0, &array));
    cr_assert_eq(array.rows, 2);
    cr_assert_eq(array.columns, 3);
    cr_assert_eq(array.data[1], 1.0);
    cr_assert_eq(array.data[5], 5.0);
    golden_destroy(&array);
    cr_assert_null(array.data);
}

Test(golden, reads_a_vector_as_one_column)
{
    golden_array array;
    cr_assert(round_trip(line, 2, 1, 0, &array));
    cr_assert_eq(array.rows, 2);
    cr_assert_eq(array.columns, 1);
    cr_assert_eq(array.data[1], 1.0);
    golden_destroy(&array);
}

Test(golden, refuses_what_it_cannot_read)
{
    static const char *const dictionaries[] = {
        "{'descr': '>f8', 'fortran_order': False, 'shape': (2, 3), }",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }",
        "{'descr': '<f8', 'fortran_order': True, 'shape': (2, 3), }",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (1, 2, 3), }",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (), }",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999, 3), }",
        "",
    };
    golden_array array;
    for (size_t i = 0; i < sizeof dictionaries / sizeof *dictionaries; i++) {
        cr_assert_not(round_trip(dictionaries[i], 6, 1, 0, &array), "%s", dictionaries[i]);
        cr_assert_null(array.data);
    }
    cr_assert_not(round_trip(square, 6, 2, 0, &array), "another version");
    cr_assert_not(round_trip(square, 5, 1, 0, &array), "one number short");
    cr_assert_not(round_trip(square, 5, 1, 7, &array), "one byte short");
    cr_assert_not(round_trip(square, 6, 1, 1, &array), "one byte too many");
    cr_assert_not(golden_read("/nonexistent/file.npy", &array), "missing");
}

/* The first outputs of splitmix64 from 0 are e220..., 6e78..., 06c4..., f88b..., 1b39... */
Test(golden, signs_are_the_top_bits_of_splitmix64)
{
    static const double expected[] = {-1, 1, 1, -1, 1};
    double signs[6];
    golden_signs(0, 1, 5, signs);
    for (size_t i = 0; i < 5; i++) {
        cr_assert_eq(signs[i], expected[i], "%zu", i);
    }
    double again[6];
    golden_signs(7, 2, 3, signs);
    golden_signs(7, 3, 2, again);
    cr_assert_arr_eq(signs, again, sizeof signs);
}

/* FNV-1a of "01\n11\n", from the generators' own function. */
Test(golden, maps_are_hashed_as_text)
{
    static const unsigned char map[] = {0, 1, 7, 1};
    cr_assert_eq(golden_map_hash(map, 2, 2), UINT64_C(0x8a8b16a5edb4e264));
}

/* The probes of this small system were made in Python from the matrix that lies beside them. */
Test(golden, probes_are_those_of_the_generators)
{
    golden_array r = golden_load(CLTOMO_TEST_DATA_DIR "/small_asymmetric/r.npy");
    golden_array right = golden_load(CLTOMO_TEST_DATA_DIR "/small_asymmetric/r_right.npy");
    golden_array left = golden_load(CLTOMO_TEST_DATA_DIR "/small_asymmetric/r_left.npy");
    golden_array some = golden_load(CLTOMO_TEST_DATA_DIR "/small_asymmetric/r_rows.npy");
    golden_view view = golden_view_array(&r);
    double norm = golden_frobenius(view);
    cr_assert_lt(golden_difference_right(view, &right, norm), 1e-14);
    cr_assert_lt(golden_difference_left(view, &left, norm), 1e-14);
    cr_assert_eq(golden_difference_rows(view, &some), 0.0);
    golden_destroy(&r);
    golden_destroy(&right);
    golden_destroy(&left);
    golden_destroy(&some);
}

#define ROWS ((size_t)23)
#define COLUMNS ((size_t)31)
#define PROBES ((size_t)40)

/* A fixed matrix without structure, and one that is `relative` away from it in Frobenius norm. */
static void make_pair(double *reference, double *candidate, double relative)
{
    double signs[ROWS * COLUMNS];
    double sum = 0;
    golden_signs(5, ROWS, COLUMNS, signs);
    for (size_t i = 0; i < ROWS * COLUMNS; i++) {
        reference[i] = sin(1 + (double)(i * i % 97));
        sum += reference[i] * reference[i];
    }
    double step = relative * sqrt(sum / (ROWS * COLUMNS));
    for (size_t i = 0; i < ROWS * COLUMNS; i++) {
        candidate[i] = reference[i] + step * signs[i];
    }
}

static void multiply_right(const double *matrix, double *product)
{
    double signs[COLUMNS * PROBES];
    golden_signs(GOLDEN_SEED_RIGHT, COLUMNS, PROBES, signs);
    memset(product, 0, ROWS * PROBES * sizeof *product);
    for (size_t i = 0; i < ROWS; i++) {
        for (size_t j = 0; j < COLUMNS; j++) {
            for (size_t k = 0; k < PROBES; k++) {
                product[i * PROBES + k] += matrix[i * COLUMNS + j] * signs[j * PROBES + k];
            }
        }
    }
}

static void multiply_left(const double *matrix, double *product)
{
    double signs[ROWS * PROBES];
    golden_signs(GOLDEN_SEED_LEFT, ROWS, PROBES, signs);
    memset(product, 0, COLUMNS * PROBES * sizeof *product);
    for (size_t i = 0; i < ROWS; i++) {
        for (size_t j = 0; j < COLUMNS; j++) {
            for (size_t k = 0; k < PROBES; k++) {
                product[k * COLUMNS + j] += matrix[i * COLUMNS + j] * signs[i * PROBES + k];
            }
        }
    }
}

Test(golden, difference_is_the_relative_frobenius_norm)
{
    double reference[ROWS * COLUMNS];
    double candidate[ROWS * COLUMNS];
    make_pair(reference, candidate, 1e-3);
    golden_array array = {ROWS, COLUMNS, reference};
    golden_view view = golden_view_f64(candidate, ROWS, COLUMNS);
    cr_assert_float_eq(golden_difference(view, &array), 1e-3, 1e-9);
    cr_assert_eq(golden_difference(golden_view_array(&array), &array), 0.0);

    static const double known[] = {3, 0, 0, -4};
    cr_assert_eq(golden_frobenius(golden_view_f64(known, 2, 2)), 5.0);
}

Test(golden, probes_estimate_the_relative_difference)
{
    double reference[ROWS * COLUMNS];
    double candidate[ROWS * COLUMNS];
    double right[ROWS * PROBES];
    double left[COLUMNS * PROBES];
    make_pair(reference, candidate, 1e-3);
    multiply_right(reference, right);
    multiply_left(reference, left);
    golden_array right_probes = {ROWS, PROBES, right};
    golden_array left_probes = {PROBES, COLUMNS, left};
    double norm = golden_frobenius(golden_view_f64(reference, ROWS, COLUMNS));
    golden_view view = golden_view_f64(candidate, ROWS, COLUMNS);
    cr_assert_float_eq(golden_difference_right(view, &right_probes, norm), 1e-3, 2e-4);
    cr_assert_float_eq(golden_difference_left(view, &left_probes, norm), 1e-3, 2e-4);
    view.f64 = reference;
    cr_assert_lt(golden_difference_right(view, &right_probes, norm), 1e-14);
    cr_assert_lt(golden_difference_left(view, &left_probes, norm), 1e-14);
}

Test(golden, rows_are_spread_from_the_first_to_the_last)
{
    double reference[ROWS * COLUMNS];
    double candidate[ROWS * COLUMNS];
    double stored[3 * COLUMNS];
    make_pair(reference, candidate, 1e-3);
    memcpy(stored, reference, COLUMNS * sizeof *stored);
    memcpy(stored + COLUMNS, reference + 11 * COLUMNS, COLUMNS * sizeof *stored);
    memcpy(stored + 2 * COLUMNS, reference + 22 * COLUMNS, COLUMNS * sizeof *stored);
    golden_array array = {3, COLUMNS, stored};
    golden_view view = golden_view_f64(reference, ROWS, COLUMNS);
    cr_assert_eq(golden_difference_rows(view, &array), 0.0);
    view.f64 = candidate;
    cr_assert_float_eq(golden_difference_rows(view, &array), 1e-3, 1e-4);
}

Test(golden, reads_single_precision_and_strides)
{
    float padded[2 * 4] = {0, 1, 2, 9, 3, 4, 5, 9};
    golden_array array;
    golden_view view = golden_view_f32(padded, 2, 3);
    view.stride = 4;
    cr_assert(round_trip(square, 6, 1, 0, &array));
    cr_assert_eq(golden_difference(view, &array), 0.0);
    golden_destroy(&array);
}

Test(golden, shapes_that_do_not_fit_are_infinitely_far)
{
    double zeros[12] = {0};
    golden_array array = {3, 4, zeros};
    golden_view transposed = golden_view_f64(zeros, 4, 3);
    cr_assert(isinf(golden_difference(transposed, &array)));
    cr_assert(isinf(golden_difference_right(transposed, &array, 1)));
    cr_assert(isinf(golden_difference_left(transposed, &array, 1)));
    cr_assert(isinf(golden_difference_rows(transposed, &array)));
}

Test(golden, not_a_number_is_never_close)
{
    double values[4] = {1, 2, 3, NAN};
    double reference[4] = {1, 2, 3, 4};
    golden_array array = {2, 2, reference};
    golden_view view = golden_view_f64(values, 2, 2);
    cr_assert(isnan(golden_difference(view, &array)));
    cr_assert(isnan(golden_difference_right(view, &array, 1)));
    cr_assert(isnan(golden_difference_left(view, &array, 1)));
    cr_assert(isnan(golden_difference_rows(view, &array)));
}
