/* Tells the tests of the command-line tool about matrices in files:
 *   matrix shape FILE           prints "ROWS COLUMNS double|single"
 *   matrix close FILE FILE MAX  fails if ||a - b|| > MAX ||b|| in the Frobenius norm
 *   matrix zero-rows FILE       prints the numbers of the rows that hold nothing but zeros */
#include <cltomo/context.h>
#include <cltomo/file.h>
#include <cltomo/matrix.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static cltomo_matrix *read_matrix(const char *path)
{
    cltomo_context *context = NULL;
    cltomo_matrix *matrix = NULL;
    cltomo_error error;
    if (cltomo_context_create(&context, NULL, &error) != CLTOMO_OK ||
        cltomo_matrix_read(context, &matrix, path, &error) != CLTOMO_OK) {
        char text[1024];
        (void)cltomo_error_format(text, sizeof text, &error);
        (void)printf("%s\n", text);
    }
    cltomo_context_destroy(context);
    return matrix;
}

static double element(const cltomo_matrix *matrix, size_t i)
{
    const double *elements = cltomo_matrix_double(matrix);
    return elements != NULL ? elements[i] : (double)cltomo_matrix_single(matrix)[i];
}

static int print_shape(const cltomo_matrix *a)
{
    (void)printf("%zu %zu %s\n", cltomo_matrix_rows(a), cltomo_matrix_cols(a),
        cltomo_matrix_precision(a) == CLTOMO_PRECISION_DOUBLE ? "double" : "single");
    return EXIT_SUCCESS;
}

static int print_zero_rows(const cltomo_matrix *a)
{
    size_t cols = cltomo_matrix_cols(a);
    const char *separator = "";
    for (size_t row = 0; row < cltomo_matrix_rows(a); ++row) {
        size_t col = 0;
        while (col < cols && fabs(element(a, row * cols + col)) <= 0.0) {
            ++col;
        }
        if (col == cols) {
            (void)printf("%s%zu", separator, row);
            separator = " ";
        }
    }
    (void)printf("\n");
    return EXIT_SUCCESS;
}

static int compare(const cltomo_matrix *a, const cltomo_matrix *b, double limit)
{
    size_t n = cltomo_matrix_rows(b) * cltomo_matrix_cols(b);
    if (cltomo_matrix_rows(a) != cltomo_matrix_rows(b) ||
        cltomo_matrix_cols(a) != cltomo_matrix_cols(b)) {
        (void)printf("the shapes differ\n");
        return EXIT_FAILURE;
    }
    double difference = 0.0;
    double norm = 0.0;
    for (size_t i = 0; i < n; ++i) {
        double delta = element(a, i) - element(b, i);
        difference += delta * delta;
        norm += element(b, i) * element(b, i);
    }
    double distance = sqrt(difference / norm);
    (void)printf("relative distance %g, limit %g\n", distance, limit);
    return norm > 0.0 && distance <= limit ? EXIT_SUCCESS : EXIT_FAILURE;
}

int main(int argc, char **argv)
{
    int status = EXIT_FAILURE;
    cltomo_matrix *a = argc > 2 ? read_matrix(argv[2]) : NULL;
    cltomo_matrix *b = argc > 4 ? read_matrix(argv[3]) : NULL;
    if (a != NULL && strcmp(argv[1], "shape") == 0) {
        status = print_shape(a);
    } else if (a != NULL && strcmp(argv[1], "zero-rows") == 0) {
        status = print_zero_rows(a);
    } else if (a != NULL && b != NULL && strcmp(argv[1], "close") == 0) {
        status = compare(a, b, strtod(argv[4], NULL));
    }
    cltomo_matrix_destroy(a);
    cltomo_matrix_destroy(b);
    return status;
}
