/* The same builds on both backends. */
#include <math.h>
#include <string.h>

#include "bench.h"

static double element(const cltomo_matrix *matrix, size_t i)
{
    return cltomo_matrix_precision(matrix) == CLTOMO_PRECISION_DOUBLE
               ? cltomo_matrix_double(matrix)[i]
               : (double)cltomo_matrix_single(matrix)[i];
}

double bench_relative_difference(const cltomo_matrix *matrix, const cltomo_matrix *reference)
{
    size_t n = cltomo_matrix_rows(reference) * cltomo_matrix_cols(reference);
    double of_difference = 0.0;
    double of_reference = 0.0;
    for (size_t i = 0; i < n; ++i) {
        double d = element(matrix, i) - element(reference, i);
        of_difference += d * d;
        of_reference += element(reference, i) * element(reference, i);
    }
    return sqrt(of_difference / of_reference);
}

bool bench_pair_create(bench_pair *pair, const char *name, const cltomo_system *system,
    cltomo_precision precision, size_t max_runs)
{
    cltomo_dimensions dimensions;
    cltomo_system_dimensions(system, &dimensions);
    uint32_t products = CLTOMO_PRODUCT_R;
    products |= dimensions.n_actuators > 0 ? (uint32_t)CLTOMO_PRODUCT_FR : 0U;
    memset(pair, 0, sizeof *pair);
    bool created = true;
    for (size_t i = 0; i < BENCH_BACKENDS; ++i) {
        created = bench_case_create(
                      &pair->on[i], name, system, precision, (cltomo_product)products, max_runs) &&
                  created;
    }
    return created;
}

void bench_pair_destroy(bench_pair *pair)
{
    for (size_t i = 0; i < BENCH_BACKENDS; ++i) {
        bench_case_destroy(&pair->on[i]);
    }
}

static void find_differences(bench_pair *pair, cltomo_reconstructor *const built[BENCH_BACKENDS])
{
    const cltomo_matrix *matrix[BENCH_BACKENDS];
    for (size_t i = 0; i < BENCH_BACKENDS; ++i) {
        matrix[i] = cltomo_reconstructor_matrix(built[i], CLTOMO_PRODUCT_R);
    }
    pair->wavefront_difference = bench_relative_difference(matrix[BENCH_OPENCL], matrix[BENCH_CPU]);
    for (size_t i = 0; i < BENCH_BACKENDS; ++i) {
        matrix[i] = cltomo_reconstructor_matrix(built[i], CLTOMO_PRODUCT_FR);
    }
    pair->command_difference =
        matrix[BENCH_CPU] != NULL
            ? bench_relative_difference(matrix[BENCH_OPENCL], matrix[BENCH_CPU])
            : (double)NAN;
}

static cltomo_status compare(
    bench_pair *pair, const bench_settings settings[BENCH_BACKENDS], cltomo_error *error)
{
    cltomo_reconstructor *built[BENCH_BACKENDS] = {NULL, NULL};
    cltomo_build_options options = cltomo_build_options_init();
    cltomo_status status = CLTOMO_OK;
    options.products = (uint32_t)pair->on[BENCH_CPU].product;
    options.precision = pair->on[BENCH_CPU].precision;
    for (size_t i = 0; i < BENCH_BACKENDS && status == CLTOMO_OK; ++i) {
        status = cltomo_reconstructor_build(
            settings[i].context, &built[i], pair->on[i].system, &options, error);
        if (status == CLTOMO_OK) {
            pair->first_build[i] = cltomo_reconstructor_report(built[i])->total_seconds;
        }
    }
    if (status == CLTOMO_OK) {
        find_differences(pair, built);
    }
    for (size_t i = 0; i < BENCH_BACKENDS; ++i) {
        cltomo_reconstructor_destroy(built[i]);
    }
    return status;
}

cltomo_status bench_pairs_measure(bench_pair *pairs, size_t n_pairs, size_t n_runs,
    const bench_settings settings[BENCH_BACKENDS], cltomo_error *error)
{
    cltomo_status status = CLTOMO_OK;
    for (size_t k = 0; k < n_pairs && status == CLTOMO_OK; ++k) {
        status = compare(&pairs[k], settings, error);
    }
    for (size_t run = 0; run < n_runs; ++run) {
        for (size_t k = 0; k < n_pairs * BENCH_BACKENDS && status == CLTOMO_OK; ++k) {
            size_t backend = k % BENCH_BACKENDS;
            status = bench_run(&pairs[k / BENCH_BACKENDS].on[backend], &settings[backend], error);
        }
    }
    for (size_t k = 0; k < n_pairs * BENCH_BACKENDS && status == CLTOMO_OK; ++k) {
        bench_case_finish(&pairs[k / BENCH_BACKENDS].on[k % BENCH_BACKENDS]);
    }
    return status;
}

static double ratio(double cpu, double opencl)
{
    return opencl > 0.0 ? cpu / opencl : (double)NAN;
}

double bench_pair_speed_up(const bench_pair *pair)
{
    return ratio(pair->on[BENCH_CPU].total.median, pair->on[BENCH_OPENCL].total.median);
}

size_t bench_case_stage(const bench_case *c, const char *stage)
{
    size_t i = 0;
    while (i < c->report.n_stages && strcmp(c->report.stage_name[i], stage) != 0) {
        ++i;
    }
    return i;
}

double bench_pair_stage_speed_up(const bench_pair *pair, const char *stage)
{
    double median[BENCH_BACKENDS];
    for (size_t i = 0; i < BENCH_BACKENDS; ++i) {
        size_t place = bench_case_stage(&pair->on[i], stage);
        if (place == pair->on[i].report.n_stages) {
            return (double)NAN;
        }
        median[i] = pair->on[i].stage[place].median;
    }
    return ratio(median[BENCH_CPU], median[BENCH_OPENCL]);
}
