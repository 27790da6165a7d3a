/* Phase-slope covariance, separable: each Gaussian of the mixture is a product of a factor in x and
 * one in y, so the covariances of all phase points (jy, jx) with all slopes (ky, kx) of a sensor
 * are
 *     x slopes:  sum_t average_y[t][jy, ky] difference_x[t][jx, kx],
 *     y slopes:  sum_t difference_y[t][jy, ky] average_x[t][jx, kx],
 * two matrix products over the terms t of all layers. They cover the whole square; what lies in the
 * pupil is then copied out, also for the sensors that differ by a mirroring only. Where a sensor is
 * its own mirror image, half of the square is enough, and where both axes are alike, the second
 * product is the first one transposed. */
#include "backend/cpu/separable.h"

#include "backend/cpu/axis_factors.h"
#include "covariance/symmetry.h"

/* Bytes of product kept at a time: bands of jy, so that large systems need no square of their own.
 */
static const size_t band_bytes = 16U << 20U;

/* Bytes of factors kept at a time, beside an eighth of C_ps. */
static const size_t factor_bytes = 24U << 20U;

enum { n_mirrors = 4 }; /* none, x, y, both */

typedef struct separable {
    const cltomo_context *context;
    const cltomo_covariance *covariance;
    cltomo_matrix *c_ps;
    cltomo_symmetry *symmetry; /* n_wfs */
    size_t n_grid;             /* 2 n_across + 1 */
    cltomo_axis_factors x;
    cltomo_axis_factors y;
    size_t layers_at_once;
    size_t band;               /* rows jy of a product at a time */
    size_t *place;             /* n_mirrors x 2 axes x n_lenslets, scratch */
    double *slopes;            /* one row of n_lenslets per worker, scratch */
    cltomo_matrix *product[2]; /* by axis of the slope: (band * n_across) x width */

    /* Of the class of sensors at work. */
    size_t representative;
    cltomo_self_symmetry self;
    size_t n_y; /* indices jy that are computed: all, or those up to the middle */
    size_t n_x;
    size_t width; /* n_x * n_across: columns of a product */
} separable;

typedef struct copy_job {
    const separable *s;
    size_t wfs;
    size_t first_jy; /* of the band */
    size_t end_jy;
    cltomo_symmetry map[n_mirrors]; /* to the representative, and mirrored into what is computed */
} copy_job;

static double element(const cltomo_matrix *a, size_t place)
{
    return a->precision == CLTOMO_PRECISION_DOUBLE ? a->data.f64[place]
                                                   : (double)a->data.f32[place];
}

/* The places of the lenslets in a product, counted from their phase point, for slopes that are
 * along `axis` in the representative. */
static size_t *places(const separable *s, size_t mirror, uint32_t axis)
{
    return &s->place[(2 * mirror + axis) * s->covariance->geometry->n_lenslets];
}

/* One axis of the slopes for a phase point at (jy, jx) of what is computed, if the band has it. */
static void copy_axis(const copy_job *job, double *slopes, size_t k, uint32_t axis, size_t mirror,
    size_t jy, size_t jx)
{
    const separable *s = job->s;
    const cltomo_geometry *g = s->covariance->geometry;
    const cltomo_symmetry *t = &job->map[mirror];
    double sign = cltomo_symmetry_sign(t, axis);
    uint32_t its_axis = t->swap ? 1 - axis : axis;
    bool is_transposed = its_axis == 1 && s->self.diagonal;
    size_t row = is_transposed ? jx : jy;
    size_t col = is_transposed ? jy : jx;
    if (row < job->first_jy || row >= job->end_jy) {
        return;
    }
    const cltomo_matrix *product = s->product[is_transposed ? 0 : its_axis];
    const size_t *place = places(s, mirror, its_axis);
    size_t origin = (row - job->first_jy) * g->n_across * s->width + col * g->n_across;
    for (size_t i = 0; i < g->n_lenslets; ++i) {
        slopes[i] = sign * element(product, origin + place[i]);
    }
    cltomo_cpu_store(s->c_ps, k, (2 * job->wfs + axis) * g->n_lenslets, slopes, g->n_lenslets);
}

static void copy_rows(void *user, size_t begin, size_t end, size_t worker)
{
    const copy_job *job = user;
    const separable *s = job->s;
    const cltomo_geometry *g = s->covariance->geometry;
    double *slopes = &s->slopes[worker * g->n_lenslets];
    size_t last = s->n_grid - 1;
    for (size_t k = begin; k < end; ++k) {
        size_t jy = g->phase[k].row - 2 * CLTOMO_PADDING;
        size_t jx = g->phase[k].col - 2 * CLTOMO_PADDING;
        cltomo_symmetry_map(&s->symmetry[job->wfs], last, &jy, &jx);
        size_t mirror = (jx >= s->n_x ? 1U : 0U) | (jy >= s->n_y ? 2U : 0U);
        jx = jx >= s->n_x ? last - jx : jx;
        jy = jy >= s->n_y ? last - jy : jy;
        copy_axis(job, slopes, k, 0, mirror, jy, jx);
        copy_axis(job, slopes, k, 1, mirror, jy, jx);
    }
}

/* Finds the lenslets of a sensor in the products. */
static void map_lenslets(copy_job *job, size_t mirror, bool mirror_x, bool mirror_y)
{
    const separable *s = job->s;
    job->map[mirror] = cltomo_symmetry_then_mirror(&s->symmetry[job->wfs], mirror_x, mirror_y);
    const cltomo_geometry *g = s->covariance->geometry;
    size_t *place_x = places(s, mirror, 0);
    size_t *place_y = places(s, mirror, 1);
    for (size_t i = 0; i < g->n_lenslets; ++i) {
        size_t ky = g->lenslet_row[i];
        size_t kx = g->lenslet_col[i];
        cltomo_symmetry_map(&job->map[mirror], g->n_across - 1, &ky, &kx);
        place_x[i] = ky * s->width + kx;
        place_y[i] = s->self.diagonal ? kx * s->width + ky : place_x[i];
    }
}

/* Copies from the band what belongs to the pupil of one sensor. */
static void copy_band(const separable *s, size_t wfs, size_t first_jy, size_t end_jy)
{
    copy_job job = {.s = s, .wfs = wfs, .first_jy = first_jy, .end_jy = end_jy};
    map_lenslets(&job, 0, false, false);
    map_lenslets(&job, 1, true, false);
    map_lenslets(&job, 2, false, true);
    map_lenslets(&job, 3, true, true);
    cltomo_parallel_for(s->context, s->covariance->geometry->n_phase, 32, copy_rows, &job);
}

/* The factors of some layers, for the representative of the class. */
static cltomo_status create_factors(
    separable *s, size_t first_layer, size_t n_layers, cltomo_error *error)
{
    const cltomo_geometry *g = s->covariance->geometry;
    size_t first = s->representative * g->n_layers + first_layer;
    cltomo_precision precision = s->c_ps->precision;
    cltomo_geometry layers = *g; /* a view of these layers only */
    layers.n_layers = n_layers;
    layers.height = g->height + first_layer;
    layers.fraction = g->fraction + first_layer;
    cltomo_covariance covariance = *s->covariance;
    covariance.geometry = &layers;
    cltomo_cpu_axis_factors_release(&s->x);
    cltomo_cpu_axis_factors_release(&s->y);
    cltomo_status status = cltomo_cpu_axis_factors(s->context, &s->x, &covariance, &g->scale[first],
        &g->shift_x[first], s->n_x, false, precision, error);
    if (status == CLTOMO_OK) {
        status = cltomo_cpu_axis_factors(s->context, &s->y, &covariance, &g->scale[first],
            &g->shift_y[first], s->n_y, true, precision, error);
    }
    return status;
}

/* The products of a band that begins at first_jy, layer by layer if all factors are too many to
 * keep. */
static cltomo_status multiply_band(separable *s, size_t first_jy, size_t count, cltomo_error *error)
{
    const cltomo_geometry *g = s->covariance->geometry;
    size_t first_col = first_jy * g->n_across;
    size_t n_cols = count * g->n_across;
    bool is_whole = s->layers_at_once == g->n_layers;
    cltomo_status status = CLTOMO_OK;
    for (size_t l = 0; l < g->n_layers && status == CLTOMO_OK; l += s->layers_at_once) {
        size_t left = g->n_layers - l;
        size_t n_layers = left < s->layers_at_once ? left : s->layers_at_once;
        if (first_jy == 0 || !is_whole) {
            status = create_factors(s, l, n_layers, error);
        }
        if (status == CLTOMO_OK) {
            status = cltomo_cpu_multiply_transposed(s->context, s->product[0], s->y.average,
                first_col, n_cols, s->x.difference, l > 0, error);
        }
        if (status == CLTOMO_OK && !s->self.diagonal) {
            status = cltomo_cpu_multiply_transposed(s->context, s->product[1], s->y.difference,
                first_col, n_cols, s->x.average, l > 0, error);
        }
    }
    return status;
}

/* A band of products, and its copies into C_ps. */
static cltomo_status fill_band(separable *s, size_t first_jy, cltomo_error *error)
{
    const cltomo_geometry *g = s->covariance->geometry;
    size_t left = s->n_y - first_jy;
    size_t count = left < s->band ? left : s->band;
    cltomo_status status = multiply_band(s, first_jy, count, error);
    for (size_t wfs = 0; wfs < g->n_wfs && status == CLTOMO_OK; ++wfs) {
        if (s->symmetry[wfs].representative == s->representative) {
            copy_band(s, wfs, first_jy, first_jy + count);
        }
    }
    return status;
}

/* All sensors that the representative stands for. */
static cltomo_status fill_class(separable *s, size_t representative, cltomo_error *error)
{
    const cltomo_geometry *g = s->covariance->geometry;
    cltomo_status status = CLTOMO_OK;
    s->representative = representative;
    s->self = cltomo_find_self_symmetry(g, representative);
    s->n_y = s->self.mirror_y ? g->n_across + 1 : s->n_grid;
    s->n_x = s->self.mirror_x ? g->n_across + 1 : s->n_grid;
    s->width = s->n_x * g->n_across;
    for (size_t jy = 0; jy < s->n_y && status == CLTOMO_OK; jy += s->band) {
        status = fill_band(s, jy, error);
        if (status == CLTOMO_OK) {
            double done = (double)representative + (double)jy / (double)s->n_y;
            status = cltomo_progress(
                s->context, "phase-slope covariance", done / (double)g->n_wfs, error);
        }
    }
    cltomo_cpu_axis_factors_release(&s->x);
    cltomo_cpu_axis_factors_release(&s->y);
    return status;
}

/* As many layers as make factors of a fixed size and a part of C_ps. */
static size_t choose_layers(const separable *s)
{
    const cltomo_geometry *g = s->covariance->geometry;
    size_t element = cltomo_precision_size(s->c_ps->precision);
    size_t width = s->n_grid * g->n_across;
    size_t layer_bytes = 4 * s->covariance->mixture.n_terms * width * element;
    size_t layers = (factor_bytes + s->c_ps->rows * s->c_ps->cols * element / 8) / layer_bytes;
    return layers == 0 ? 1 : layers < g->n_layers ? layers : g->n_layers;
}

static cltomo_status allocate_products(separable *s, cltomo_error *error)
{
    const cltomo_geometry *g = s->covariance->geometry;
    cltomo_precision precision = s->c_ps->precision;
    size_t width = s->n_grid * g->n_across;
    size_t row_bytes = g->n_across * width * cltomo_precision_size(precision);
    size_t band = band_bytes / row_bytes;
    s->band = band == 0 ? 1 : band < s->n_grid ? band : s->n_grid;
    cltomo_status status = CLTOMO_OK;
    for (size_t axis = 0; axis < 2 && status == CLTOMO_OK; ++axis) {
        status = cltomo_matrix_allocate(
            s->context, &s->product[axis], precision, s->band * g->n_across, width, error);
    }
    return status;
}

cltomo_status cltomo_cpu_separable(const cltomo_context *context, cltomo_matrix *c_ps,
    const cltomo_covariance *covariance, cltomo_error *error)
{
    const cltomo_geometry *g = covariance->geometry;
    if (!cltomo_covariance_has_phase_evaluator(covariance, CLTOMO_EVALUATOR_SEPARABLE)) {
        return CLTOMO_OK;
    }
    separable s = {
        .context = context, .covariance = covariance, .c_ps = c_ps, .n_grid = 2 * g->n_across + 1};
    s.symmetry = cltomo_allocate(context, g->n_wfs, sizeof *s.symmetry);
    s.place = cltomo_allocate(context, (size_t)n_mirrors * 2 * g->n_lenslets, sizeof *s.place);
    s.slopes =
        cltomo_allocate(context, g->n_lenslets * cltomo_context_threads(context), sizeof *s.slopes);
    cltomo_status status = CLTOMO_OK;
    if (s.symmetry == NULL || s.place == NULL || s.slopes == NULL) {
        status = cltomo_fail_memory(error, "the separable covariance");
        goto done;
    }
    s.layers_at_once = choose_layers(&s);
    status = allocate_products(&s, error);
    cltomo_find_symmetries(s.symmetry, g);
    for (size_t wfs = 0; wfs < g->n_wfs && status == CLTOMO_OK; ++wfs) {
        if (s.symmetry[wfs].representative == wfs &&
            cltomo_covariance_phase_evaluator(covariance, wfs) == CLTOMO_EVALUATOR_SEPARABLE) {
            status = fill_class(&s, wfs, error);
        }
    }
done:
    cltomo_matrix_destroy(s.product[0]);
    cltomo_matrix_destroy(s.product[1]);
    cltomo_release(context, s.symmetry);
    cltomo_release(context, s.place);
    cltomo_release(context, s.slopes);
    return status;
}
