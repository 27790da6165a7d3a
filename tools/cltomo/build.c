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
    options.per_direction = arguments->per_direction;
    options.max_memory = arguments->max_memory;
    return options;
}

char *build_path(const build_arguments *arguments, cltomo_product product)
{
    return path_join(arguments->directory, cltomo_product_name(product),
        arguments->format == CLTOMO_FORMAT_FITS ? "fits" : "npy");
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

/* Lets R be computed in panels where the memory that is free does not hold it. */
static void fit_into_memory(session *s, cltomo_build_options *options, const cltomo_system *system)
{
    uint64_t free_memory = available_memory();
    uint64_t needed = cltomo_build_files_memory(system, options);
    if (options->max_memory > 0 || free_memory == 0 || needed <= free_memory) {
        return;
    }
    options->max_memory = free_memory / 10 * 9;
    if (cltomo_build_files_memory(system, options) > options->max_memory) {
        options->max_memory = 0;
        build_warn_of_memory(s, needed, "single precision needs half, and FR alone less than R");
    }
}

static cltomo_status build_model(session *s, const build_arguments *arguments,
    const build_result *result, build_objects *objects, cltomo_error *error)
{
    cltomo_build_options options = library_options(arguments, result);
    fit_into_memory(s, &options, objects->system);
    return cltomo_reconstructor_build_files(s->context, &objects->reconstructor, objects->system,
        &options, arguments->directory, (cltomo_file_format)arguments->format, error);
}

static cltomo_status build_files(session *s, const build_arguments *arguments,
    const build_result *result, build_objects *objects, cltomo_error *error)
{
    return arguments->interaction_matrix != NULL
               ? build_interaction(s, arguments, &objects->reconstructor, objects->system, error)
               : build_model(s, arguments, result, objects, error);
}

/* Builds into the directory, which is made if need be and stays only if all goes well. */
static int build(
    session *s, const build_arguments *arguments, build_result *result, build_objects *objects)
{
    const char *directory = arguments->directory;
    size_t n_existing = 0;
    if (!directory_is_usable(directory)) {
        return session_error(s, STATUS_RESOURCES, "cannot write to the directory '%s': %s",
            directory, strerror(errno));
    }
    if (!directory_create(directory, &n_existing)) {
        return session_error(s, STATUS_RESOURCES, "cannot create the directory '%s': %s", directory,
            strerror(errno));
    }
    cltomo_error error = {0};
    double start = seconds_now();
    cltomo_status status = build_files(s, arguments, result, objects, &error);
    double seconds = seconds_now() - start;
    progress_clear(&s->progress);
    if (status != CLTOMO_OK) {
        directory_remove(directory, n_existing);
        return interrupted()
                   ? session_error(s, STATUS_INTERRUPTED, "interrupted; nothing was written")
                   : session_fail(s, &error);
    }
    result->reconstructor = objects->reconstructor;
    result->write_seconds =
        seconds - cltomo_reconstructor_report(objects->reconstructor)->total_seconds;
    return STATUS_DONE;
}

static int list_files(session *s, const build_arguments *arguments, build_result *result)
{
    for (unsigned bit = 0; bit < MAX_PRODUCTS; ++bit) {
        uint32_t product = (uint32_t)arguments->products & (UINT32_C(1) << bit);
        if (product != 0) {
            char *path = build_path(arguments, (cltomo_product)product);
            if (path == NULL) {
                return session_error(s, STATUS_RESOURCES, "no memory for the name of a file");
            }
            result->file[result->n_files++] =
                (written_file){(cltomo_product)product, path, size_of_file(path)};
        }
    }
    return STATUS_DONE;
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
        /* The files are a set: an interrupt comes too late once they get their names. */
        if (status == STATUS_DONE && interrupted()) {
            status =
                session_error(s, STATUS_INTERRUPTED, "interrupted; all files were written before");
        }
        session_work_end(s);
    }
    if (status == STATUS_DONE) {
        status = list_files(s, arguments, result);
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
    result.interaction_matrix = arguments.interaction_matrix;
    result.grid = arguments.grid;
    result.format = (cltomo_file_format)arguments.format;
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
