#include "support/golden.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { preamble_size = 10, header_limit = 65536 };

static const unsigned char magic[] = {0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0};

/* Reads "12," or "12)" and the like: digits, then `end`; false when there are none or another end.
 */
static bool parse_size(const char **text, char end, size_t *size)
{
    char *rest = NULL;
    if (**text < '0' || **text > '9') {
        return false;
    }
    *size = strtoul(*text, &rest, 10);
    *text = rest + 1;
    return *rest == end;
}

/* Finds (rows,) or (rows, columns) in the header's dictionary, and that the rest is what we read.
 */
static bool parse_header(const char *header, golden_array *array)
{
    static const char key[] = "'shape': (";
    const char *shape = strstr(header, key);
    if (shape == NULL || strstr(header, "'descr': '<f8'") == NULL ||
        strstr(header, "'fortran_order': False") == NULL) {
        return false;
    }
    shape += sizeof key - 1;
    if (!parse_size(&shape, ',', &array->rows)) {
        return false;
    }
    if (*shape == ')') {
        array->columns = 1;
        return true;
    }
    return *shape++ == ' ' && parse_size(&shape, ')', &array->columns);
}

static double decode(const unsigned char *bytes)
{
    uint64_t bits = 0;
    double value = 0;
    for (int i = 7; i >= 0; i--) {
        bits = bits << 8 | bytes[i];
    }
    memcpy(&value, &bits, sizeof value);
    return value;
}

static bool read_data(FILE *file, golden_array *array)
{
    size_t count = array->rows * array->columns;
    unsigned char *bytes = malloc(count * 8 + 1);
    array->data = malloc(count * sizeof *array->data + 1);
    /* One byte more is asked for than there should be, so that a longer file shows. */
    bool read =
        bytes != NULL && array->data != NULL && fread(bytes, 1, count * 8 + 1, file) == count * 8;
    for (size_t i = 0; read && i < count; i++) {
        array->data[i] = decode(bytes + 8 * i);
    }
    free(bytes);
    return read;
}

bool golden_read(const char *path, golden_array *array)
{
    unsigned char preamble[preamble_size];
    char *header = calloc(1, header_limit + 1);
    FILE *file = fopen(path, "rb");
    bool read = false;
    *array = (golden_array){0, 0, NULL};
    if (file == NULL || header == NULL ||
        fread(preamble, 1, sizeof preamble, file) != sizeof preamble ||
        memcmp(preamble, magic, sizeof magic) != 0) {
        goto done;
    }
    size_t length = (size_t)preamble[8] | (size_t)preamble[9] << 8;
    read = fread(header, 1, length, file) == length && parse_header(header, array) &&
           array->rows <= header_limit && array->columns <= header_limit && read_data(file, array);
done:
    if (file != NULL) {
        fclose(file);
    }
    free(header);
    if (!read) {
        golden_destroy(array);
    }
    return read;
}

golden_array golden_load(const char *path)
{
    golden_array array;
    if (!golden_read(path, &array)) {
        fprintf(stderr, "%s: cannot be read as a float64 NumPy file\n", path);
        abort();
    }
    return array;
}

void golden_destroy(golden_array *array)
{
    free(array->data);
    *array = (golden_array){0, 0, NULL};
}

/* Sebastiano Vigna's generator, https://prng.di.unimi.it/splitmix64.c (public domain). */
static uint64_t splitmix64(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

void golden_signs(uint64_t seed, size_t rows, size_t columns, double *signs)
{
    uint64_t state = seed;
    for (size_t i = 0; i < rows * columns; i++) {
        signs[i] = splitmix64(&state) >> 63 == 0 ? 1 : -1;
    }
}

static uint64_t hash_byte(uint64_t hash, unsigned char byte)
{
    return (hash ^ byte) * UINT64_C(0x100000001b3);
}

uint64_t golden_map_hash(const unsigned char *map, size_t rows, size_t columns)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < rows; i++) {
        for (size_t j = 0; j < columns; j++) {
            hash = hash_byte(hash, map[i * columns + j] != 0 ? '1' : '0');
        }
        hash = hash_byte(hash, '\n');
    }
    return hash;
}

golden_view golden_view_f64(const double *data, size_t rows, size_t columns)
{
    return (golden_view){rows, columns, columns, data, NULL};
}

golden_view golden_view_f32(const float *data, size_t rows, size_t columns)
{
    return (golden_view){rows, columns, columns, NULL, data};
}

golden_view golden_view_array(const golden_array *array)
{
    return golden_view_f64(array->data, array->rows, array->columns);
}

static double element(const golden_view *matrix, size_t row, size_t column)
{
    size_t at = row * matrix->stride + column;
    return matrix->f64 != NULL ? matrix->f64[at] : (double)matrix->f32[at];
}

double golden_frobenius(golden_view matrix)
{
    double sum = 0;
    for (size_t i = 0; i < matrix.rows; i++) {
        for (size_t j = 0; j < matrix.columns; j++) {
            double value = element(&matrix, i, j);
            sum += value * value;
        }
    }
    return sqrt(sum);
}

double golden_difference(golden_view candidate, const golden_array *reference)
{
    double sum = 0;
    if (candidate.rows != reference->rows || candidate.columns != reference->columns) {
        return INFINITY;
    }
    for (size_t i = 0; i < candidate.rows; i++) {
        for (size_t j = 0; j < candidate.columns; j++) {
            double difference =
                element(&candidate, i, j) - reference->data[i * candidate.columns + j];
            sum += difference * difference;
        }
    }
    return sqrt(sum) / golden_frobenius(golden_view_array(reference));
}

static double *signs_create(uint64_t seed, size_t rows, size_t columns)
{
    double *signs = calloc(rows * columns + 1, sizeof *signs);
    if (signs == NULL) {
        fprintf(stderr, "out of memory for probes\n");
        abort();
    }
    golden_signs(seed, rows, columns, signs);
    return signs;
}

double golden_difference_right(golden_view candidate, const golden_array *right, double norm)
{
    size_t count = right->columns;
    double sum = 0;
    if (candidate.rows != right->rows) {
        return INFINITY;
    }
    double *signs = signs_create(GOLDEN_SEED_RIGHT, candidate.columns, count);
    for (size_t i = 0; i < candidate.rows; i++) {
        for (size_t k = 0; k < count; k++) {
            double product = 0;
            for (size_t j = 0; j < candidate.columns; j++) {
                product += element(&candidate, i, j) * signs[j * count + k];
            }
            double difference = product - right->data[i * count + k];
            sum += difference * difference;
        }
    }
    free(signs);
    return sqrt(sum / (double)count) / norm;
}

double golden_difference_left(golden_view candidate, const golden_array *left, double norm)
{
    size_t count = left->rows;
    double sum = 0;
    if (candidate.columns != left->columns) {
        return INFINITY;
    }
    double *signs = signs_create(GOLDEN_SEED_LEFT, candidate.rows, count);
    for (size_t k = 0; k < count; k++) {
        for (size_t j = 0; j < candidate.columns; j++) {
            double product = 0;
            for (size_t i = 0; i < candidate.rows; i++) {
                product += element(&candidate, i, j) * signs[i * count + k];
            }
            double difference = product - left->data[k * candidate.columns + j];
            sum += difference * difference;
        }
    }
    free(signs);
    return sqrt(sum / (double)count) / norm;
}

double golden_difference_rows(golden_view candidate, const golden_array *stored)
{
    double sum = 0;
    if (candidate.columns != stored->columns || stored->rows < 2 || candidate.rows < stored->rows) {
        return INFINITY;
    }
    for (size_t i = 0; i < stored->rows; i++) {
        size_t row = i * (candidate.rows - 1) / (stored->rows - 1);
        for (size_t j = 0; j < candidate.columns; j++) {
            double difference =
                element(&candidate, row, j) - stored->data[i * candidate.columns + j];
            sum += difference * difference;
        }
    }
    return sqrt(sum) / golden_frobenius(golden_view_array(stored));
}
