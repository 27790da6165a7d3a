/* What `cltomo bench rt` found. */
#include <inttypes.h>
#include <math.h>

#include "bench_rt.h"

/* ---- for people ---------------------------------------------------------------------------- */

static void print_microseconds(double seconds)
{
    if (isfinite(seconds)) {
        (void)printf("%9.1f", 1e6 * seconds);
    } else {
        (void)printf("%9s", "-");
    }
}

static void print_ratio(double ratio)
{
    if (isfinite(ratio)) {
        (void)printf("%8.2f", ratio);
    } else {
        (void)printf("%8s", "-");
    }
}

static void print_rate(const bench_realtime *r)
{
    (void)printf("%9.0f%9zu", r->rate, r->n_frames);
    print_microseconds(r->apply.median);
    print_microseconds(r->apply.percent_99);
    print_microseconds(r->apply.percent_99_9);
    print_microseconds(r->apply.percent_99_99);
    print_microseconds(r->apply.maximum);
    (void)printf("%8zu%7" PRIu64, r->missed, r->swaps);
    print_microseconds(r->at_swap.median);
    print_microseconds(r->bare.median);
    print_ratio(bench_realtime_ratio(r));
    print_microseconds(r->bare_single.median);
    (void)printf("\n");
}

void rt_print(const rt_report *report)
{
    bench_print_machine(&report->machine);
    (void)printf("real-time loop on the backend %s; times in microseconds\n", report->backend);
    for (size_t i = 0; i < report->n_cases; ++i) {
        const rt_case *c = &report->cases[i];
        const bench_realtime *first = &c->at[0];
        (void)printf("\n%s", c->name);
        source_print_sensors(c->system);
        (void)printf(": %s, %zu x %zu, %.1f MB, %" PRIu32 " thread%s\n",
            cltomo_product_name((uint32_t)c->product), first->rows, first->cols,
            4e-6 * (double)first->rows * (double)first->cols, first->n_threads,
            first->n_threads == 1 ? "" : "s");
        (void)printf("%9s%9s%9s%9s%9s%9s%9s%8s%7s%9s%9s%8s%9s\n", "rate/Hz", "frames", "median",
            "99%", "99.9%", "99.99%", "longest", "missed", "swaps", "at swap", "sgemv", "ratio",
            "sgemv 1");
        for (size_t k = 0; k < report->n_rates; ++k) {
            print_rate(&c->at[k]);
        }
    }
}

/* ---- for programs -------------------------------------------------------------------------- */

static void write_latency(json *j, const char *key, bench_latency latency)
{
    json_object_begin(j, key);
    json_real(j, "median_seconds", latency.median);
    json_real(j, "percent_99_seconds", latency.percent_99);
    json_real(j, "percent_99_9_seconds", latency.percent_99_9);
    json_real(j, "percent_99_99_seconds", latency.percent_99_99);
    json_real(j, "maximum_seconds", latency.maximum);
    json_object_end(j);
}

static void write_rate(json *j, const rt_case *c, const bench_realtime *r)
{
    json_object_begin(j, NULL);
    json_measured_system(j, c->name, c->system);
    json_text(j, "product", cltomo_product_name((uint32_t)c->product));
    json_integer(j, "rows", r->rows);
    json_integer(j, "columns", r->cols);
    json_integer(j, "threads", r->n_threads);
    json_real(j, "rate", r->rate);
    json_integer(j, "frames", r->n_frames);
    json_integer(j, "missed", r->missed);
    json_integer(j, "swaps", r->swaps);
    write_latency(j, "apply", r->apply);
    write_latency(j, "apply_at_swap", r->at_swap);
    json_integer(j, "bare_threads", r->bare_threads);
    write_latency(j, "bare", r->bare);
    write_latency(j, "bare_single", r->bare_single);
    json_real(j, "ratio", bench_realtime_ratio(r));
    json_object_end(j);
}

void rt_print_json(const session *s, const rt_report *report)
{
    json j = json_begin(stdout);
    json_begin_report(&j, STATUS_DONE);
    bench_write_machine(&j, &report->machine);
    json_blas(&j);
    json_text(&j, "backend", report->backend);
    json_array_begin(&j, "results");
    for (size_t i = 0; i < report->n_cases; ++i) {
        for (size_t k = 0; k < report->n_rates; ++k) {
            write_rate(&j, &report->cases[i], &report->cases[i].at[k]);
        }
    }
    json_array_end(&j);
    json_warnings(&j, s);
    json_object_end(&j);
}
