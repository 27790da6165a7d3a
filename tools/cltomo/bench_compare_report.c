/* What `cltomo bench compare` found. */
#include <inttypes.h>
#include <math.h>

#include "bench_compare.h"

static const char *const backend_name[BENCH_BACKENDS] = {"cpu", "opencl"};

/* ---- for people ---------------------------------------------------------------------------- */

enum { LABEL_WIDTH = 26, TIME_WIDTH = 18, RATIO_WIDTH = 10 };

static void print_time(bench_summary seconds)
{
    char text[40];
    (void)snprintf(text, sizeof text, "%.1f (%.1f)", 1e3 * seconds.median, 1e3 * seconds.minimum);
    (void)printf("%*s", TIME_WIDTH, text);
}

static void print_ratio(double ratio)
{
    if (isfinite(ratio)) {
        (void)printf("%*.2f\n", RATIO_WIDTH, ratio);
    } else {
        (void)printf("%*s\n", RATIO_WIDTH, "");
    }
}

static void print_stage(const bench_pair *pair, const char *stage)
{
    (void)printf("  %-*s", LABEL_WIDTH, stage);
    for (size_t i = 0; i < BENCH_BACKENDS; ++i) {
        size_t place = bench_case_stage(&pair->on[i], stage);
        if (place < pair->on[i].report.n_stages) {
            print_time(pair->on[i].stage[place]);
        } else {
            (void)printf("%*s", TIME_WIDTH, "");
        }
    }
    print_ratio(bench_pair_stage_speed_up(pair, stage));
}

static void print_pair(const bench_pair *pair)
{
    const bench_case *cpu = &pair->on[BENCH_CPU];
    (void)printf("\n%s precision\n  %-*s%*s%*s%*s\n", bench_precision_name(cpu->precision),
        LABEL_WIDTH, "[ms]", TIME_WIDTH, "C path", TIME_WIDTH, "OpenCL", RATIO_WIDTH, "speed-up");
    for (size_t i = 0; i < cpu->report.n_stages; ++i) {
        print_stage(pair, cpu->report.stage_name[i]);
    }
    (void)printf("  %-*s", LABEL_WIDTH, "build");
    for (size_t i = 0; i < BENCH_BACKENDS; ++i) {
        print_time(pair->on[i].total);
    }
    print_ratio(bench_pair_speed_up(pair));
    (void)printf("  %-*s%*.1f%*.1f\n", LABEL_WIDTH, "first build", TIME_WIDTH,
        1e3 * pair->first_build[BENCH_CPU], TIME_WIDTH, 1e3 * pair->first_build[BENCH_OPENCL]);
    (void)printf("  relative difference of R  %.1e\n", pair->wavefront_difference);
    if (isfinite(pair->command_difference)) {
        (void)printf("  relative difference of FR %.1e\n", pair->command_difference);
    }
}

void compare_print(const compare_report *report)
{
    const cltomo_dimensions *d = &report->dimensions;
    bench_print_machine(&report->machine);
    (void)printf("C path with %" PRIu32 " threads, OpenCL on %" PRIu32 ":%" PRIu32
                 " %s (%s, driver %s)\n",
        report->n_threads, report->device.platform_index, report->device.device_index,
        report->device.name, report->device.platform, report->device.driver);
    (void)printf(
        "medians of %" PRIu32 " runs (minima in brackets) after a warm-up\n\n", report->repeat);
    (void)printf("%s", report->name);
    source_print_sensors(report->pair[0].on[BENCH_CPU].system);
    (void)printf(": %zu slopes, %zu phase points, %zu actuators, %zu direction%s\n", d->n_slopes,
        d->n_phase, d->n_actuators, d->n_directions, d->n_directions == 1 ? "" : "s");
    for (size_t i = 0; i < report->n_pairs; ++i) {
        print_pair(&report->pair[i]);
    }
}

/* ---- for programs -------------------------------------------------------------------------- */

static void write_speed_ups(json *j, const bench_pair *pair)
{
    const cltomo_build_report *stages = &pair->on[BENCH_CPU].report;
    json_object_begin(j, "speed_up");
    for (size_t i = 0; i < stages->n_stages; ++i) {
        json_real(j, stages->stage_name[i], bench_pair_stage_speed_up(pair, stages->stage_name[i]));
    }
    json_real(j, "build", bench_pair_speed_up(pair));
    json_object_end(j);
}

static void write_pair(json *j, const bench_pair *pair)
{
    json_object_begin(j, NULL);
    json_text(j, "precision", bench_precision_name(pair->on[BENCH_CPU].precision));
    for (size_t i = 0; i < BENCH_BACKENDS; ++i) {
        json_object_begin(j, backend_name[i]);
        bench_write_stages(j, &pair->on[i]);
        bench_write_summary(j, "build", pair->on[i].total);
        json_real(j, "first_build_seconds", pair->first_build[i]);
        json_object_end(j);
    }
    write_speed_ups(j, pair);
    json_object_begin(j, "relative_difference");
    json_real(j, "R", pair->wavefront_difference);
    json_real(j, "FR", pair->command_difference);
    json_object_end(j);
    json_object_end(j);
}

void compare_print_json(const session *s, const compare_report *report)
{
    json j = json_begin(stdout);
    json_begin_report(&j, STATUS_DONE);
    bench_write_machine(&j, &report->machine);
    json_blas(&j);
    json_device(&j, "device", &report->device);
    json_integer(&j, "threads", report->n_threads);
    json_measured_system(&j, report->name, report->pair[0].on[BENCH_CPU].system);
    json_dimensions(&j, &report->dimensions);
    json_integer(&j, "runs", report->repeat);
    json_array_begin(&j, "results");
    for (size_t i = 0; i < report->n_pairs; ++i) {
        write_pair(&j, &report->pair[i]);
    }
    json_array_end(&j);
    json_warnings(&j, s);
    json_object_end(&j);
}
