#include "geometry/geometry.h"

#include <math.h>
#include <string.h>

static size_t count_valid(const uint8_t *map, size_t n)
{
    size_t valid = 0;
    for (size_t i = 0; i < n; ++i) {
        valid += map[i] != 0;
    }
    return valid;
}

const uint8_t *cltomo_sensor_lenslets(const cltomo_system_description *d, size_t wfs)
{
    size_t n_cells = (size_t)d->n_lenslets * d->n_lenslets;
    return d->valid_lenslets_per_wfs != NULL ? d->valid_lenslets_per_wfs + wfs * n_cells
                                             : d->valid_lenslets;
}

size_t cltomo_count_sensor_lenslets(const cltomo_system_description *d, size_t wfs)
{
    return count_valid(cltomo_sensor_lenslets(d, wfs), (size_t)d->n_lenslets * d->n_lenslets);
}

static size_t count_layers(const cltomo_system_description *d)
{
    size_t n = 0;
    for (uint32_t l = 0; l < d->n_layers; ++l) {
        n += d->layer_fraction[l] > 0.0;
    }
    return n;
}

static double grid_spacing(const cltomo_system_description *d)
{
    return d->telescope_diameter / d->n_lenslets / 2.0;
}

static size_t grid_size(const cltomo_system_description *d)
{
    return 2 * (d->n_lenslets + (size_t)2 * CLTOMO_PADDING) + 1;
}

/* A grid point is valid when it belongs to the 3 x 3 stencil of a valid lenslet: it lies in the
 * closed square of one of the up to four lenslets around it. */
static bool is_valid_point(const cltomo_system_description *d, size_t row, size_t col)
{
    size_t n = d->n_lenslets;
    for (size_t i = row / 2 - (row % 2 == 0 && row > 0); i <= row / 2; ++i) {
        for (size_t j = col / 2 - (col % 2 == 0 && col > 0); j <= col / 2; ++j) {
            size_t map_row = i - CLTOMO_PADDING; /* wraps to a huge number in the padding */
            size_t map_col = j - CLTOMO_PADDING;
            if (map_row < n && map_col < n && d->valid_lenslets[map_row * n + map_col] != 0) {
                return true;
            }
        }
    }
    return false;
}

static size_t count_phase(const cltomo_system_description *d)
{
    size_t n_grid = grid_size(d);
    size_t n = 0;
    for (size_t row = 0; row < n_grid; ++row) {
        for (size_t col = 0; col < n_grid; ++col) {
            n += is_valid_point(d, row, col);
        }
    }
    return n;
}

void cltomo_system_dimensions(const cltomo_system *system, cltomo_dimensions *dimensions)
{
    const cltomo_system_description *d = cltomo_system_get_description(system);
    size_t n = d->n_lenslets;
    double airmass = 1.0 / cos(d->zenith_angle);
    memset(dimensions, 0, sizeof *dimensions);
    dimensions->n_wfs = d->n_wfs;
    dimensions->n_lenslets = count_valid(d->valid_lenslets, n * n);
    dimensions->n_grid = grid_size(d);
    dimensions->n_phase = count_phase(d);
    for (size_t wfs = 0; wfs < d->n_wfs; ++wfs) {
        dimensions->n_slopes += 2 * cltomo_count_sensor_lenslets(d, wfs);
    }
    if (d->n_actuators > 0) {
        size_t n_actuators = d->n_actuators;
        dimensions->n_actuators = count_valid(d->valid_actuators, n_actuators * n_actuators);
    }
    dimensions->n_layers = count_layers(d);
    dimensions->n_directions = d->n_directions > 0
                                   ? d->n_directions
                                   : (size_t)d->n_directions_across * d->n_directions_across;
    dimensions->grid_spacing = grid_spacing(d);
    dimensions->grid_span = grid_spacing(d) * (double)(grid_size(d) - 1);
    dimensions->airmass = airmass;
    dimensions->r0 = d->r0 * pow(cos(d->zenith_angle), 0.6);
    dimensions->guide_star_height = airmass * d->guide_star_height;
}

static void list_lenslets(cltomo_geometry *g, const cltomo_system_description *d)
{
    size_t k = 0;
    for (uint32_t row = 0; row < d->n_lenslets; ++row) {
        for (uint32_t col = 0; col < d->n_lenslets; ++col) {
            if (d->valid_lenslets[(size_t)row * d->n_lenslets + col] != 0) {
                g->lenslet_row[k] = row;
                g->lenslet_col[k++] = col;
            }
        }
    }
}

static void mark_used_slopes(cltomo_geometry *g, const uint8_t *maps)
{
    for (size_t i = 0; i < g->n_slopes; ++i) {
        size_t wfs = i / (2 * g->n_lenslets);
        size_t k = i % g->n_lenslets;
        size_t cell = (size_t)g->lenslet_row[k] * g->n_across + g->lenslet_col[k];
        g->used_slopes[i] = maps[wfs * g->n_across * g->n_across + cell] != 0;
    }
}

void cltomo_list_phase_points(cltomo_point *points, const cltomo_system_description *d)
{
    size_t n_grid = grid_size(d);
    double centre = 0.5 * (double)(n_grid - 1);
    size_t k = 0;
    for (size_t row = 0; row < n_grid; ++row) {
        for (size_t col = 0; col < n_grid; ++col) {
            if (is_valid_point(d, row, col)) {
                points[k++] = (cltomo_point){.row = (uint32_t)row,
                    .col = (uint32_t)col,
                    .x = ((double)col - centre) * grid_spacing(d),
                    .y = ((double)row - centre) * grid_spacing(d)};
            }
        }
    }
}

static void index_phase_points(cltomo_geometry *g)
{
    for (size_t i = 0; i < g->n_grid * g->n_grid; ++i) {
        g->phase_index[i] = -1;
    }
    for (size_t k = 0; k < g->n_phase; ++k) {
        g->phase_index[g->phase[k].row * g->n_grid + g->phase[k].col] = (int32_t)k;
    }
}

static void list_layers(cltomo_geometry *g, const cltomo_system_description *d)
{
    size_t k = 0;
    for (uint32_t l = 0; l < d->n_layers; ++l) {
        if (d->layer_fraction[l] > 0.0) {
            g->height[k] = g->airmass * d->layer_altitude[l];
            g->fraction[k++] = d->layer_fraction[l];
        }
    }
}

static void project(cltomo_geometry *g, const cltomo_system_description *d)
{
    for (size_t i = 0; i < g->n_wfs; ++i) {
        double offset_x = d->wfs_offset_x != NULL ? d->wfs_offset_x[i] : 0.0;
        double offset_y = d->wfs_offset_y != NULL ? d->wfs_offset_y[i] : 0.0;
        g->rotation[i] = d->wfs_rotation != NULL ? d->wfs_rotation[i] : 0.0;
        g->cosine[i] = cos(g->rotation[i]);
        g->sine[i] = sin(g->rotation[i]);
        for (size_t l = 0; l < g->n_layers; ++l) {
            size_t k = i * g->n_layers + l;
            g->scale[k] = 1.0 - g->height[l] / g->guide_star_height;
            g->shift_x[k] = d->guide_star_x[i] * g->height[l] - g->scale[k] * offset_x * g->span;
            g->shift_y[k] = d->guide_star_y[i] * g->height[l] - g->scale[k] * offset_y * g->span;
        }
    }
}

static void list_directions(cltomo_geometry *g, const cltomo_system_description *d)
{
    for (size_t k = 0; k < g->n_directions_across; ++k) {
        g->direction[k] = d->n_directions > 0 ? 0.0 : cltomo_grid_tangent(d, k);
    }
    for (size_t l = 0; l < g->n_layers; ++l) {
        g->phase_scale[l] = 1.0;
    }
}

static bool allocate_arrays(cltomo_geometry *g, bool has_maps)
{
    const cltomo_context *context = g->context;
    size_t n_projections = g->n_wfs * g->n_layers;
    g->lenslet_row = cltomo_allocate(context, g->n_lenslets, sizeof *g->lenslet_row);
    g->lenslet_col = cltomo_allocate(context, g->n_lenslets, sizeof *g->lenslet_col);
    g->phase = cltomo_allocate(context, g->n_phase, sizeof *g->phase);
    g->phase_index = cltomo_allocate(context, g->n_grid * g->n_grid, sizeof *g->phase_index);
    g->rotation = cltomo_allocate(context, g->n_wfs, sizeof *g->rotation);
    g->cosine = cltomo_allocate(context, g->n_wfs, sizeof *g->cosine);
    g->sine = cltomo_allocate(context, g->n_wfs, sizeof *g->sine);
    g->height = cltomo_allocate(context, g->n_layers, sizeof *g->height);
    g->fraction = cltomo_allocate(context, g->n_layers, sizeof *g->fraction);
    g->scale = cltomo_allocate(context, n_projections, sizeof *g->scale);
    g->shift_x = cltomo_allocate(context, n_projections, sizeof *g->shift_x);
    g->shift_y = cltomo_allocate(context, n_projections, sizeof *g->shift_y);
    g->direction = cltomo_allocate(context, g->n_directions_across, sizeof *g->direction);
    g->phase_scale = cltomo_allocate(context, g->n_layers, sizeof *g->phase_scale);
    if (has_maps) {
        g->used_slopes = cltomo_allocate(context, g->n_slopes, sizeof *g->used_slopes);
    }
    return (!has_maps || g->used_slopes != NULL) && g->lenslet_row != NULL &&
           g->lenslet_col != NULL && g->phase != NULL && g->phase_index != NULL &&
           g->rotation != NULL && g->cosine != NULL && g->sine != NULL && g->height != NULL &&
           g->fraction != NULL && g->scale != NULL && g->shift_x != NULL && g->shift_y != NULL &&
           g->direction != NULL && g->phase_scale != NULL;
}

cltomo_status cltomo_geometry_create(const cltomo_context *context, cltomo_geometry **geometry,
    const cltomo_system *system, cltomo_error *error)
{
    const cltomo_system_description *d = cltomo_system_get_description(system);
    cltomo_dimensions dimensions;
    *geometry = NULL;
    cltomo_geometry *g = cltomo_allocate_zero(context, 1, sizeof *g);
    if (g == NULL) {
        return cltomo_fail_memory(error, "the geometry");
    }
    cltomo_system_dimensions(system, &dimensions);
    g->context = cltomo_context_retain(context);
    g->n_across = d->n_lenslets;
    g->n_grid = dimensions.n_grid;
    g->spacing = dimensions.grid_spacing;
    g->span = dimensions.grid_span;
    g->n_lenslets = dimensions.n_lenslets;
    g->n_phase = dimensions.n_phase;
    g->n_wfs = dimensions.n_wfs;
    g->n_slopes = 2 * g->n_lenslets * g->n_wfs;
    g->airmass = dimensions.airmass;
    g->r0 = dimensions.r0;
    g->L0 = d->L0;
    g->guide_star_height = dimensions.guide_star_height;
    g->n_layers = dimensions.n_layers;
    g->n_directions_across = d->n_directions > 0 ? 1 : d->n_directions_across;
    if (!allocate_arrays(g, d->valid_lenslets_per_wfs != NULL)) {
        cltomo_geometry_destroy(g);
        return cltomo_fail_memory(error, "the geometry");
    }
    list_lenslets(g, d);
    if (d->valid_lenslets_per_wfs != NULL) {
        mark_used_slopes(g, d->valid_lenslets_per_wfs);
    }
    cltomo_list_phase_points(g->phase, d);
    index_phase_points(g);
    list_layers(g, d);
    project(g, d);
    list_directions(g, d);
    *geometry = g;
    return CLTOMO_OK;
}

void cltomo_geometry_destroy(cltomo_geometry *g)
{
    if (g == NULL) {
        return;
    }
    const cltomo_context *context = g->context;
    void *arrays[] = {g->lenslet_row, g->lenslet_col, g->phase, g->phase_index, g->rotation,
        g->cosine, g->sine, g->height, g->fraction, g->scale, g->shift_x, g->shift_y, g->direction,
        g->phase_scale, g->used_slopes, g};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; ++i) {
        cltomo_release(context, arrays[i]);
    }
    cltomo_context_release(context);
}
