/* The builder's working state and the finished reconstructor. */
#ifndef CLTOMO_RECONSTRUCTOR_RECONSTRUCTOR_INTERNAL_H
#define CLTOMO_RECONSTRUCTOR_RECONSTRUCTOR_INTERNAL_H

#include <cltomo/reconstructor.h>

#include "backend/backend.h"
#include "config/config.h"
#include "covariance/covariance.h"

#define CLTOMO_PRODUCT_COUNT 11

/* The evaluators that were chosen. */
typedef struct cltomo_evaluators {
    size_t n_wfs;                    /* 0: not chosen yet */
    cltomo_evaluator_choice *pair;   /* sensors i >= j at i (i + 1) / 2 + j */
    cltomo_evaluator_choice *sensor; /* n_wfs */
} cltomo_evaluators;

struct cltomo_reconstructor {
    const cltomo_context *context;
    const cltomo_system *system; /* retained */
    cltomo_build_options options;
    cltomo_build_report report;
    cltomo_matrix *matrix[CLTOMO_PRODUCT_COUNT]; /* by the product's bit; NULL: not asked for */
    cltomo_gradient *gradient;
    cltomo_evaluators evaluators;
    double actuator_spacing; /* as in the covariances of R_IM, m; 0: the pitch */
};

/* The bit of exactly one product. */
unsigned cltomo_product_bit(uint32_t product);

/* A reconstructor without options, report or products. */
cltomo_status cltomo_reconstructor_create(const cltomo_context *context,
    cltomo_reconstructor **reconstructor, const cltomo_system *system, cltomo_error *error);

/* Whether the evaluators see one direction at a time. */
bool cltomo_looks_one_by_one(
    const cltomo_system_description *description, const cltomo_build_options *options);

/* The covariances that the options ask for. */
cltomo_status cltomo_describe_covariance(cltomo_covariance *covariance,
    const cltomo_geometry *geometry, const cltomo_build_options *options, cltomo_error *error);

/* Chooses the evaluators of all sensors, for the queries, the counts of the report and the log. */
cltomo_status cltomo_choose_evaluators(
    cltomo_reconstructor *reconstructor, const cltomo_covariance *covariance, cltomo_error *error);

/* Fails with CLTOMO_ERROR_ARGUMENT for an option whose value is not allowed. */
cltomo_status cltomo_refuse(
    cltomo_error *error, const char *key, double value, const char *allowed, const char *message);

/* Copies what the caller's version of the options has and checks it against the system; NULL gives
 * the defaults. */
cltomo_status cltomo_build_options_read(cltomo_build_options *own,
    const cltomo_build_options *options, const cltomo_dimensions *dimensions, cltomo_error *error);

/* Puts the slopes of a matrix into the wanted order: column k becomes what column permutation[k]
 * was. rows_too does the same to the rows of a square matrix. */
cltomo_status cltomo_order_slopes(
    cltomo_matrix *matrix, const uint32_t *permutation, bool rows_too, cltomo_error *error);

/* The same where only n of the columns are wanted: *matrix is replaced by a smaller one. */
cltomo_status cltomo_pick_slopes(cltomo_matrix **matrix, const uint32_t *permutation, size_t n,
    bool rows_too, cltomo_error *error);

/* Rows of C_ps and R that are computed at a time: all those of an output, or as many as keep to the
 * memory limit of the options. CLTOMO_ERROR_MEMORY if that is not even a few. */
cltomo_status cltomo_panel_rows(const cltomo_context *context, size_t *rows,
    const cltomo_system *system, const cltomo_build_options *options, cltomo_error *error);

/* cltomo_build_memory for valid options and the threads of the context. */
uint64_t cltomo_peak_memory(const cltomo_context *context, const cltomo_system *system,
    const cltomo_build_options *options);

#endif
