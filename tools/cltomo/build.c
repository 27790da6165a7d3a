/* cltomo build: from a configuration to matrices in files. */
#include "build.h"

#include <errno.h>
#include <float.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* ---- options ------------------------------------------------------------------------------- */

typedef struct build_arguments {
    const char *directory;
    int format;
    int products;
    text_list dump;
    int precision;
    double alpha;
    int slope_order;
    int lenslet_order;
    double scaling;
    double stretch;
    uint32_t mirror_rotation;
    bool mirror_flip;
    text_list mask;
    int backend;
    uint32_t threads;
    output_settings output;
} build_arguments;

static const option_choice product_choices[] = {
    {"all", CLTOMO_PRODUCT_R | CLTOMO_PRODUCT_FR},
    {"wavefront", CLTOMO_PRODUCT_R},
    {"command", CLTOMO_PRODUCT_FR},
    {NULL, 0},
};
const option_choice precision_choices[] = {
    {"double", CLTOMO_PRECISION_DOUBLE},
    {"single", CLTOMO_PRECISION_SINGLE},
    {NULL, 0},
};
const option_choice slope_order_choices[] = {
    {"xy", CLTOMO_SLOPES_XY},
    {"yx", CLTOMO_SLOPES_YX},
    {"interleaved", CLTOMO_SLOPES_INTERLEAVED},
    {NULL, 0},
};
const option_choice lenslet_order_choices[] = {
    {"row", CLTOMO_LENSLETS_ROW},
    {"column", CLTOMO_LENSLETS_COLUMN},
    {NULL, 0},
};
const option_choice format_choices[] = {
    {"fits", CLTOMO_FORMAT_FITS},
    {"npy", CLTOMO_FORMAT_NPY},
    {NULL, 0},
};
const option_choice backend_choices[] = {
    {"auto", CLTOMO_BACKEND_AUTO},
    {"cpu", CLTOMO_BACKEND_CPU},
    {"opencl", CLTOMO_BACKEND_OPENCL},
    {NULL, 0},
};

static const option_range positive = {0.0, DBL_MAX, true, false, "a number above 0"};
static const option_range nonzero = {-DBL_MAX, DBL_MAX, false, true, "a number other than 0"};
static const option_range quarter_turns = {0.0, 3.0, false, false, "0, 1, 2 or 3"};
static const option_range thread_counts = {1.0, 1024.0, false, false, "a number from 1 to 1024"};

#define FIELD(name) offsetof(build_arguments, name)

static const option build_options[] = {
    {'o', "output", OPTION_TEXT, FIELD(directory), "DIR",
        "directory for the files, created if missing (default: .)", NULL, NULL},
    {0, "format", OPTION_CHOICE, FIELD(format), "fits|npy", "file format (default: fits)",
        format_choices, NULL},
    {0, "product", OPTION_CHOICE, FIELD(products), "all|wavefront|command",
        "R and FR, R alone, or FR alone, which is faster (default: all)", product_choices, NULL},
    {0, "dump", OPTION_LIST, FIELD(dump), "NAME,...", "write these too; the names are listed below",
        NULL, NULL},
    {0, "precision", OPTION_CHOICE, FIELD(precision), "double|single",
        "of computation and files (default: double)", precision_choices, NULL},
    {0, "alpha", OPTION_REAL, FIELD(alpha), "A",
        "noise variance over mean slope variance (default: 10)", NULL, &positive},
    {0, "slope-order", OPTION_CHOICE, FIELD(slope_order), "xy|yx|interleaved",
        "order of the axes within each sensor's slopes: all x then all y,\n"
        "all y then all x, or x0 y0 x1 y1 ... (default: xy)",
        slope_order_choices, NULL},
    {0, "lenslet-order", OPTION_CHOICE, FIELD(lenslet_order), "row|column",
        "order of the lenslets: row by row or column by column\n(default: row)",
        lenslet_order_choices, NULL},
    {0, "scaling", OPTION_REAL, FIELD(scaling), "S",
        "command units per metre of wavefront: FR = -S F R\n(default: 1.65e7)", NULL, &nonzero},
    {0, "stretch", OPTION_REAL, FIELD(stretch), "S",
        "of the actuator positions about the centre (default: 1.03)", NULL, &positive},
    {0, "mirror-rotation", OPTION_INTEGER, FIELD(mirror_rotation), "0..3",
        "quarter turns of the influence functions, counter-clockwise\n"
        "seen with row 0 at the top (default: 0)",
        NULL, &quarter_turns},
    {0, "mirror-flip", OPTION_FLAG, FIELD(mirror_flip), NULL,
        "then flip the influence functions top to bottom", NULL, NULL},
    {0, "mask-actuators", OPTION_LIST, FIELD(mask), "LIST",
        "set these rows of FR to zero; numbers from 0 and ranges: 3,10-14", NULL, NULL},
    {0, "backend", OPTION_CHOICE, FIELD(backend), "auto|cpu|opencl",
        "what computes (default: auto, the best one that works here)", backend_choices, NULL},
    {0, "threads", OPTION_INTEGER, FIELD(threads), "N",
        "CPU threads (default: all that the process may use)", NULL, &thread_counts},
    {0, "json", OPTION_FLAG, FIELD(output.json), NULL, "print one JSON object instead of text",
        NULL, NULL},
    {'q', "quiet", OPTION_FLAG, FIELD(output.quiet), NULL, "print nothing but errors", NULL, NULL},
    {'v', "verbose", OPTION_COUNT, FIELD(output.verbose), NULL,
        "tell what is being done; twice: in detail", NULL, NULL},
};

static void set_defaults(build_arguments *arguments)
{
    cltomo_build_options defaults = cltomo_build_options_init();
    memset(arguments, 0, sizeof *arguments);
    arguments->directory = ".";
    arguments->format = CLTOMO_FORMAT_FITS;
    arguments->products = (int)defaults.products;
    arguments->precision = (int)defaults.precision;
    arguments->alpha = defaults.alpha;
    arguments->slope_order = (int)defaults.slope_order;
    arguments->lenslet_order = (int)defaults.lenslet_order;
    arguments->scaling = defaults.scaling;
    arguments->stretch = defaults.stretch;
    arguments->backend = CLTOMO_BACKEND_AUTO;
}

/* Adds the products that one --dump names; prints what is wrong with them otherwise. */
static bool add_dump(uint32_t *products, const char *names)
{
    const char *at = names;
    for (;;) {
        char name[64];
        size_t length = strcspn(at, ",");
        (void)snprintf(
            name, sizeof name, "%.*s", (int)(length < sizeof name ? length : sizeof name - 1), at);
        uint32_t product = cltomo_product_from_name(name);
        if (product == 0) {
            suggestion like = suggestion_begin(name);
#define OFFER_PRODUCT(identifier, bit, text, meaning) suggestion_offer(&like, text);
            CLTOMO_PRODUCT_LIST(OFFER_PRODUCT)
#undef OFFER_PRODUCT
#define PRODUCT_NAME(identifier, bit, text, meaning) " " text
            (void)usage_error(&command_build,
                "--dump: there is no product '%s'%s%s%s; there are" CLTOMO_PRODUCT_LIST(
                    PRODUCT_NAME),
                name, like.nearest != NULL ? "; did you mean '" : "",
                like.nearest != NULL ? like.nearest : "", like.nearest != NULL ? "'?" : "");
#undef PRODUCT_NAME
            return false;
        }
        *products |= product;
        if (at[length] == '\0') {
            return true;
        }
        at += length + 1;
    }
}

/* What the table of options cannot check. */
static bool finish_arguments(build_arguments *arguments)
{
    uint32_t products = (uint32_t)arguments->products;
    for (size_t i = 0; i < arguments->dump.n; ++i) {
        if (!add_dump(&products, arguments->dump.item[i])) {
            return false;
        }
    }
    arguments->products = (int)products;
    if (arguments->mask.n > 0 && (products & CLTOMO_PRODUCT_FR) == 0) {
        (void)usage_error(&command_build, "--mask-actuators concerns FR, which is not asked for");
        return false;
    }
    return true;
}

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
    int status = STATUS_DONE;
    if (arguments->mask.n == 0) {
        return STATUS_DONE;
    }
    if (n == 0) {
        return session_error(s, STATUS_USAGE, "--mask-actuators: the system has no actuators");
    }
    bool *marked = calloc(n, sizeof *marked);
    objects->masked_actuators = calloc(n, sizeof *objects->masked_actuators);
    if (marked == NULL || objects->masked_actuators == NULL) {
        status = session_error(s, STATUS_RESOURCES, "no memory for %zu actuators", n);
    }
    for (size_t i = 0; status == STATUS_DONE && i < arguments->mask.n; ++i) {
        char why[256];
        if (!index_list_parse(marked, (uint32_t)n, arguments->mask.item[i], why, sizeof why)) {
            status = session_error(s, STATUS_USAGE, "--mask-actuators: %s", why);
        }
    }
    for (size_t i = 0; status == STATUS_DONE && i < n; ++i) {
        if (marked[i]) {
            objects->masked_actuators[result->n_masked_actuators++] = (uint32_t)i;
        }
    }
    result->masked_actuators = objects->masked_actuators;
    free(marked);
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
    return options;
}

static void warn_of_memory(
    session *s, const cltomo_system *system, const cltomo_build_options *options)
{
    uint64_t needed = cltomo_build_memory(system, options);
    uint64_t available = available_memory();
    if (available > 0 && needed > available) {
        session_warning(s,
            "the build needs %.1f GB of memory, and only %.1f GB are available; single precision "
            "needs half, and FR alone less than R",
            1e-9 * (double)needed, 1e-9 * (double)available);
    }
}

static int build(
    session *s, const build_arguments *arguments, build_result *result, build_objects *objects)
{
    cltomo_build_options options = library_options(arguments, result);
    if (!directory_is_usable(arguments->directory)) {
        return session_error(s, STATUS_RESOURCES, "cannot write to the directory '%s': %s",
            arguments->directory, strerror(errno));
    }
    warn_of_memory(s, objects->system, &options);
    cltomo_error error = {0};
    session_work_begin(s);
    cltomo_status status = cltomo_reconstructor_build(
        s->context, &objects->reconstructor, objects->system, &options, &error);
    session_work_end(s);
    /* Whether or not the library still noticed the interrupt, nothing is to be written. */
    if (interrupted()) {
        print_error("interrupted; nothing was written");
        return STATUS_INTERRUPTED;
    }
    result->reconstructor = objects->reconstructor;
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
    result->file[result->n_files++] = (written_file){product, path, file_size(path)};
    return STATUS_DONE;
}

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
    return status;
}

static int build_and_report(session *s, const build_arguments *arguments, const char *operand,
    build_result *result, build_objects *objects)
{
    int status = source_load(s, &result->from, &objects->system, operand);
    if (status == STATUS_DONE) {
        cltomo_system_dimensions(objects->system, &result->dimensions);
        status = read_mask(s, arguments, result, objects);
    }
    if (status == STATUS_DONE) {
        status = build(s, arguments, result, objects);
    }
    if (status == STATUS_DONE) {
        status = write_products(s, arguments, result);
    }
    if (status == STATUS_DONE && arguments->output.json) {
        build_print_json(s, result);
    } else if (status == STATUS_DONE && !arguments->output.quiet) {
        build_print(s, result);
    }
    return status;
}

static int run(const command *self, int argc, char **argv)
{
    build_arguments arguments;
    build_result result = {0};
    build_objects objects = {0};
    session s;
    size_t n_operands;
    int status;
    set_defaults(&arguments);
    if (!arguments_parse(self, argc, argv, &arguments, &n_operands, &status)) {
        return status;
    }
    if (!finish_arguments(&arguments)) {
        return STATUS_USAGE;
    }
    status = session_open(
        &s, &arguments.output, (cltomo_backend_kind)arguments.backend, arguments.threads);
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

#define DESCRIBE_PRODUCT(identifier, bit, text, meaning) "  " text ": " meaning "\n"

const command command_build = {
    .name = "build",
    .operands = "CONFIG|EXAMPLE",
    .min_operands = 1,
    .max_operands = 1,
    .summary = "build R and FR and write them to files",
    .description =
        "Builds the minimum-mean-square-error tomographic reconstructor R, from slopes to\n"
        "wavefront in metres, and the command matrix FR, from slopes to mirror commands,\n"
        "and writes them to R.fits and FR.fits. A slope is in pixels of lambda / (2 d),\n"
        "lambda the guide stars' wavelength and d the lenslet pitch.\n"
        "\n"
        "CONFIG is a YAML file, or - for standard input. A name without '.' or '/' that is\n"
        "a built-in example ('cltomo examples' lists them) is the example; write ./NAME for\n"
        "a file of that name.",
    .epilogue = "Products that --dump knows:\n" CLTOMO_PRODUCT_LIST(DESCRIBE_PRODUCT),
    .options = build_options,
    .n_options = sizeof build_options / sizeof *build_options,
    .solves = true,
    .run = run,
};
