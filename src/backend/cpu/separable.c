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
#include "covariance/square.h"

/* Bytes of product kept at a time: bands of jy, so that large systems need no square of their own.
 */
static const size_t band_bytes = 16U << 20U;

/* Bytes of factors kept at a time, beside an eighth of C_ps. */
static const size_t factor_bytes = 24U << 20U;

typedef struct separable {
    const cltomo_context *context;
    const cltomo_covariance *covariance;
    cltomo_matrix *c_ps;
    cltomo_symmetry *symmetry; /* n_wfs */
    cltomo_axis_factors x;
    cltomo_axis_factors y;
    size_t layers_at_once;
    size_t band;               /* rows jy of a product at a time */
    size_t *place;             /* mirrors x 2 axes x n_lenslets, scratch */
    double *slopes;            /* one row of n_lenslets per worker, scratch */
    cltomo_matrix *product[2]; /* by axis of the slope: (band * n_across) x width */
    size_t representative;     /* of the class of sensors at work */
    cltomo_square square;      /* its */
} separable;

typedef struct copy_job {
    const separable *s;
    size_t wfs;
    size_t first_jy; /* of the band */
    size_t end_jy;
    cltomo_symmetry map[cltomo_n_mirrors]; /* of the sensor into its square */
} copy_job;

static double element(const cltomo_matrix *a, size_t place)
{
    return a->precision == CLTOMO_PRECISION_DOUBLE ? a->data.f64[place]
                                                   : (double)a->data.f32[place];
}

/* The places of the lenslets for slopes that are along `its_axis` in the representative. */
static size_t *places(const separable *s, size_t mirror, uint32_t its_axis)
{
    return &s->place[(2 * mirror + its_axis) * s->covariance->geometry->n_lenslets];
}

/* One axis of the slopes in row k, whose phase point is at (jy, jx) of the square, if the band has
 * it. */
static void copy_axis(const copy_job *job, double *slopes, size_t k, uint32_t axis, size_t mirror,
    size_t jy, size_t jx)
{
    const separable *s = job->s;
    const cltomo_geometry *g = s->covariance->geometry;
    const cltomo_symmetry *map = &job->map[mirror];
    double sign = cltomo_symmetry_sign(map, axis);
    uint32_t its_axis = cltomo_square_axis(map, axis);
    bool is_transposed = cltomo_square_is_transposed(&s->square, its_axis);
    size_t row = is_transposed ? jx : jy;
    size_t col = is_transposed ? jy : jx;
    if (row < job->first_jy || row >= job->end_jy) {
        return;
    }
    const cltomo_matrix *product = s->product[is_transposed ? 0 : its_axis];
    const size_t *place = places(s, mirror, its_axis);
    size_t origin = (row - job->first_jy) * g->n_across * s->square.width + col * g->n_across;
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
    for (size_t k = begin; k < end; ++k) {
        size_t jy;
        size_t jx;
        size_t point = s->covariance->first_phase + k;
        size_t mirror = cltomo_square_point(&s->square, g, &s->symmetry[job->wfs], point, &jy, &jx);
        copy_axis(job, slopes, k, 0, mirror, jy, jx);
        copy_axis(job, slopes, k, 1, mirror, jy, jx);
    }
}

/* Finds the lenslets of a sensor in the products. */
static void map_lenslets(copy_job *job, size_t mirror)
{
    const separable *s = job->s;
    const cltomo_geometry *g = s->covariance->geometry;
    job->map[mirror] = cltomo_square_map(&s->symmetry[job->wfs], mirror);
    for (uint32_t axis = 0; axis < 2; ++axis) {
        size_t *place = places(s, mirror, axis);
        for (size_t i = 0; i < g->n_lenslets; ++i) {
            place[i] = cltomo_square_place(&s->square, g, &job->map[mirror], i, axis);
        }
    }
}

/* Copies from the band what belongs to the pupil of one sensor. */
static void copy_band(const separable *s, size_t wfs, size_t first_jy, size_t end_jy)
{
    copy_job job = {.s = s, .wfs = wfs, .first_jy = first_jy, .end_jy = end_jy};
    for (size_t mirror = 0; mirror < cltomo_n_mirrors; ++mirror) {
        map_lenslets(&job, mirror);
    }
    cltomo_parallel_for(s->context, s->c_ps->rows, 32, copy_rows, &job);
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
    layers.phase_scale = g->phase_scale + first_layer;
    cltomo_covariance covariance = *s->covariance;
    covariance.geometry = &layers;
    cltomo_cpu_axis_factors_release(&s->x);
    cltomo_cpu_axis_factors_release(&s->y);
    cltomo_status status = cltomo_cpu_axis_factors(s->context, &s->x, &covariance, &g->scale[first],
        &g->shift_x[first], s->square.n_x, false, precision, error);
    if (status == CLTOMO_OK) {
        status = cltomo_cpu_axis_factors(s->context, &s->y, &covariance, &g->scale[first],
            &g->shift_y[first], s->square.n_y, true, precision, error);
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
        if (s->x.average == NULL || !is_whole) {
            status = create_factors(s, l, n_layers, error);
        }
        if (status == CLTOMO_OK) {
            status = cltomo_cpu_multiply_transposed(s->context, s->product[0], s->y.average,
                first_col, n_cols, s->x.difference, l > 0, error);
        }
        if (status == CLTOMO_OK && !s->square.self.diagonal) {
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
    size_t left = s->square.n_y - first_jy;
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
    s->square = cltomo_square_of(g, representative);
    for (size_t jy = 0; jy < s->square.n_y && status == CLTOMO_OK; jy += s->band) {
        if (cltomo_square_needs_rows(&s->square, g, s->symmetry, representative,
                s->covariance->first_phase, s->c_ps->rows, jy, jy + s->band)) {
            status = fill_band(s, jy, error);
        }
        if (status == CLTOMO_OK) {
            double done = (double)representative + (double)jy / (double)s->square.n_y;
            status = cltomo_progress(
                s->context, "phase-slope covariance", done / (double)g->n_wfs, error);
        }
    }
    cltomo_cpu_axis_factors_release(&s->x);
    cltomo_cpu_axis_factors_release(&s->y);
    return status;
}

/* ---- sizes --------------------------------------------------------------------------------- */

/* Phase points times lenslets along an axis. */
static size_t axis_width(const cltomo_geometry *g)
{
    return (2 * g->n_across + 1) * g->n_across;
}

/* Bytes of the four factors of a layer. */
static size_t layer_size(const cltomo_covariance *covariance, cltomo_precision precision)
{
    return 4 * covariance->mixture.n_terms * axis_width(covariance->geometry) *
           cltomo_precision_size(precision);
}

/* As many layers as make factors of a fixed size and a part of C_ps. */
static size_t choose_layers(
    const cltomo_covariance *covariance, cltomo_precision precision, size_t n_rows)
{
    const cltomo_geometry *g = covariance->geometry;
    size_t c_ps_bytes = n_rows * g->n_slopes * cltomo_precision_size(precision);
    size_t layers = (factor_bytes + c_ps_bytes / 8) / layer_size(covariance, precision);
    return layers == 0 ? 1 : layers < g->n_layers ? layers : g->n_layers;
}

/* Rows jy of a product at a time. */
static size_t choose_band(const cltomo_geometry *g, cltomo_precision precision)
{
    size_t n_grid = 2 * g->n_across + 1;
    size_t band = band_bytes / (g->n_across * axis_width(g) * cltomo_precision_size(precision));
    return band == 0 ? 1 : band < n_grid ? band : n_grid;
}

double cltomo_cpu_separable_scratch(
    const cltomo_covariance *covariance, cltomo_precision precision, size_t n_rows, size_t workers)
{
    const cltomo_geometry *g = covariance->geometry;
    double product = (double)(choose_band(g, precision) * g->n_across * axis_width(g)) *
                     (double)cltomo_precision_size(precision);
    double factors = (double)choose_layers(covariance, precision, n_rows) *
                     (double)layer_size(covariance, precision);
    double places = (double)((size_t)cltomo_n_mirrors * 2 * g->n_lenslets * sizeof(size_t));
    double per_worker = (double)(g->n_lenslets + 6 * g->n_across + 2) * sizeof(double);
    return 2.0 * product + factors + places + (double)(g->n_wfs * sizeof(cltomo_symmetry)) +
           (double)workers * per_worker;
}

/* ---- all sensors --------------------------------------------------------------------------- */

static cltomo_status allocate_products(separable *s, cltomo_error *error)
{
    const cltomo_geometry *g = s->covariance->geometry;
    cltomo_precision precision = s->c_ps->precision;
    s->band = choose_band(g, precision);
    cltomo_status status = CLTOMO_OK;
    for (size_t axis = 0; axis < 2 && status == CLTOMO_OK; ++axis) {
        status = cltomo_matrix_allocate(
            s->context, &s->product[axis], precision, s->band * g->n_across, axis_width(g), error);
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
    separable s = {.context = context, .covariance = covariance, .c_ps = c_ps};
    s.symmetry = cltomo_allocate(context, g->n_wfs, sizeof *s.symmetry);
    s.place =
        cltomo_allocate(context, (size_t)cltomo_n_mirrors * 2 * g->n_lenslets, sizeof *s.place);
    s.slopes =
        cltomo_allocate(context, g->n_lenslets * cltomo_context_threads(context), sizeof *s.slopes);
    cltomo_status status = CLTOMO_OK;
    if (s.symmetry == NULL || s.place == NULL || s.slopes == NULL) {
        status = cltomo_fail_memory(error, "the separable covariance");
        goto done;
    }
    s.layers_at_once = choose_layers(covariance, c_ps->precision, c_ps->rows);
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
