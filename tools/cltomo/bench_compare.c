/* cltomo bench compare: the same builds on both backends. */
#include <string.h>

#include "bench_compare.h"

enum { DOUBLE = 1 << CLTOMO_PRECISION_DOUBLE, SINGLE = 1 << CLTOMO_PRECISION_SINGLE };

typedef struct compare_arguments {
    int precisions; /* 1 << cltomo_precision, or-ed together */
    uint32_t repeat;
    const char *device;
    uint32_t threads;
    text_list wfs;
    output_settings output;
} compare_arguments;

/* ---- options ------------------------------------------------------------------------------- */

static const option_choice precision_choices[] = {
    {"double", DOUBLE},
    {"single", SINGLE},
    {"both", DOUBLE | SINGLE},
    {NULL, 0},
};

static const option_range run_counts = {1.0, 1000.0, false, false, "a number from 1 to 1000"};

#define FIELD(name) offsetof(compare_arguments, name)

static const option compare_options[] = {
    {0, OPTION_CHOICE, "precision", FIELD(precisions), "double|single|both",
        "of the builds (default: both, or what the device has)", precision_choices, NULL},
    {0, OPTION_INTEGER, "repeat", FIELD(repeat), "N", "runs after the warm-up (default: 5)", NULL,
        &run_counts},
    {0, OPTION_TEXT, "device", FIELD(device), "PLATFORM:DEVICE|NAME",
        "the OpenCL device: two numbers as 'cltomo devices' lists them, or\n"
        "part of a name (default: the first GPU or accelerator, else a CPU)",
        NULL, NULL},
    {0, OPTION_INTEGER, "threads", FIELD(threads), "N",
        "CPU threads of the C path (default: all that the process may use)", NULL, &thread_counts},
    OPTION_WFS(FIELD(wfs)),
    OPTION_JSON(FIELD(output.json)),
    {'q', OPTION_FLAG, "quiet", FIELD(output.quiet), NULL, "print nothing but errors", NULL, NULL},
    {'v', OPTION_COUNT, "verbose", FIELD(output.verbose), NULL,
        "tell what is being done; twice: in detail", NULL, NULL},
};

/* ---- work ---------------------------------------------------------------------------------- */

/* What has to be released at the end. */
typedef struct compare_objects {
    bench_allocations allocations[BENCH_BACKENDS];
    cltomo_allocator allocator[BENCH_BACKENDS];
    cltomo_context *opencl; /* the C path's is the session's */
    cltomo_system *system;
} compare_objects;

static int create_pairs(session *s, compare_report *report, const compare_objects *objects,
    const compare_arguments *arguments)
{
    for (int precision = 0; precision < 2; ++precision) {
        if ((arguments->precisions & (1 << precision)) == 0) {
            continue;
        }
        if (precision == CLTOMO_PRECISION_DOUBLE && arguments->precisions != DOUBLE &&
            report->device.has_double == 0) {
            session_warning(s, "%s has no double precision", report->device.name);
            continue;
        }
        if (!bench_pair_create(&report->pair[report->n_pairs++], report->name, objects->system,
                (cltomo_precision)precision, arguments->repeat)) {
            return session_error(s, STATUS_RESOURCES, "no memory for the samples");
        }
    }
    return STATUS_DONE;
}

static int prepare(session *s, compare_report *report, compare_objects *objects,
    const compare_arguments *arguments, const char *operand)
{
    source from;
    const compute_settings opencl = {.backend = CLTOMO_BACKEND_OPENCL,
        .device = arguments->device,
        .threads = arguments->threads,
        .allocator = &objects->allocator[BENCH_OPENCL]};
    bench_machine_read(&report->machine);
    int status = source_load(s, &from, &objects->system, operand, &arguments->wfs);
    if (status == STATUS_DONE) {
        status = session_create_context(s, &objects->opencl, &opencl);
    }
    if (status != STATUS_DONE) {
        return status;
    }
    report->name = from.name;
    report->repeat = arguments->repeat;
    report->n_threads = cltomo_context_threads(s->context);
    cltomo_system_dimensions(objects->system, &report->dimensions);
    (void)cltomo_context_device(objects->opencl, &report->device);
    return create_pairs(s, report, objects, arguments);
}

static int measure(session *s, compare_report *report, compare_objects *objects)
{
    const bench_settings settings[BENCH_BACKENDS] = {
        {s->context, &objects->allocations[BENCH_CPU]},
        {objects->opencl, &objects->allocations[BENCH_OPENCL]},
    };
    cltomo_error error = {0};
    session_work_begin(s);
    cltomo_status status =
        bench_pairs_measure(report->pair, report->n_pairs, report->repeat, settings, &error);
    session_work_end(s);
    if (interrupted()) {
        return session_error(s, STATUS_INTERRUPTED, "interrupted");
    }
    return status == CLTOMO_OK ? STATUS_DONE : session_fail(s, &error);
}

static int compare(
    session *s, compare_objects *objects, const compare_arguments *arguments, const char *operand)
{
    compare_report report = {.n_pairs = 0};
    int status = prepare(s, &report, objects, arguments, operand);
    if (status == STATUS_DONE) {
        status = measure(s, &report, objects);
    }
    if (status == STATUS_DONE && arguments->output.json) {
        compare_print_json(s, &report);
    } else if (status == STATUS_DONE && !arguments->output.quiet) {
        compare_print(&report);
    }
    for (size_t i = 0; i < report.n_pairs; ++i) {
        bench_pair_destroy(&report.pair[i]);
    }
    return status;
}

static int run(const command *self, int argc, char **argv)
{
    compare_arguments arguments = {.precisions = DOUBLE | SINGLE, .repeat = 5};
    compare_objects objects = {.system = NULL};
    session s;
    size_t n_operands;
    int status;
    if (!arguments_parse(self, argc, argv, &arguments, &n_operands, &status)) {
        return status;
    }
    for (size_t i = 0; i < BENCH_BACKENDS; ++i) {
        objects.allocator[i] = bench_counting_allocator(&objects.allocations[i]);
    }
    const compute_settings cpu = {.backend = CLTOMO_BACKEND_CPU,
        .threads = arguments.threads,
        .allocator = &objects.allocator[BENCH_CPU]};
    status = session_open(&s, &arguments.output, &cpu);
    if (status == STATUS_DONE) {
        status = compare(&s, &objects, &arguments, argv[0]);
    }
    cltomo_system_destroy(objects.system);
    cltomo_context_destroy(objects.opencl);
    return session_close(&s, status);
}

const command command_bench_compare = {
    .name = "bench compare",
    .operands = "CONFIG|EXAMPLE",
    .min_operands = 1,
    .max_operands = 1,
    .summary = "build on the C path and on OpenCL, and compare",
    .description =
        "Builds R, and FR where there is a mirror, on the C path and on an OpenCL device, in\n"
        "double and in single precision, and shows how long each stage takes on either, how\n"
        "much faster the device is, and how far the results are apart. After a first build\n"
        "of each, which has a line of its own, the backends take turns. Times are medians\n"
        "over the runs, with the minimum in brackets. A speed-up above 1 means that OpenCL\n"
        "is faster.",
    .epilogue = "Environment:\n"
                "  CLTOMO_DEVICE            as --device\n",
    .options = compare_options,
    .n_options = sizeof compare_options / sizeof *compare_options,
    .solves = true,
    .run = run,
};
