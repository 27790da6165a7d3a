/* The options of `cltomo bench`, and its help. */
#include <float.h>
#include <string.h>

#include "bench_command.h"

enum { DOUBLE = 1 << CLTOMO_PRECISION_DOUBLE, SINGLE = 1 << CLTOMO_PRECISION_SINGLE };

static const option_choice bench_precision_choices[] = {
    {"double", DOUBLE},
    {"single", SINGLE},
    {"both", DOUBLE | SINGLE},
    {NULL, 0},
};
static const option_choice bench_product_choices[] = {
    {"wavefront", CLTOMO_PRODUCT_R},
    {"command", CLTOMO_PRODUCT_FR},
    {"both", CLTOMO_PRODUCT_R | CLTOMO_PRODUCT_FR},
    {NULL, 0},
};

static const option_range run_counts = {1.0, 1000.0, false, false, "a number from 1 to 1000"};
static const option_range positive = {0.0, DBL_MAX, true, false, "a number above 0"};

#define FIELD(name) offsetof(bench_arguments, name)

static const option bench_options[] = {
    {0, OPTION_CHOICE, "precision", FIELD(precisions), "double|single|both",
        "of the builds (default: both)", bench_precision_choices, NULL},
    {0, OPTION_CHOICE, "product", FIELD(products), "wavefront|command|both",
        "build R alone, FR alone, or first the one and then the other\n(default: both)",
        bench_product_choices, NULL},
    {0, OPTION_INTEGER, "repeat", FIELD(repeat), "N", "runs after the warm-up (default: 5)", NULL,
        &run_counts},
    {0, OPTION_TEXT, "check-baseline", FIELD(baseline), "FILE",
        "compare the ratios of build to bare with those in FILE, which\n"
        "'cltomo bench --json' wrote; exit status 6 if any is worse",
        NULL, NULL},
    {0, OPTION_REAL, "ratio", FIELD(ratio), "X",
        "worse means above X times that of the baseline (default: 1.25)", NULL, &positive},
    {0, OPTION_FLAG, "scaling", FIELD(scaling), NULL,
        "measure a family of systems instead, from 10 to 60 lenslets\n"
        "across, and how time and memory grow with the size",
        NULL, NULL},
    {0, OPTION_REAL, "budget", FIELD(budget), "SECONDS",
        "with --scaling: leave out sizes that would not be done by then\n(default: 60)", NULL,
        &positive},
    OPTION_WFS(FIELD(wfs)),
    OPTION_BACKEND_AND_DEVICE(FIELD(compute.backend), FIELD(compute.device)),
    {0, OPTION_INTEGER, "threads", FIELD(compute.threads), "N",
        "CPU threads, of builds and bare calls alike (default: all that\n"
        "the process may use)",
        NULL, &thread_counts},
    OPTION_JSON(FIELD(output.json)),
    {'q', OPTION_FLAG, "quiet", FIELD(output.quiet), NULL, "print nothing but errors", NULL, NULL},
    {'v', OPTION_COUNT, "verbose", FIELD(output.verbose), NULL,
        "tell what is being done; twice: in detail", NULL, NULL},
};

void bench_set_defaults(bench_arguments *arguments)
{
    memset(arguments, 0, sizeof *arguments);
    arguments->precisions = DOUBLE | SINGLE;
    arguments->products = CLTOMO_PRODUCT_R | CLTOMO_PRODUCT_FR;
    arguments->repeat = 5;
    arguments->compute.backend = CLTOMO_BACKEND_AUTO;
}

bool bench_finish_arguments(bench_arguments *arguments, size_t n_operands)
{
    const char *wrong = NULL;
    if (arguments->scaling && n_operands > 0) {
        wrong = "--scaling measures systems of its own, so no CONFIG or EXAMPLE goes with it";
    } else if (arguments->scaling && arguments->wfs.n > 0) {
        wrong = "--scaling measures systems of its own, so --wfs has no say";
    } else if (arguments->scaling && arguments->baseline != NULL) {
        wrong = "--scaling has no ratios that --check-baseline could compare";
    } else if (arguments->ratio > 0.0 && arguments->baseline == NULL) {
        wrong = "--ratio needs --check-baseline";
    } else if (arguments->budget > 0.0 && !arguments->scaling) {
        wrong = "--budget needs --scaling";
    }
    if (wrong != NULL) {
        (void)usage_error(&command_bench, "%s", wrong);
        return false;
    }
    arguments->ratio = arguments->ratio > 0.0 ? arguments->ratio : 1.25;
    arguments->budget = arguments->budget > 0.0 ? arguments->budget : 60.0;
    return compute_finish(&command_bench, &arguments->compute);
}

const command command_bench = {
    .name = "bench",
    .operands = "[CONFIG|EXAMPLE...]",
    .min_operands = 0,
    .max_operands = 32,
    .summary = "measure how fast builds are on this machine",
    .description =
        "Measures builds, by default of all examples, next to what they cannot do without:\n"
        "the bare calls of LAPACK for a Cholesky factorisation and as many solves of the\n"
        "same size. After a warm-up, each round runs for each build first the bare calls and\n"
        "then the build. Times are medians over the rounds, with the minimum in brackets; the\n"
        "ratio of build to bare hardly depends on how busy or how fast the machine is.\n"
        "\n"
        "Memory is that of the first build, before anything bare is allocated: the peak of\n"
        "the process, and what the library itself had allocated at most.",
    .epilogue = "To watch the speed of a machine or of a change:\n"
                "  cltomo bench --json > before.json\n"
                "  cltomo bench --check-baseline before.json\n"
                "\n" COMPUTE_ENVIRONMENT,
    .options = bench_options,
    .n_options = sizeof bench_options / sizeof *bench_options,
    .solves = true,
    .run = bench_run_command,
};
