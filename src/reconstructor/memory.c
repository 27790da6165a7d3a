/* The memory of a build at its peak, from the sizes of what is there at a time. In doubles: sizes
 * beyond 64 bits are as good as any other that no machine has. */
#include <math.h>

#include "backend/scratch.h"
#include "mirror/mirror.h"
#include "reconstructor/reconstructor_internal.h"

static const uint32_t solution = CLTOMO_PRODUCT_R | CLTOMO_PRODUCT_R_UNSCALED | CLTOMO_PRODUCT_FR;
static const uint32_t fitting = CLTOMO_PRODUCT_FR | CLTOMO_PRODUCT_F | CLTOMO_PRODUCT_IF;

/* A build and the sizes that its memory follows from. */
typedef struct need {
    const cltomo_build_options *options;
    cltomo_dimensions size;
    cltomo_geometry geometry; /* sizes, rotations and directions only */
    cltomo_covariance covariance;
    size_t n_workers;
    double element;        /* bytes of an element of R */
    double n_slopes;       /* while the matrices are worked on: each sensor's on all lenslets */
    bool picks;            /* fewer slopes are wanted than that */
    bool holds;            /* rows are held, not streamed */
    bool holds_directions; /* and they are those of several directions */
    bool adds_directions;  /* the mean is added up */
} need;

static bool wants(const need *n, uint32_t products)
{
    return (n->options->products & products) != 0;
}

static double maximum(double a, double b)
{
    return a > b ? a : b;
}

static cltomo_geometry sizes_of(const cltomo_system_description *d, const cltomo_dimensions *size,
    const cltomo_build_options *o)
{
    static const double upright[64] = {0.0}; /* as many sensors as a system can have */
    const double *rotation = d->wfs_rotation != NULL ? d->wfs_rotation : upright;
    return (cltomo_geometry){.n_across = d->n_lenslets,
        .n_grid = size->n_grid,
        .spacing = size->grid_spacing,
        .n_lenslets = size->n_lenslets,
        .n_phase = size->n_phase,
        .n_wfs = size->n_wfs,
        .n_slopes = 2 * size->n_lenslets * size->n_wfs,
        .rotation = (double *)(uintptr_t)rotation,
        .r0 = size->r0,
        .L0 = d->L0,
        .n_layers = size->n_layers,
        .n_directions_across = cltomo_looks_one_by_one(d, o) ? 1 : d->n_directions_across};
}

/* The covariance points to the geometry beside it. */
static void describe(need *n, const cltomo_context *context, const cltomo_system *system,
    const cltomo_build_options *options)
{
    const cltomo_system_description *d = cltomo_system_get_description(system);
    *n = (need){.options = options};
    cltomo_system_dimensions(system, &n->size);
    n->geometry = sizes_of(d, &n->size, options);
    (void)cltomo_describe_covariance(&n->covariance, &n->geometry, options, NULL);
    n->n_workers = cltomo_context_threads(context);
    n->element = (double)cltomo_precision_size(options->precision);
    n->n_slopes = (double)n->geometry.n_slopes;
    n->picks = n->geometry.n_slopes != n->size.n_slopes;
    n->holds = options->row_sink == NULL;
    n->holds_directions = n->holds && options->per_direction != 0 && n->size.n_directions > 1;
    n->adds_directions = d->n_directions > 1 && options->per_direction == 0;
}

/* ---- what is there at a time --------------------------------------------------------------- */

/* rows x slopes while they are worked on, and as they are wanted. */
static double working(const need *n, double rows)
{
    return n->element * rows * n->n_slopes;
}

static double wanted(const need *n, double rows)
{
    return n->element * rows * (double)n->size.n_slopes;
}

/* What putting rows into their order takes beside them. */
static double ordering(const need *n, double rows)
{
    return n->picks ? wanted(n, rows) : 0.0;
}

static double mirror_matrix(const need *n)
{
    return sizeof(double) * (double)n->size.n_phase * (double)n->size.n_actuators;
}

/* Lists of slopes, lenslets, points and cells of the grid, Gamma and the mask of the grid; rows for
 * each thread. Some of it is not there all the time, but all of it is little. */
static double bookkeeping(const need *n)
{
    enum { fixed = 1 << 16, per_slope = 64, per_lenslet = 64, per_point = 64, per_cell = 8 };
    double cells = (double)n->size.n_grid * (double)n->size.n_grid;
    double projections = (double)(n->size.n_wfs * n->size.n_layers);
    double lists = per_slope * n->n_slopes + per_lenslet * (double)n->size.n_lenslets +
                   per_point * (double)n->size.n_phase + per_cell * cells +
                   8.0 * sizeof(double) * projections +
                   sizeof(cltomo_direction) * (double)n->size.n_directions;
    double rows = sizeof(double) * (double)(n->n_workers + 1) * n->n_slopes;
    double gamma = wants(n, CLTOMO_PRODUCT_GAMMA) ? 256.0 * (double)n->size.n_lenslets : 0.0;
    double mask = wants(n, CLTOMO_PRODUCT_GRID_MASK) ? sizeof(double) * cells : 0.0;
    return fixed + lists + rows + gamma + mask;
}

/* From the fitting to the end. */
static double kept_of_mirror(const need *n)
{
    double matrices = wants(n, CLTOMO_PRODUCT_IF) ? 2.0 : wants(n, fitting) ? 1.0 : 0.0;
    return matrices * mirror_matrix(n);
}

/* Products with a row for each phase point. */
static double phase_products(const need *n)
{
    return (double)wants(n, CLTOMO_PRODUCT_R) + (double)wants(n, CLTOMO_PRODUCT_R_UNSCALED) +
           (double)wants(n, CLTOMO_PRODUCT_C_PS);
}

/* Rows of all directions, which are put together. */
static double kept_of_directions(const need *n)
{
    double rows = phase_products(n) * (double)n->size.n_phase +
                  (wants(n, CLTOMO_PRODUCT_FR) ? (double)n->size.n_actuators : 0.0);
    return n->holds_directions ? wanted(n, rows * (double)n->size.n_directions) : 0.0;
}

/* ---- stages -------------------------------------------------------------------------------- */

static double fitting_peak(const need *n)
{
    return wants(n, fitting) ? 2.0 * mirror_matrix(n) +
                                   cltomo_fitting_scratch(n->size.n_phase, n->size.n_actuators)
                             : 0.0;
}

static double slope_covariance_peak(const need *n)
{
    if (!wants(n, solution | CLTOMO_PRODUCT_C_SS | CLTOMO_PRODUCT_C_N)) {
        return 0.0;
    }
    double evaluation = cltomo_slope_covariance_scratch(&n->covariance, n->n_workers);
    double copy = wants(n, solution) ? working(n, n->n_slopes) : 0.0;
    double product = copy + ordering(n, (double)n->size.n_slopes);
    return working(n, n->n_slopes) +
           (wants(n, CLTOMO_PRODUCT_C_SS) ? maximum(evaluation, product) : evaluation);
}

/* What the rows of all panels find there: C_ss or its factor, and the product C_ss. */
static double kept_of_slopes(const need *n)
{
    return (wants(n, solution) ? working(n, n->n_slopes) : 0.0) +
           (wants(n, CLTOMO_PRODUCT_C_SS) ? wanted(n, (double)n->size.n_slopes) : 0.0);
}

/* F for a panel, and the commands that are added to those of the panels before. */
static double apply_fitting_peak(const need *n, double rows)
{
    bool is_panel = rows < (double)n->size.n_phase;
    double actuators = (double)n->size.n_actuators;
    double part = is_panel ? sizeof(double) * actuators * rows : 0.0;
    return n->element * actuators * rows + maximum(part, working(n, actuators));
}

/* A panel of C_ps and R. */
static double panel_peak(const need *n, size_t n_rows)
{
    double rows = (double)n_rows;
    double scratch = cltomo_phase_slope_covariance_scratch(
        &n->covariance, n->options->precision, n_rows, n->n_workers);
    double held = 0.0; /* copies that are products */
    double peak = scratch + (n->adds_directions ? working(n, rows) : 0.0);
    for (unsigned i = 0; i < 2; ++i) {
        if (wants(n, i == 0 ? CLTOMO_PRODUCT_C_PS : CLTOMO_PRODUCT_R_UNSCALED)) {
            peak = maximum(peak, held + working(n, rows) + ordering(n, rows));
            held += n->holds && !n->holds_directions ? wanted(n, rows) : 0.0;
        }
    }
    if (wants(n, CLTOMO_PRODUCT_FR)) {
        peak = maximum(peak, held + apply_fitting_peak(n, rows));
        held += working(n, (double)n->size.n_actuators);
    }
    if (wants(n, CLTOMO_PRODUCT_R)) {
        peak = maximum(peak, held + ordering(n, rows));
    }
    return working(n, rows) + peak;
}

/* The commands, when the wavefront is complete. */
static double commands_peak(const need *n)
{
    double actuators = (double)n->size.n_actuators;
    double rows = n->holds && !n->holds_directions ? phase_products(n) : 0.0;
    return wants(n, CLTOMO_PRODUCT_FR) ? wanted(n, rows * (double)n->size.n_phase) +
                                             working(n, actuators) + ordering(n, actuators)
                                       : 0.0;
}

static double rows_peak(const need *n, size_t n_rows)
{
    if (!wants(n, solution | CLTOMO_PRODUCT_C_PS)) {
        return 0.0;
    }
    bool has_command = wants(n, CLTOMO_PRODUCT_FR) && n_rows < n->size.n_phase;
    double before = has_command ? working(n, (double)n->size.n_actuators) : 0.0;
    return kept_of_slopes(n) + kept_of_directions(n) +
           maximum(before + panel_peak(n, n_rows), commands_peak(n));
}

/* The whole build, with panels of that many rows. Never less for larger panels, but the rows as a
 * whole may need less than two panels, whose commands are added up. */
static double peak(const need *n, size_t n_rows)
{
    double stages = maximum(slope_covariance_peak(n), rows_peak(n, n_rows));
    return bookkeeping(n) + maximum(fitting_peak(n), kept_of_mirror(n) + stages);
}

/* ---- panels -------------------------------------------------------------------------------- */

/* The smallest panel that is worth while. */
static size_t least_rows(const need *n)
{
    enum { few = 16 };
    return n->size.n_phase < few ? n->size.n_phase : few;
}

/* Rows of a panel that keep to the limit, all panels of nearly one size; 0 if even a few do not. */
static size_t rows_within(const need *n, double limit)
{
    size_t within = least_rows(n);
    size_t beyond = n->size.n_phase;
    if (peak(n, beyond) <= limit) {
        return beyond;
    }
    if (peak(n, within) > limit) {
        return 0;
    }
    while (beyond - within > 1) {
        size_t middle = within + (beyond - within) / 2;
        *(peak(n, middle) <= limit ? &within : &beyond) = middle;
    }
    size_t n_panels = (n->size.n_phase + within - 1) / within;
    return (n->size.n_phase + n_panels - 1) / n_panels;
}

/* Rows at a time, whether or not that keeps to the limit. */
static size_t panel_of(const need *n)
{
    const cltomo_build_options *o = n->options;
    if (n->holds || o->max_memory == 0) {
        return n->size.n_phase;
    }
    size_t rows = rows_within(n, (double)o->max_memory);
    return rows > 0 ? rows : least_rows(n);
}

static uint64_t whole_bytes(double bytes)
{
    return bytes < 0x1p64 ? (uint64_t)ceil(bytes) : UINT64_MAX;
}

uint64_t cltomo_peak_memory(
    const cltomo_context *context, const cltomo_system *system, const cltomo_build_options *options)
{
    need n;
    describe(&n, context, system, options);
    return whole_bytes(peak(&n, panel_of(&n)));
}

uint64_t cltomo_build_memory(const cltomo_system *system, const cltomo_build_options *options)
{
    cltomo_build_options own;
    cltomo_dimensions dimensions;
    cltomo_system_dimensions(system, &dimensions);
    if (cltomo_build_options_read(&own, options, &dimensions, NULL) != CLTOMO_OK) {
        return 0;
    }
    return cltomo_peak_memory(cltomo_system_context(system), system, &own);
}

cltomo_status cltomo_panel_rows(const cltomo_context *context, size_t *rows,
    const cltomo_system *system, const cltomo_build_options *options, cltomo_error *error)
{
    need n;
    describe(&n, context, system, options);
    *rows = panel_of(&n);
    if (options->max_memory == 0 || whole_bytes(peak(&n, *rows)) <= options->max_memory) {
        return CLTOMO_OK;
    }
    return cltomo_fail(error, CLTOMO_ERROR_MEMORY,
        "the build needs %.3g MB, but is limited to %.3g MB; single precision needs half, rows "
        "streamed as they are computed need at least %.3g MB",
        1e-6 * peak(&n, n.size.n_phase), 1e-6 * (double)options->max_memory,
        1e-6 * peak(&n, least_rows(&n)));
}
