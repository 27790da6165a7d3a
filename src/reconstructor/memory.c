#include "reconstructor/reconstructor_internal.h"

/* Bytes of rows x cols elements, saturating. */
static uint64_t bytes(uint64_t rows, uint64_t cols, uint64_t element)
{
    if (rows != 0 && cols > UINT64_MAX / rows / element) {
        return UINT64_MAX;
    }
    return rows * cols * element;
}

static uint64_t sum(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static const uint32_t solution = CLTOMO_PRODUCT_R | CLTOMO_PRODUCT_R_UNSCALED | CLTOMO_PRODUCT_FR;

/* Slopes that the matrices have while they are worked on: each sensor's on all lenslets. */
static uint64_t working_slopes(const cltomo_dimensions *d)
{
    return UINT64_C(2) * d->n_lenslets * d->n_wfs;
}

/* What a build needs beside its panel of rows. */
static uint64_t fixed_memory(const cltomo_dimensions *d, const cltomo_build_options *o)
{
    const uint32_t fitting = CLTOMO_PRODUCT_FR | CLTOMO_PRODUCT_F | CLTOMO_PRODUCT_IF;
    uint64_t element = cltomo_precision_size(o->precision);
    uint64_t n_slopes = working_slopes(d);
    uint64_t c_ss = bytes(n_slopes, n_slopes, element);
    uint64_t command = bytes(d->n_actuators, n_slopes, element);
    uint64_t total = 0;
    if ((o->products & (solution | CLTOMO_PRODUCT_C_SS | CLTOMO_PRODUCT_C_N)) != 0) {
        total = sum(total, c_ss);
    }
    if ((o->products & solution) != 0 && (o->products & CLTOMO_PRODUCT_C_SS) != 0) {
        total = sum(total, c_ss); /* a copy beside the factor */
    }
    if ((o->products & CLTOMO_PRODUCT_FR) != 0) {
        total = sum(total, command);
    }
    if ((o->products & fitting) != 0) {
        /* influence functions, their factor and the fitting matrix, in double */
        total = sum(total, bytes(3 * d->n_phase, d->n_actuators, sizeof(double)));
    }
    return total;
}

/* For each row of a panel: C_ps, which becomes R, and the copies that are products before it does.
 */
static uint64_t row_memory(
    const cltomo_system *system, const cltomo_dimensions *d, const cltomo_build_options *o)
{
    const cltomo_system_description *description = cltomo_system_get_description(system);
    uint64_t row = bytes(1, working_slopes(d), cltomo_precision_size(o->precision));
    uint64_t copies = 0;
    if ((o->products & (solution | CLTOMO_PRODUCT_C_PS)) != 0) {
        copies += 1;
    }
    if ((o->products & solution) != 0 && (o->products & CLTOMO_PRODUCT_C_PS) != 0) {
        copies += 1;
    }
    if ((o->products & CLTOMO_PRODUCT_R_UNSCALED) != 0) {
        copies += 1;
    }
    if (description->n_directions > 1 && !o->per_direction) {
        copies += 1; /* the direction that is added to the mean */
    }
    if (description->valid_lenslets_per_wfs != NULL) {
        copies += 1; /* the slopes that the sensors have, picked out */
    }
    return copies * row;
}

/* What the reconstructor holds of rows that are not computed all at once. */
static uint64_t kept_memory(const cltomo_dimensions *d, const cltomo_build_options *o)
{
    uint64_t element = cltomo_precision_size(o->precision);
    uint64_t wavefront = bytes(d->n_directions * d->n_phase, d->n_slopes, element);
    uint64_t total = 0;
    if (!o->per_direction || o->row_sink != NULL) {
        return 0;
    }
    for (unsigned bit = 0; bit < CLTOMO_PRODUCT_COUNT; ++bit) {
        uint32_t product = o->products & (UINT32_C(1) << bit);
        if (product == CLTOMO_PRODUCT_R || product == CLTOMO_PRODUCT_R_UNSCALED ||
            product == CLTOMO_PRODUCT_C_PS) {
            total = sum(total, wavefront);
        } else if (product == CLTOMO_PRODUCT_FR) {
            total = sum(total, bytes(d->n_directions * d->n_actuators, d->n_slopes, element));
        }
    }
    return total;
}

/* Rows of a panel that keep to the limit, all panels of nearly one size; 0 if even a few do not. */
static uint64_t rows_within(uint64_t limit, uint64_t fixed, uint64_t row, uint64_t n_phase)
{
    enum { few = 16 };
    uint64_t least = n_phase < few ? n_phase : few;
    uint64_t most = limit > fixed && row > 0 ? (limit - fixed) / row : 0;
    if (most < least || most == 0) {
        return 0;
    }
    uint64_t n_panels = (n_phase + most - 1) / most;
    return (n_phase + n_panels - 1) / n_panels;
}

uint64_t cltomo_build_memory(const cltomo_system *system, const cltomo_build_options *options)
{
    const cltomo_build_options defaults = cltomo_build_options_init();
    const cltomo_build_options *o = options != NULL ? options : &defaults;
    cltomo_dimensions d;
    cltomo_system_dimensions(system, &d);
    uint64_t fixed = sum(fixed_memory(&d, o), kept_memory(&d, o));
    uint64_t row = row_memory(system, &d, o);
    uint64_t rows = d.n_phase;
    if (o->row_sink != NULL && o->max_memory != 0 && row != 0) {
        rows = rows_within(o->max_memory, fixed, row, d.n_phase);
        rows = rows == 0 ? 1 : rows;
    }
    return sum(fixed, bytes(rows, row, 1));
}

cltomo_status cltomo_panel_rows(size_t *rows, const cltomo_system *system,
    const cltomo_build_options *options, cltomo_error *error)
{
    cltomo_dimensions d;
    cltomo_system_dimensions(system, &d);
    *rows = d.n_phase;
    if (options->max_memory == 0) {
        return CLTOMO_OK;
    }
    uint64_t fixed = sum(fixed_memory(&d, options), kept_memory(&d, options));
    uint64_t row = row_memory(system, &d, options);
    uint64_t whole = sum(fixed, bytes(d.n_phase, row, 1));
    if (whole <= options->max_memory) {
        return CLTOMO_OK;
    }
    uint64_t within = rows_within(options->max_memory, fixed, row, d.n_phase);
    if (options->row_sink == NULL || row == 0 || within == 0) {
        return cltomo_fail(error, CLTOMO_ERROR_MEMORY,
            "the build needs %.3g MB, but is limited to %.3g MB; single precision needs half, rows "
            "streamed as they are computed need %.3g MB and their panels",
            1e-6 * (double)whole, 1e-6 * (double)options->max_memory, 1e-6 * (double)fixed);
    }
    *rows = within;
    return CLTOMO_OK;
}
