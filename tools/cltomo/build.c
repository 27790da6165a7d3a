/* cltomo build: from a configuration to matrices in files. */
#include "build.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- building ------------------------------------------------------------------------------ */

/* What has to be released at the end. */
typedef struct build_objects {
    cltomo_system *system;
    cltomo_reconstructor *reconstructor;
    uint32_t *masked_actuators;
} build_objects;

/* Collects the lists of --mask-actuators in ascending order, each actuator once. */
static int read_mask(
    session *s, const build_arguments *arguments, build_result *result, build_objects *objects)
{
    size_t n = result->dimensions.n_actuators;
    if (arguments->mask.n == 0) {
        return STATUS_DONE;
    }
    if (n == 0) {
        return session_error(s, STATUS_USAGE, "--mask-actuators: the system has no actuators");
    }
    int status = indices_read(s, "--mask-actuators", &arguments->mask, n,
        &objects->masked_actuators, &result->n_masked_actuators);
    result->masked_actuators = objects->masked_actuators;
    return status;
}

static cltomo_build_options library_options(
    const build_arguments *arguments, const build_result *result)
{
    cltomo_build_options options = cltomo_build_options_init();
    options.products = (uint32_t)arguments->products;
    options.precision = (cltomo_precision)arguments->precision;
    options.alpha = arguments->alpha;
    options.slope_order = (cltomo_slope_order)arguments->slope_order;
    options.lenslet_order = (cltomo_lenslet_order)arguments->lenslet_order;
    options.scaling = arguments->scaling;
    options.stretch = arguments->stretch;
    options.mirror_rotation = arguments->mirror_rotation;
    options.mirror_flip = arguments->mirror_flip;
    options.masked_actuators = result->masked_actuators;
    options.n_masked_actuators = result->n_masked_actuators;
    options.evaluation = (cltomo_evaluation)arguments->evaluation;
    options.accuracy = arguments->accuracy;
    return options;
}

void build_warn_of_memory(session *s, uint64_t needed, const char *advice)
{
    uint64_t available = available_memory();
    if (available > 0 && needed > available) {
        char needed_text[16];
        char available_text[16];
        format_bytes(needed_text, sizeof needed_text, (double)needed);
        format_bytes(available_text, sizeof available_text, (double)available);
        session_warning(s, "the build needs %s of memory, and only %s are available; %s",
            needed_text, available_text, advice);
    }
}

static cltomo_status build_model(session *s, const build_arguments *arguments,
    const build_result *result, build_objects *objects, cltomo_error *error)
{
    cltomo_build_options options = library_options(arguments, result);
    build_warn_of_memory(s, cltomo_build_memory(objects->system, &options),
        "single precision needs half, and FR alone less than R");
    return cltomo_reconstructor_build(
        s->context, &objects->reconstructor, objects->system, &options, error);
}

static int build(
    session *s, const build_arguments *arguments, build_result *result, build_objects *objects)
{
    if (!directory_is_usable(arguments->directory)) {
        return session_error(s, STATUS_RESOURCES, "cannot write to the directory '%s': %s",
            arguments->directory, strerror(errno));
    }
    cltomo_error error = {0};
    cltomo_status status =
        arguments->interaction_matrix != NULL
            ? build_interaction(s, arguments, &objects->reconstructor, objects->system, &error)
            : build_model(s, arguments, result, objects, &error);
    progress_clear(&s->progress);
    /* Whether or not the library still noticed the interrupt, nothing is to be written. */
    if (interrupted()) {
        return session_error(s, STATUS_INTERRUPTED, "interrupted; nothing was written");
    }
    result->reconstructor = objects->reconstructor;
    result->interaction_matrix = arguments->interaction_matrix;
    result->grid = arguments->grid;
    return status == CLTOMO_OK ? STATUS_DONE : session_fail(s, &error);
}

/* ---- writing ------------------------------------------------------------------------------- */

static int write_product(
    session *s, const build_arguments *arguments, build_result *result, cltomo_product product)
{
    const char *extension = arguments->format == CLTOMO_FORMAT_FITS ? "fits" : "npy";
    char *path = path_join(arguments->directory, cltomo_product_name(product), extension);
    if (path == NULL) {
        return session_error(s, STATUS_RESOURCES, "no memory for the name of a file");
    }
    cltomo_error error = {0};
    cltomo_status status = cltomo_reconstructor_write(
        result->reconstructor, product, path, (cltomo_file_format)arguments->format, &error);
    if (status != CLTOMO_OK) {
        free(path);
        return session_fail(s, &error);
    }
    result->file[result->n_files++] = (written_file){product, path, size_of_file(path)};
    return STATUS_DONE;
}

/* All or none of the files are wanted, so an interrupt comes too late once the first is begun. */
static int write_products(session *s, const build_arguments *arguments, build_result *result)
{
    double start = seconds_now();
    if (!directory_create(arguments->directory)) {
        return session_error(s, STATUS_RESOURCES, "cannot create the directory '%s': %s",
            arguments->directory, strerror(errno));
    }
    int status = STATUS_DONE;
    for (unsigned bit = 0; status == STATUS_DONE && bit < MAX_PRODUCTS; ++bit) {
        uint32_t product = (uint32_t)arguments->products & (UINT32_C(1) << bit);
        if (product != 0) {
            status = write_product(s, arguments, result, (cltomo_product)product);
        }
    }
    result->format = (cltomo_file_format)arguments->format;
    result->write_seconds = seconds_now() - start;
    if (status == STATUS_DONE && interrupted()) {
        return session_error(s, STATUS_INTERRUPTED, "interrupted; all files were written before");
    }
    return status;
}

static int build_and_report(session *s, const build_arguments *arguments, const char *operand,
    build_result *result, build_objects *objects)
{
    int status = source_load(s, &result->from, &objects->system, operand, &arguments->wfs);
    if (status == STATUS_DONE) {
        cltomo_system_dimensions(objects->system, &result->dimensions);
        status = read_mask(s, arguments, result, objects);
    }
    if (status == STATUS_DONE) {
        session_work_begin(s);
        status = build(s, arguments, result, objects);
        if (status == STATUS_DONE) {
            status = write_products(s, arguments, result);
        }
        session_work_end(s);
    }
    if (status == STATUS_DONE && arguments->output.json) {
        build_print_json(s, result);
    } else if (status == STATUS_DONE && !arguments->output.quiet) {
        build_print(s, result);
    }
    return status;
}

int build_run(const command *self, int argc, char **argv)
{
    build_arguments arguments;
    build_result result = {0};
    build_objects objects = {0};
    session s;
    size_t n_operands;
    int status;
    build_set_defaults(&arguments);
    if (!arguments_parse(self, argc, argv, &arguments, &n_operands, &status)) {
        return status;
    }
    if (!build_finish_arguments(&arguments)) {
        return STATUS_USAGE;
    }
    status = session_open(&s, &arguments.output, &arguments.compute);
    if (status == STATUS_DONE) {
        status = build_and_report(&s, &arguments, argv[0], &result, &objects);
    }
    for (size_t i = 0; i < result.n_files; ++i) {
        free(result.file[i].path);
    }
    free(objects.masked_actuators);
    cltomo_reconstructor_destroy(objects.reconstructor);
    cltomo_system_destroy(objects.system);
    return session_close(&s, status);
}
