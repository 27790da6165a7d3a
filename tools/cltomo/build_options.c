/* The options of `cltomo build`, and its help. */
#include <float.h>
#include <string.h>

#include "build.h"

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
const option_choice evaluation_choices[] = {
    {"auto", CLTOMO_EVALUATION_AUTO},
    {"direct", CLTOMO_EVALUATION_DIRECT},
    {NULL, 0},
};

const option_choice grid_choices[] = {
    {"dm", CLTOMO_ACTUATORS_PITCH},
    {"pytomoao", CLTOMO_ACTUATORS_PYTOMOAO},
    {NULL, 0},
};

static const option_range positive = {0.0, DBL_MAX, true, false, "a number above 0"};
static const option_range nonzero = {-DBL_MAX, DBL_MAX, false, true, "a number other than 0"};
static const option_range accuracies = {1e-14, 1e-2, false, false, "a number from 1e-14 to 1e-2"};
static const option_range quarter_turns = {0.0, 3.0, false, false, "0, 1, 2 or 3"};

#define FIELD(name) offsetof(build_arguments, name)

static const option build_options[] = {
    {'o', OPTION_TEXT, "output", FIELD(directory), "DIR",
        "directory for the files, created if missing (default: .)", NULL, NULL},
    {0, OPTION_CHOICE, "format", FIELD(format), "fits|npy", "file format (default: fits)",
        format_choices, NULL},
    {0, OPTION_CHOICE, "product", FIELD(products), "all|wavefront|command",
        "R and FR, R alone, or FR alone, which is faster (default: all)", product_choices, NULL},
    {0, OPTION_LIST, "dump", FIELD(dump), "NAME,...", "write these too; the names are listed below",
        NULL, NULL},
    {0, OPTION_CHOICE, "precision", FIELD(precision), "double|single",
        "of computation and files (default: double)", precision_choices, NULL},
    {0, OPTION_FLAG, "per-direction", FIELD(per_direction), NULL,
        "R and FR for each optimisation direction, as cubes, in place of\n"
        "those for their mean",
        NULL, NULL},
    {0, OPTION_REAL, "alpha", FIELD(alpha), "A",
        "noise variance over mean slope variance, or with an interaction\n"
        "matrix the noise variance of a slope (default: 10)",
        NULL, &positive},
    {0, OPTION_CHOICE, "slope-order", FIELD(slope_order), "xy|yx|interleaved",
        "order of the axes within each sensor's slopes: all x then all y,\n"
        "all y then all x, or x0 y0 x1 y1 ... (default: xy)",
        slope_order_choices, NULL},
    {0, OPTION_CHOICE, "lenslet-order", FIELD(lenslet_order), "row|column",
        "order of the lenslets: row by row or column by column\n(default: row)",
        lenslet_order_choices, NULL},
    {0, OPTION_REAL, "scaling", FIELD(scaling), "S",
        "command units per metre of wavefront: FR = -S F R\n(default: 1.65e7)", NULL, &nonzero},
    {0, OPTION_REAL, "stretch", FIELD(stretch), "S",
        "of the actuator positions about the centre (default: 1.03)", NULL, &positive},
    {0, OPTION_INTEGER, "mirror-rotation", FIELD(mirror_rotation), "0..3",
        "quarter turns of the influence functions, counter-clockwise\n"
        "seen with row 0 at the top (default: 0)",
        NULL, &quarter_turns},
    {0, OPTION_FLAG, "mirror-flip", FIELD(mirror_flip), NULL,
        "then flip the influence functions top to bottom", NULL, NULL},
    {0, OPTION_LIST, "mask-actuators", FIELD(mask), "LIST",
        "set these rows of FR to zero; numbers from 0 and ranges: 3,10-14", NULL, NULL},
    {0, OPTION_REAL, "accuracy", FIELD(accuracy), "A",
        "largest error of the covariances, relative to the variance of the\n"
        "phase, 1e-14 to 1e-2 (default: 1e-12 in double and 1e-8 in single\n"
        "precision, and less where slopes are tiny beside the phase)",
        NULL, &accuracies},
    {0, OPTION_CHOICE, "evaluation", FIELD(evaluation), "auto|direct",
        "of covariances: for each pair of sensors the fastest exact way, or\n"
        "point by point, slowly, to check the others against\n(default: auto)",
        evaluation_choices, NULL},
    {0, OPTION_TEXT, "interaction-matrix", FIELD(interaction_matrix), "FILE",
        "build R_IM from this matrix instead: FITS or NPY, a column for each\n"
        "actuator, a row for each slope of all sensors, ordered as --slope-order\n"
        "and --lenslet-order say, or of one sensor, for all alike; with --wfs a\n"
        "row for each slope of those sensors or of all in CONFIG (the number of\n"
        "rows tells which)",
        NULL, NULL},
    {0, OPTION_CHOICE, "grid", FIELD(grid), "dm|pytomoao",
        "spacing of the actuators for R_IM: dmPitch, or as in pyTomoAO over\n"
        "the padded diameter (default: dm)",
        grid_choices, NULL},
    OPTION_WFS(FIELD(wfs)),
    OPTION_BACKEND_AND_DEVICE(FIELD(compute.backend), FIELD(compute.device)),
    {0, OPTION_INTEGER, "threads", FIELD(compute.threads), "N",
        "CPU threads (default: all that the process may use)", NULL, &thread_counts},
    {0, OPTION_SIZE, "max-memory", FIELD(max_memory), "SIZE",
        "compute R in panels of rows, written at once, so that no more is\n"
        "taken, as 1.5GB or 800MiB (default: panels if the memory that is\n"
        "free does not hold R)",
        NULL, NULL},
    OPTION_JSON(FIELD(output.json)),
    {'q', OPTION_FLAG, "quiet", FIELD(output.quiet), NULL, "print nothing but errors", NULL, NULL},
    {'v', OPTION_COUNT, "verbose", FIELD(output.verbose), NULL,
        "tell what is being done; twice: in detail", NULL, NULL},
};

void build_set_defaults(build_arguments *arguments)
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
    arguments->evaluation = (int)defaults.evaluation;
    arguments->accuracy = defaults.accuracy;
    arguments->compute.backend = CLTOMO_BACKEND_AUTO;
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
        if (product == 0 || product == CLTOMO_PRODUCT_R_IM) {
            suggestion like = suggestion_begin(name);
#define OFFER_PRODUCT(identifier, bit, text, meaning) suggestion_offer(&like, text);
            CLTOMO_MODEL_PRODUCT_LIST(OFFER_PRODUCT)
#undef OFFER_PRODUCT
#define PRODUCT_NAME(identifier, bit, text, meaning) " " text
            (void)usage_error(&command_build,
                "--dump: there is no product '%s'%s%s%s; there are" CLTOMO_MODEL_PRODUCT_LIST(
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

/* The first option that has a say in R and FR but none in R_IM, or NULL. */
static const char *model_option(const build_arguments *arguments)
{
    build_arguments defaults;
    build_set_defaults(&defaults);
    const struct {
        const char *name;
        bool is_given;
    } given[] = {
        {"--product", arguments->products != defaults.products},
        {"--dump", arguments->dump.n > 0},
        {"--scaling", arguments->scaling != defaults.scaling},
        {"--stretch", arguments->stretch != defaults.stretch},
        {"--mirror-rotation", arguments->mirror_rotation != 0},
        {"--mirror-flip", arguments->mirror_flip},
        {"--mask-actuators", arguments->mask.n > 0},
        {"--accuracy", arguments->accuracy != defaults.accuracy},
        {"--evaluation", arguments->evaluation != defaults.evaluation},
        {"--per-direction", arguments->per_direction},
        {"--max-memory", arguments->max_memory != 0},
    };
    for (size_t i = 0; i < sizeof given / sizeof given[0]; ++i) {
        if (given[i].is_given) {
            return given[i].name;
        }
    }
    return NULL;
}

static bool finish_interaction(build_arguments *arguments)
{
    const char *name = model_option(arguments);
    if (name != NULL) {
        (void)usage_error(
            &command_build, "%s concerns R and FR, not what --interaction-matrix builds", name);
        return false;
    }
    arguments->products = CLTOMO_PRODUCT_R_IM;
    return compute_finish(&command_build, &arguments->compute);
}

/* What the table of options cannot check. */
bool build_finish_arguments(build_arguments *arguments)
{
    uint32_t products = (uint32_t)arguments->products;
    if (arguments->interaction_matrix != NULL) {
        return finish_interaction(arguments);
    }
    if (arguments->grid != CLTOMO_ACTUATORS_PITCH) {
        (void)usage_error(&command_build, "--grid concerns R_IM: it needs --interaction-matrix");
        return false;
    }
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
    return compute_finish(&command_build, &arguments->compute);
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
        "With --interaction-matrix it builds R_IM instead, from slopes to the mirror's\n"
        "actuators in the unit of the pokes: positive, so that a correction is its negative.\n"
        "\n"
        "CONFIG is a YAML file, or - for standard input. A name without '.' or '/' that is\n"
        "a built-in example ('cltomo examples' lists them) is the example; write ./NAME for\n"
        "a file of that name.",
    .epilogue = "Products that --dump knows:\n" CLTOMO_MODEL_PRODUCT_LIST(
        DESCRIBE_PRODUCT) "\n" COMPUTE_ENVIRONMENT,
    .options = build_options,
    .n_options = sizeof build_options / sizeof *build_options,
    .solves = true,
    .run = build_run,
};
