/* cltomo bench rt: how long the real-time controller takes for a frame. */
#include <stdlib.h>

#include "bench_rt.h"

enum { MAX_SYSTEMS = 32 };

typedef struct rt_arguments {
    double rate; /* 0: all of those below */
    double seconds;
    int product;
    text_list wfs;
    compute_settings compute;
    output_settings output;
} rt_arguments;

static const double default_rates[RT_RATES] = {500.0, 1000.0, 2000.0, 4000.0};

/* ---- options ------------------------------------------------------------------------------- */

static const option_choice product_choices[] = {
    {"wavefront", CLTOMO_PRODUCT_R},
    {"command", CLTOMO_PRODUCT_FR},
    {NULL, 0},
};
static const option_range rates = {1.0, 100000.0, false, false, "a number from 1 to 100000"};
static const option_range durations = {0.0, 3600.0, true, false, "a number above 0, up to 3600"};

#define FIELD(name) offsetof(rt_arguments, name)

static const option rt_options[] = {
    {0, OPTION_REAL, "rate", FIELD(rate), "HZ",
        "frames per second (default: 500, 1000, 2000 and 4000)", NULL, &rates},
    {0, OPTION_REAL, "seconds", FIELD(seconds), "S",
        "how long to run each system at each rate (default: 5)", NULL, &durations},
    {0, OPTION_CHOICE, "product", FIELD(product), "wavefront|command",
        "apply R or FR (default: FR where there is a mirror)", product_choices, NULL},
    OPTION_WFS(FIELD(wfs)),
    OPTION_BACKEND_AND_DEVICE(FIELD(compute.backend), FIELD(compute.device)),
    {0, OPTION_INTEGER, "threads", FIELD(compute.threads), "N",
        "CPU threads, of the controller and the bare product alike\n"
        "(default: all that the process may use, for large matrices)",
        NULL, &thread_counts},
    OPTION_JSON(FIELD(output.json)),
    {'q', OPTION_FLAG, "quiet", FIELD(output.quiet), NULL, "print nothing but errors", NULL, NULL},
    {'v', OPTION_COUNT, "verbose", FIELD(output.verbose), NULL,
        "tell what is being done; twice: in detail", NULL, NULL},
};

/* ---- work ---------------------------------------------------------------------------------- */

/* Builds what is applied. */
static cltomo_status build(
    const session *s, rt_case *c, cltomo_reconstructor **built, int product, cltomo_error *error)
{
    cltomo_build_options options = cltomo_build_options_init();
    cltomo_dimensions dimensions;
    cltomo_system_dimensions(c->system, &dimensions);
    c->product = dimensions.n_actuators > 0 ? CLTOMO_PRODUCT_FR : CLTOMO_PRODUCT_R;
    c->product = product != 0 ? (cltomo_product)product : c->product;
    options.products = (uint32_t)c->product;
    options.precision = CLTOMO_PRECISION_SINGLE;
    return cltomo_reconstructor_build(s->context, built, c->system, &options, error);
}

static int measure(session *s, const rt_report *report, rt_case *c, const rt_arguments *arguments)
{
    cltomo_error error = {0};
    cltomo_reconstructor *built = NULL;
    session_work_begin(s);
    cltomo_status status = build(s, c, &built, arguments->product, &error);
    for (size_t i = 0; i < report->n_rates && status == CLTOMO_OK && !interrupted(); ++i) {
        c->at[i].rate = arguments->rate > 0.0 ? arguments->rate : default_rates[i];
        c->at[i].seconds = arguments->seconds;
        status = bench_realtime_run(
            &c->at[i], s->context, cltomo_reconstructor_matrix(built, c->product), &error);
    }
    session_work_end(s);
    cltomo_reconstructor_destroy(built);
    if (interrupted()) {
        return session_error(s, STATUS_INTERRUPTED, "interrupted");
    }
    return status == CLTOMO_OK ? STATUS_DONE : session_fail(s, &error);
}

/* All of them, before anything is measured. */
static int load_systems(session *s, rt_report *report, const rt_arguments *arguments,
    char **operands, size_t n_operands)
{
    size_t n = n_operands > 0 ? n_operands : cltomo_example_count();
    int status = STATUS_DONE;
    for (size_t i = 0; i < n && i < MAX_SYSTEMS && status == STATUS_DONE; ++i) {
        rt_case *c = &report->cases[report->n_cases++];
        source from;
        status = source_load(s, &from, &c->system,
            n_operands > 0 ? operands[i] : cltomo_example_name(i), &arguments->wfs);
        c->name = from.name;
    }
    return status;
}

static int measure_and_report(
    session *s, const rt_arguments *arguments, char **operands, size_t n_operands)
{
    rt_report report = {.backend = cltomo_context_backend(s->context),
        .n_rates = arguments->rate > 0.0 ? 1 : RT_RATES,
        .cases = calloc(MAX_SYSTEMS, sizeof *report.cases)};
    if (report.cases == NULL) {
        return session_error(s, STATUS_RESOURCES, "no memory for the results");
    }
    if (arguments->compute.threads > 0) {
        bench_bare_set_threads(arguments->compute.threads);
    }
    bench_machine_read(&report.machine);
    int status = load_systems(s, &report, arguments, operands, n_operands);
    for (size_t i = 0; i < report.n_cases && status == STATUS_DONE; ++i) {
        status = measure(s, &report, &report.cases[i], arguments);
    }
    if (status == STATUS_DONE && arguments->output.json) {
        rt_print_json(s, &report);
    } else if (status == STATUS_DONE && !arguments->output.quiet) {
        rt_print(&report);
    }
    for (size_t i = 0; i < report.n_cases; ++i) {
        cltomo_system_destroy(report.cases[i].system);
    }
    free(report.cases);
    return status;
}

static int run(const command *self, int argc, char **argv)
{
    rt_arguments arguments = {.seconds = 5.0, .compute.backend = CLTOMO_BACKEND_AUTO};
    session s;
    size_t n_operands;
    int status;
    if (!arguments_parse(self, argc, argv, &arguments, &n_operands, &status)) {
        return status;
    }
    if (!compute_finish(self, &arguments.compute)) {
        return STATUS_USAGE;
    }
    status = session_open(&s, &arguments.output, &arguments.compute);
    if (status == STATUS_DONE) {
        status = measure_and_report(&s, &arguments, argv, n_operands);
    }
    return session_close(&s, status);
}

const command command_bench_rt = {
    .name = "bench rt",
    .operands = "[CONFIG|EXAMPLE...]",
    .min_operands = 0,
    .max_operands = MAX_SYSTEMS,
    .summary = "measure how long the real-time loop takes for a frame",
    .description =
        "Runs the real-time controller at fixed rates, by default for all examples, while\n"
        "another thread hands it a new matrix a hundred times a second, and shows how long\n"
        "a frame takes: the median, the time that 99, 99.9 and 99.99 percent of the frames\n"
        "keep to, and the longest. A frame is missed when it ends after the next one was\n"
        "due.\n"
        "\n"
        "Three take turns, 0.15 seconds each, at the same rate: the controller, a bare\n"
        "cblas_sgemv of the same size on as many threads (\"sgemv\"), and one on a single\n"
        "thread (\"sgemv 1\"). So each works after the same pause; the first third of a turn,\n"
        "in which the helpers of the others fall asleep, is not counted. \"ratio\" is that of\n"
        "the first two medians, and hardly depends on how busy or how fast the machine is.\n"
        "\n"
        "For latencies that mean something, keep other work off the machine.",
    .epilogue = COMPUTE_ENVIRONMENT,
    .options = rt_options,
    .n_options = sizeof rt_options / sizeof *rt_options,
    .solves = true,
    .run = run,
};
