/* Builds straight into files: rows go into theirs as they are computed, and all files get their
 * names together at the end. */
#include <stdio.h>
#include <string.h>

#include "io/io.h"
#include "reconstructor/reconstructor_internal.h"

typedef struct product_files {
    const cltomo_context *context;
    const char *directory;
    cltomo_file_format format;
    cltomo_matrix_writer *writer[CLTOMO_PRODUCT_COUNT]; /* by the product's bit */
} product_files;

/* DIRECTORY/NAME.fits or .npy, to be released; NULL without memory. */
static char *path_of(const product_files *files, cltomo_product product)
{
    const char *name = cltomo_product_name((uint32_t)product);
    const char *extension = files->format == CLTOMO_FORMAT_FITS ? "fits" : "npy";
    const char *directory = files->directory[0] != '\0' ? files->directory : ".";
    size_t length = strlen(directory);
    size_t size = length + strlen(name) + strlen(extension) + 3;
    char *path = cltomo_allocate(files->context, size, 1);
    if (path != NULL) {
        (void)snprintf(path, size, "%s%s%s.%s", directory, directory[length - 1] == '/' ? "" : "/",
            name, extension);
    }
    return path;
}

/* Begins the file of a product; rows NULL: and fills it with what the reconstructor holds. */
static cltomo_status open_file(product_files *files, const cltomo_reconstructor *reconstructor,
    cltomo_product product, const cltomo_matrix *rows, cltomo_error *error)
{
    cltomo_matrix_writer **writer = &files->writer[cltomo_product_bit((uint32_t)product)];
    cltomo_status status = CLTOMO_OK;
    char *path = path_of(files, product);
    if (path == NULL) {
        return cltomo_fail_memory(error, "a file name");
    }
    if (rows != NULL) {
        status = cltomo_product_writer_open(
            reconstructor, writer, product, rows->precision, path, files->format, error);
    } else {
        status =
            cltomo_product_writer_fill(reconstructor, writer, product, path, files->format, error);
    }
    cltomo_release(files->context, path);
    return status;
}

/* Takes rows while the build goes on, in order; the first of a product open its file. */
static cltomo_status take_rows(void *user, const cltomo_reconstructor *building,
    cltomo_product product, size_t first_row, const cltomo_matrix *rows, cltomo_error *error)
{
    product_files *files = user;
    cltomo_status status = CLTOMO_OK;
    if (first_row == 0) {
        status = open_file(files, building, product, rows, error);
    }
    if (status != CLTOMO_OK) {
        return status;
    }
    return cltomo_matrix_writer_append(
        files->writer[cltomo_product_bit((uint32_t)product)], rows->data.raw, rows->rows, error);
}

/* The products that did not come in rows. */
static cltomo_status write_kept(
    product_files *files, const cltomo_reconstructor *reconstructor, cltomo_error *error)
{
    cltomo_status status = CLTOMO_OK;
    for (unsigned bit = 0; bit < CLTOMO_PRODUCT_COUNT && status == CLTOMO_OK; ++bit) {
        uint32_t product = reconstructor->options.products & (UINT32_C(1) << bit);
        if (product != 0 && files->writer[bit] == NULL) {
            status = open_file(files, reconstructor, (cltomo_product)product, NULL, error);
        }
    }
    return status;
}

/* No file gets its name before all are complete, and then there is no turning back. */
static cltomo_status name_all(product_files *files, cltomo_error *error)
{
    cltomo_status status = cltomo_progress(files->context, "writing files", 0.0, error);
    for (unsigned bit = 0; bit < CLTOMO_PRODUCT_COUNT && status == CLTOMO_OK; ++bit) {
        if (files->writer[bit] != NULL) {
            status = cltomo_matrix_writer_finish(files->writer[bit], error);
        }
    }
    for (unsigned bit = 0; bit < CLTOMO_PRODUCT_COUNT && status == CLTOMO_OK; ++bit) {
        if (files->writer[bit] != NULL) {
            status = cltomo_matrix_writer_close(&files->writer[bit], error);
        }
    }
    return status;
}

/* The caller's options with our sink. */
static cltomo_status read_options(cltomo_build_options *own, product_files *files,
    const cltomo_system *system, const cltomo_build_options *options, cltomo_error *error)
{
    cltomo_dimensions dimensions;
    cltomo_system_dimensions(system, &dimensions);
    cltomo_status status = cltomo_build_options_read(own, options, &dimensions, error);
    if (status != CLTOMO_OK) {
        return status;
    }
    if (own->row_sink != NULL) {
        return cltomo_fail_key(
            error, CLTOMO_ERROR_ARGUMENT, "row_sink", "", "NULL", "the rows go to the files");
    }
    if (files->format != CLTOMO_FORMAT_FITS && files->format != CLTOMO_FORMAT_NPY) {
        return cltomo_fail_format(error);
    }
    own->row_sink = take_rows;
    own->row_sink_user = files;
    return CLTOMO_OK;
}

cltomo_status cltomo_reconstructor_build_files(const cltomo_context *context,
    cltomo_reconstructor **reconstructor, const cltomo_system *system,
    const cltomo_build_options *options, const char *directory, cltomo_file_format format,
    cltomo_error *error)
{
    product_files files = {.context = context, .directory = directory, .format = format};
    cltomo_build_options own;
    *reconstructor = NULL;
    cltomo_status status = read_options(&own, &files, system, options, error);
    if (status != CLTOMO_OK) {
        return status;
    }
    status = cltomo_reconstructor_build(context, reconstructor, system, &own, error);
    if (status == CLTOMO_OK) {
        status = write_kept(&files, *reconstructor, error);
    }
    if (status == CLTOMO_OK) {
        status = name_all(&files, error);
    }
    for (unsigned bit = 0; bit < CLTOMO_PRODUCT_COUNT; ++bit) {
        cltomo_matrix_writer_destroy(files.writer[bit]);
    }
    if (status != CLTOMO_OK) {
        cltomo_reconstructor_destroy(*reconstructor);
        *reconstructor = NULL;
    }
    return status;
}

uint64_t cltomo_build_files_memory(const cltomo_system *system, const cltomo_build_options *options)
{
    cltomo_dimensions dimensions;
    cltomo_build_options own;
    cltomo_system_dimensions(system, &dimensions);
    if (cltomo_build_options_read(&own, options, &dimensions, NULL) != CLTOMO_OK) {
        return 0;
    }
    own.row_sink = take_rows;
    return cltomo_build_memory(system, &own);
}
