#include <math.h>

#include "geometry/geometry.h"
#include "io/io.h"
#include "reconstructor/reconstructor_internal.h"

/* The lists behind the tables of one file. */
typedef struct description {
    const cltomo_context *context;
    cltomo_slope *slopes;
    cltomo_point *grid;
    cltomo_point *actuators;
    cltomo_direction *directions;
    uint32_t *gradient_row; /* of each element of Gamma */
    size_t n_tables;
    cltomo_fits_table table[3];
} description;

static void release(description *d)
{
    cltomo_release(d->context, d->slopes);
    cltomo_release(d->context, d->grid);
    cltomo_release(d->context, d->actuators);
    cltomo_release(d->context, d->directions);
    cltomo_release(d->context, d->gradient_row);
}

/* Slopes of a subset tell the numbers that its sensors have in the whole system. */
static void number_sensors(cltomo_slope *slopes, size_t n, const cltomo_system *system)
{
    const uint32_t *numbers = cltomo_system_wfs_numbers(system);
    for (size_t k = 0; numbers != NULL && k < n; ++k) {
        slopes[k].wfs = numbers[slopes[k].wfs];
    }
}

static cltomo_status add_slopes(description *d, const cltomo_reconstructor *reconstructor,
    bool only_first_sensor, cltomo_error *error)
{
    const cltomo_system *system = cltomo_reconstructor_system(reconstructor);
    const cltomo_build_options *options = cltomo_reconstructor_options(reconstructor);
    cltomo_dimensions dimensions;
    cltomo_system_dimensions(system, &dimensions);
    size_t n = dimensions.n_slopes;
    d->slopes = cltomo_allocate(d->context, n, sizeof *d->slopes);
    if (d->slopes == NULL) {
        return cltomo_fail_memory(error, "the list of slopes");
    }
    cltomo_status status = cltomo_system_slopes(
        system, d->slopes, n, options->slope_order, options->lenslet_order, error);
    if (status != CLTOMO_OK) {
        return status;
    }
    number_sensors(d->slopes, n, system);
    const cltomo_slope *s = d->slopes;
    d->table[d->n_tables++] = (cltomo_fits_table){.name = "SLOPES",
        .n_rows = only_first_sensor ? n / dimensions.n_wfs : n,
        .n_columns = 4,
        .column = {
            {"WFS", "", "sensor, from 0", false, &s->wfs, sizeof *s},
            {"LENS_ROW", "", "row of the lenslet, from 0", false, &s->lenslet_row, sizeof *s},
            {"LENS_COL", "", "column of the lenslet, from 0", false, &s->lenslet_col, sizeof *s},
            {"AXIS", "", "0: x, along a row; 1: y", false, &s->axis, sizeof *s},
        }};
    return CLTOMO_OK;
}

typedef cltomo_status (*point_function)(
    const cltomo_system *system, cltomo_point *points, size_t n_points, cltomo_error *error);

/* A table of points, which list(...) tells; *points receives the list. */
static cltomo_status add_points(description *d, cltomo_point **points, const char *name, size_t n,
    point_function list, const cltomo_system *system, cltomo_error *error)
{
    *points = cltomo_allocate(d->context, n, sizeof **points);
    if (*points == NULL) {
        return cltomo_fail_memory(error, "a list of points");
    }
    cltomo_status status = list(system, *points, n, error);
    if (status != CLTOMO_OK) {
        return status;
    }
    const cltomo_point *p = *points;
    d->table[d->n_tables++] = (cltomo_fits_table){.name = name,
        .n_rows = n,
        .n_columns = 4,
        .column = {
            {"ROW", "", "row in the map, from 0", false, &p->row, sizeof *p},
            {"COL", "", "column in the map, from 0", false, &p->col, sizeof *p},
            {"X", "m", "along a row, from the axis", true, &p->x, sizeof *p},
            {"Y", "m", "along a column, from the axis", true, &p->y, sizeof *p},
        }};
    return CLTOMO_OK;
}

/* In the covariances of R_IM the actuators may be spaced otherwise than by their pitch. */
static void space_actuators(const description *d, const cltomo_reconstructor *reconstructor)
{
    if (reconstructor->actuator_spacing > 0.0) {
        cltomo_list_actuators(d->actuators,
            cltomo_system_get_description(cltomo_reconstructor_system(reconstructor)),
            reconstructor->actuator_spacing);
    }
}

static cltomo_status add_directions(
    description *d, const cltomo_system *system, cltomo_error *error)
{
    static const double arcsec = 3600.0 * 57.295779513082320876798154814105;
    const cltomo_system_description *of = cltomo_system_get_description(system);
    size_t n = cltomo_count_directions(of);
    d->directions = cltomo_allocate(d->context, n, sizeof *d->directions);
    if (d->directions == NULL) {
        return cltomo_fail_memory(error, "the list of directions");
    }
    cltomo_list_directions(d->directions, of);
    for (size_t i = 0; i < n; ++i) {
        d->directions[i].x = arcsec * atan(d->directions[i].x);
        d->directions[i].y = arcsec * atan(d->directions[i].y);
    }
    const cltomo_direction *direction = d->directions;
    d->table[d->n_tables++] = (cltomo_fits_table){.name = "DIRECTIONS",
        .n_rows = n,
        .n_columns = 4,
        .column = {
            {"X", "arcsec", "from the axis", true, &direction->x, sizeof *direction},
            {"Y", "arcsec", "from the axis", true, &direction->y, sizeof *direction},
            {"WEIGHT", "", "in the mean over directions", true, &direction->weight,
                sizeof *direction},
            {"HEIGHT", "m", "of the source, along the line of sight", true, &direction->height,
                sizeof *direction},
        }};
    return CLTOMO_OK;
}

static cltomo_status add_gradient(description *d, const cltomo_sparse *gamma, cltomo_error *error)
{
    size_t n = gamma->row_start[gamma->rows];
    d->gradient_row = cltomo_allocate(d->context, n, sizeof *d->gradient_row);
    if (d->gradient_row == NULL) {
        return cltomo_fail_memory(error, "the rows of Gamma");
    }
    for (size_t i = 0; i < gamma->rows; ++i) {
        for (size_t k = gamma->row_start[i]; k < gamma->row_start[i + 1]; ++k) {
            d->gradient_row[k] = (uint32_t)i;
        }
    }
    d->table[d->n_tables++] = (cltomo_fits_table){.name = "GAMMA",
        .n_rows = n,
        .n_columns = 3,
        .column = {
            {"ROW", "", "slope, row of SLOPES, from 0", false, d->gradient_row, sizeof(uint32_t)},
            {"COL", "", "point, row of GRID, from 0", false, gamma->column, sizeof(uint32_t)},
            {"VALUE", "", "element of Gamma", true, gamma->value, sizeof(double)},
        }};
    return CLTOMO_OK;
}

/* The table of one axis. */
static cltomo_status add_axis(description *d, const cltomo_reconstructor *reconstructor,
    cltomo_axis axis, bool only_first_sensor, cltomo_error *error)
{
    const cltomo_system *system = cltomo_reconstructor_system(reconstructor);
    cltomo_dimensions n;
    cltomo_status status = CLTOMO_OK;
    cltomo_system_dimensions(system, &n);
    switch (axis) {
    case CLTOMO_AXIS_SLOPES:
        return add_slopes(d, reconstructor, only_first_sensor, error);
    case CLTOMO_AXIS_GRID:
        return add_points(
            d, &d->grid, "GRID", n.n_phase, cltomo_system_phase_points, system, error);
    case CLTOMO_AXIS_ACTUATORS:
        status = add_points(
            d, &d->actuators, "ACTUATORS", n.n_actuators, cltomo_system_actuators, system, error);
        if (status == CLTOMO_OK) {
            space_actuators(d, reconstructor);
        }
        return status;
    case CLTOMO_AXIS_DIRECTIONS:
        return add_directions(d, system, error);
    case CLTOMO_AXIS_NONE:
        break;
    }
    return CLTOMO_OK;
}

/* Gamma's own table comes first; each other table once, also where both axes share it. */
static cltomo_status describe(description *d, const cltomo_reconstructor *reconstructor,
    cltomo_product product, const cltomo_sparse *gamma, cltomo_error *error)
{
    const cltomo_layout layout = cltomo_product_layout(product);
    bool has_planes = cltomo_reconstructor_shape(reconstructor, product).planes > 0;
    const cltomo_axis axes[3] = {layout.cols,
        layout.rows == layout.cols ? CLTOMO_AXIS_NONE : layout.rows,
        has_planes ? CLTOMO_AXIS_DIRECTIONS : CLTOMO_AXIS_NONE};
    cltomo_status status = gamma != NULL ? add_gradient(d, gamma, error) : CLTOMO_OK;
    for (size_t i = 0; i < 3 && status == CLTOMO_OK; ++i) {
        status = add_axis(d, reconstructor, axes[i], gamma != NULL, error);
    }
    return status;
}

cltomo_status cltomo_product_writer_open(const cltomo_reconstructor *reconstructor,
    cltomo_matrix_writer **writer, cltomo_product product, cltomo_precision precision,
    const char *path, cltomo_file_format format, cltomo_error *error)
{
    description d = {.context = reconstructor->context};
    cltomo_keywords keywords;
    const cltomo_shape shape = cltomo_reconstructor_shape(reconstructor, product);
    cltomo_file_content content = {
        .precision = precision, .planes = shape.planes, .rows = shape.rows, .cols = shape.cols};
    cltomo_status status = CLTOMO_OK;
    *writer = NULL;
    if (format == CLTOMO_FORMAT_FITS) {
        const cltomo_sparse *gamma =
            product == CLTOMO_PRODUCT_GAMMA ? cltomo_reconstructor_gradient(reconstructor) : NULL;
        cltomo_keywords_fill(&keywords, reconstructor, product);
        status = describe(&d, reconstructor, product, gamma, error);
        content.rows = gamma != NULL ? 0 : shape.rows; /* it is a table, not an image */
        content.keywords = keywords.keyword;
        content.n_keywords = keywords.n;
        content.tables = d.table;
        content.n_tables = d.n_tables;
    }
    if (status == CLTOMO_OK) {
        status = cltomo_matrix_writer_open(d.context, writer, path, format, &content, error);
    }
    release(&d);
    return status;
}

cltomo_status cltomo_product_writer_fill(const cltomo_reconstructor *reconstructor,
    cltomo_matrix_writer **writer, cltomo_product product, const char *path,
    cltomo_file_format format, cltomo_error *error)
{
    const cltomo_matrix *matrix = cltomo_reconstructor_matrix(reconstructor, product);
    cltomo_status status = cltomo_product_writer_open(reconstructor, writer, product,
        matrix != NULL ? matrix->precision : CLTOMO_PRECISION_DOUBLE, path, format, error);
    if (status == CLTOMO_OK && matrix != NULL) {
        status = cltomo_matrix_writer_append(*writer, matrix->data.raw, matrix->rows, error);
    } else if (status == CLTOMO_OK && format == CLTOMO_FORMAT_NPY) {
        status = cltomo_matrix_writer_append_sparse(
            *writer, cltomo_reconstructor_gradient(reconstructor), error);
    }
    return status;
}

cltomo_status cltomo_reconstructor_write(const cltomo_reconstructor *reconstructor,
    cltomo_product product, const char *path, cltomo_file_format format, cltomo_error *error)
{
    const char *name = cltomo_product_name((uint32_t)product);
    cltomo_matrix_writer *writer = NULL;
    if (name == NULL) {
        return cltomo_fail_key(error, CLTOMO_ERROR_ARGUMENT, "product", "",
            "exactly one cltomo_product", "no such product");
    }
    if (cltomo_reconstructor_matrix(reconstructor, product) == NULL &&
        (product != CLTOMO_PRODUCT_GAMMA || cltomo_reconstructor_gradient(reconstructor) == NULL)) {
        return cltomo_fail_key(error, CLTOMO_ERROR_ARGUMENT, "product", name,
            "a product that was asked for", "the reconstructor was built without it");
    }
    cltomo_status status =
        cltomo_product_writer_fill(reconstructor, &writer, product, path, format, error);
    if (status == CLTOMO_OK) {
        return cltomo_matrix_writer_close(&writer, error);
    }
    cltomo_matrix_writer_destroy(writer);
    return status;
}
