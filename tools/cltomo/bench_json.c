/* What `cltomo bench` found, for programs. */
#include <math.h>

#include "bench_command.h"

void bench_write_summary(json *j, const char *key, bench_summary summary)
{
    json_object_begin(j, key);
    json_real(j, "median_seconds", summary.median);
    json_real(j, "minimum_seconds", summary.minimum);
    json_object_end(j);
}

static void write_case_name(json *j, const bench_case *c)
{
    json_text(j, "name", c->name);
    json_text(j, "precision", bench_precision_name(c->precision));
    json_text(j, "product", cltomo_product_name((uint32_t)c->product));
}

/* ---- one result ---------------------------------------------------------------------------- */

void bench_write_stages(json *j, const bench_case *c)
{
    json_array_begin(j, "stages");
    for (size_t i = 0; i < c->report.n_stages; ++i) {
        json_object_begin(j, NULL);
        json_text(j, "name", c->report.stage_name[i]);
        json_real(j, "median_seconds", c->stage[i].median);
        json_real(j, "minimum_seconds", c->stage[i].minimum);
        json_real(j, "gflops", bench_case_stage_rate(c, i));
        json_object_end(j);
    }
    json_array_end(j);
}

static void write_bare(json *j, const bench_case *c)
{
    json_object_begin(j, "bare");
    json_integer(j, "right_hand_sides", bench_case_rhs(c));
    bench_write_summary(j, "factorisation", c->bare_factorisation);
    bench_write_summary(j, "solve", c->bare_solve);
    bench_write_summary(j, "total", c->bare_total);
    json_real(j, "gflops", bench_case_bare_rate(c));
    json_object_end(j);
    json_real(j, "ratio", bench_case_ratio(c));
}

static void write_memory(json *j, const bench_case *c)
{
    json_object_begin(j, "memory");
    json_integer(j, "process_before_bytes", c->memory.process_before);
    json_integer(j, "process_peak_bytes", c->memory.process_peak);
    json_bool(j, "process_peak_is_of_build", c->memory.is_of_build);
    json_integer(j, "library_peak_bytes", c->memory.library_peak);
    json_integer(j, "predicted_bytes", c->predicted_memory);
    json_real(j, "matrices_bytes", bench_case_matrix_bytes(c));
    json_object_end(j);
}

static void write_result(json *j, const bench_case *c, bool with_bare)
{
    json_object_begin(j, NULL);
    json_measured_system(j, c->name, c->system);
    json_integer(j, "n_lenslets_across", c->n_lenslets);
    json_dimensions(j, &c->dimensions);
    json_text(j, "precision", bench_precision_name(c->precision));
    json_text(j, "product", cltomo_product_name((uint32_t)c->product));
    json_integer(j, "runs", c->n_runs);
    bench_write_stages(j, c);
    bench_write_summary(j, "build", c->total);
    if (with_bare) {
        write_bare(j, c);
    }
    json_real(j, "covariance_over_solve", bench_case_covariance_ratio(c));
    write_memory(j, c);
    json_object_end(j);
}

static void write_results(json *j, const bench_report *report)
{
    json_array_begin(j, "results");
    for (size_t i = 0; i < report->n_cases; ++i) {
        write_result(j, &report->cases[i], true);
    }
    if (report->scaling != NULL) {
        for (size_t size = 0; size < report->scaling->n_sizes; ++size) {
            for (size_t i = 0; i < report->scaling->n_cases; ++i) {
                write_result(j, &report->scaling->cases[size][i], false);
            }
        }
    }
    json_array_end(j);
}

/* ---- what follows from them ---------------------------------------------------------------- */

static void write_comparison(json *j, const bench_comparison *comparison)
{
    json_object_begin(j, NULL);
    write_case_name(j, comparison->of);
    json_real(j, "ratio", comparison->of->total.median / comparison->over->total.median);
    json_object_end(j);
}

static void write_comparisons(json *j, const bench_report *report)
{
    bench_comparison comparison;
    json_array_begin(j, "keck_over_kapa");
    for (size_t i = 0; bench_compare_keck(report, i, &comparison); ++i) {
        write_comparison(j, &comparison);
    }
    json_array_end(j);
    json_array_begin(j, "command_over_wavefront");
    for (size_t i = 0; bench_compare_command(report, i, &comparison); ++i) {
        write_comparison(j, &comparison);
    }
    json_array_end(j);
}

static void write_baseline(json *j, const bench_report *report)
{
    json_object_begin(j, "baseline");
    json_text(j, "file", report->arguments->baseline);
    json_real(j, "limit", report->arguments->ratio);
    json_array_begin(j, "compared");
    for (size_t i = 0; i < report->n_cases; ++i) {
        const bench_case *c = &report->cases[i];
        const bench_baseline_entry *entry = bench_report_baseline(report, c);
        if (entry != NULL) {
            json_object_begin(j, NULL);
            write_case_name(j, c);
            json_real(j, "ratio", bench_case_ratio(c));
            json_real(j, "baseline_ratio", entry->ratio);
            json_bool(j, "worse", bench_is_worse(report, c, entry));
            json_object_end(j);
        }
    }
    json_array_end(j);
    json_object_end(j);
}

/* ---- scaling ------------------------------------------------------------------------------- */

static void write_growth(json *j, const bench_scaling *scaling, size_t case_index)
{
    const bench_case *c = &scaling->cases[0][case_index];
    json_object_begin(j, NULL);
    json_text(j, "precision", bench_precision_name(c->precision));
    json_text(j, "product", cltomo_product_name((uint32_t)c->product));
    json_array_begin(j, "stages");
    for (size_t i = 0; i < c->report.n_stages; ++i) {
        double expected = bench_stage_exponent(c->report.stage_name[i]);
        json_object_begin(j, NULL);
        json_text(j, "name", c->report.stage_name[i]);
        json_real(j, "exponent", bench_scaling_stage_exponent(scaling, case_index, i));
        json_real(j, "expected", expected > 0.0 ? expected : (double)NAN);
        json_object_end(j);
    }
    json_array_end(j);
    json_real(j, "build", bench_scaling_total_exponent(scaling, case_index));
    json_real(j, "library_memory", bench_scaling_memory_exponent(scaling, case_index));
    json_object_end(j);
}

static void write_scaling(json *j, const bench_report *report)
{
    static const char *const stop_name[] = {"end", "time", "memory", "error"};
    const bench_scaling *scaling = report->scaling;
    json_object_begin(j, "scaling");
    json_real(j, "budget_seconds", report->arguments->budget);
    json_integer(j, "sizes", scaling->n_sizes);
    json_text(j, "stopped", stop_name[scaling->stop]);
    if (scaling->stop != BENCH_STOP_END) {
        json_object_begin(j, "next");
        json_integer(j, "n_lenslets_across", bench_family[scaling->n_sizes].n_lenslets);
        json_real(j, "predicted_seconds", scaling->next_seconds);
        json_integer(j, "predicted_bytes", scaling->next_memory);
        json_object_end(j);
    }
    json_array_begin(j, "growth");
    for (size_t i = 0; i < scaling->n_cases && scaling->n_sizes > 0; ++i) {
        write_growth(j, scaling, i);
    }
    json_array_end(j);
    json_object_end(j);
}

/* ---- all of it ----------------------------------------------------------------------------- */

void bench_write_machine(json *j, const bench_machine *machine)
{
    json_object_begin(j, "machine");
    json_text(j, "cpu", machine->cpu);
    json_integer(j, "cores", (uint64_t)machine->n_cores);
    json_array_begin(j, "load");
    for (size_t i = 0; i < 3; ++i) {
        json_real(j, NULL, machine->load[i]);
    }
    json_array_end(j);
    json_text(j, "date", machine->date);
    json_object_end(j);
}

void bench_print_json(const session *s, const bench_report *report, int status)
{
    json j = json_begin(stdout);
    json_begin_report(&j, status);
    bench_write_machine(&j, &report->machine);
    json_blas(&j);
    json_text(&j, "backend", cltomo_context_backend(s->context));
    cltomo_device device;
    if (cltomo_context_device(s->context, &device)) {
        json_device(&j, "device", &device);
    }
    json_integer(&j, "threads", cltomo_context_threads(s->context));
    write_results(&j, report);
    if (report->scaling != NULL) {
        write_scaling(&j, report);
    } else {
        write_comparisons(&j, report);
    }
    if (report->arguments->baseline != NULL) {
        write_baseline(&j, report);
    }
    json_warnings(&j, s);
    json_object_end(&j);
}
