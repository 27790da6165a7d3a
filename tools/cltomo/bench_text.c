/* What `cltomo bench` found, for people. */
#include <cltomo/blas.h>
#include <cltomo/version.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "bench_command.h"

enum { LABEL_WIDTH = 26, WIDTH_WITH_MINIMUM = 18, WIDTH = 10, EXPONENT_WIDTH = 10 };

/* Cases side by side, with a row for each thing known of them. */
typedef struct table {
    const bench_case *column[BENCH_FAMILY_SIZE];
    size_t n_columns;
    bool with_minimum;
    int width;
    const bench_scaling *scaling; /* with exponents; NULL: without */
    size_t case_index;
} table;

/* ---- cells --------------------------------------------------------------------------------- */

static void print_label(const char *label)
{
    (void)printf("  %-*s", LABEL_WIDTH, label);
}

static void print_cell(const table *t, const char *text)
{
    (void)printf("%*s", t->width, text);
}

static void print_times(const table *t, bench_summary seconds)
{
    char text[40];
    if (t->with_minimum) {
        (void)snprintf(
            text, sizeof text, "%.1f (%.1f)", 1e3 * seconds.median, 1e3 * seconds.minimum);
    } else {
        (void)snprintf(text, sizeof text, "%.1f", 1e3 * seconds.median);
    }
    print_cell(t, text);
}

static void print_exponent(double exponent)
{
    if (isfinite(exponent) && exponent > 0.0) {
        (void)printf("%*.2f", EXPONENT_WIDTH, exponent);
    } else {
        (void)printf("%*s", EXPONENT_WIDTH, "");
    }
}

/* A row of numbers; those that do not apply, NaN, stay empty. */
static void print_row(
    const table *t, const char *label, const char *format, double (*value_of)(const bench_case *c))
{
    print_label(label);
    for (size_t i = 0; i < t->n_columns; ++i) {
        char text[40] = "";
        double value = value_of(t->column[i]);
        if (isfinite(value)) {
            (void)snprintf(text, sizeof text, format, value);
        }
        print_cell(t, text);
    }
}

/* ---- stages -------------------------------------------------------------------------------- */

/* Names of the stages of all columns, each once, in the order of the builds. */
typedef struct stage_list {
    const char *name[BENCH_FAMILY_SIZE * CLTOMO_MAX_STAGES];
    size_t n;
} stage_list;

static size_t stage_place(const char *const *names, size_t n, const char *name)
{
    size_t i = 0;
    while (i < n && strcmp(names[i], name) != 0) {
        ++i;
    }
    return i;
}

/* A stage that only some builds have goes behind the one that it follows there. */
static void add_stages(stage_list *list, const bench_case *c)
{
    size_t place = 0;
    for (size_t i = 0; i < c->report.n_stages; ++i) {
        size_t found = stage_place(list->name, list->n, c->report.stage_name[i]);
        if (found == list->n) {
            found = place;
            memmove(
                &list->name[found + 1], &list->name[found], (list->n - found) * sizeof *list->name);
            list->name[found] = c->report.stage_name[i];
            ++list->n;
        }
        place = found + 1;
    }
}

static size_t stage_of_case(const bench_case *c, const char *name)
{
    return stage_place(c->report.stage_name, c->report.n_stages, name);
}

static void print_rates(const table *t, const char *name)
{
    print_label("  GFLOP/s");
    for (size_t i = 0; i < t->n_columns; ++i) {
        const bench_case *c = t->column[i];
        size_t stage = stage_of_case(c, name);
        char text[40] = "";
        if (stage < c->report.n_stages) {
            (void)snprintf(text, sizeof text, "%.1f", bench_case_stage_rate(c, stage));
        }
        print_cell(t, text);
    }
    (void)putchar('\n');
}

static void print_stage(const table *t, const char *name)
{
    print_label(name);
    for (size_t i = 0; i < t->n_columns; ++i) {
        const bench_case *c = t->column[i];
        size_t stage = stage_of_case(c, name);
        if (stage < c->report.n_stages) {
            print_times(t, c->stage[stage]);
        } else {
            print_cell(t, "");
        }
    }
    if (t->scaling != NULL) {
        print_exponent(bench_scaling_stage_exponent(
            t->scaling, t->case_index, stage_of_case(t->column[0], name)));
        print_exponent(bench_stage_exponent(name));
    }
    (void)putchar('\n');
    if (bench_stage_operations(name, &t->column[0]->dimensions) > 0.0) {
        print_rates(t, name);
    }
}

static void print_stages(const table *t)
{
    stage_list list = {.n = 0};
    for (size_t i = 0; i < t->n_columns; ++i) {
        add_stages(&list, t->column[i]);
    }
    for (size_t i = 0; i < list.n; ++i) {
        print_stage(t, list.name[i]);
    }
    print_label("build");
    for (size_t i = 0; i < t->n_columns; ++i) {
        print_times(t, t->column[i]->total);
    }
    if (t->scaling != NULL) {
        print_exponent(bench_scaling_total_exponent(t->scaling, t->case_index));
    }
    (void)putchar('\n');
}

/* ---- the other rows ------------------------------------------------------------------------ */

static double megabytes(double bytes)
{
    return 1e-6 * bytes;
}

static double process_megabytes(const bench_case *c)
{
    return megabytes((double)c->memory.process_peak);
}

static double library_megabytes(const bench_case *c)
{
    return megabytes((double)c->memory.library_peak);
}

static double matrix_megabytes(const bench_case *c)
{
    return megabytes(bench_case_matrix_bytes(c));
}

static void print_memory(const table *t)
{
    print_row(t, "peak of the process [MB]", "%.1f", process_megabytes);
    (void)putchar('\n');
    print_row(t, "peak of the library [MB]", "%.1f", library_megabytes);
    if (t->scaling != NULL) {
        print_exponent(bench_scaling_memory_exponent(t->scaling, t->case_index));
        print_exponent(2.0);
    }
    (void)putchar('\n');
    print_row(t, "C_ss and C_ps [MB]", "%.1f", matrix_megabytes);
    (void)putchar('\n');
    for (size_t i = 0; i < t->n_columns; ++i) {
        if (!t->column[i]->memory.is_of_build) {
            (void)printf("  The peak of the process is that since its start: the system does not "
                         "let it be reset.\n");
            break;
        }
    }
}

static void print_bare(const table *t)
{
    print_label("bare potrf + potrs");
    for (size_t i = 0; i < t->n_columns; ++i) {
        print_times(t, t->column[i]->bare_total);
    }
    (void)putchar('\n');
    print_row(t, "  GFLOP/s", "%.1f", bench_case_bare_rate);
    (void)putchar('\n');
    print_row(t, "build / bare", "%.2f", bench_case_ratio);
    (void)putchar('\n');
    print_row(t, "covariances / solve", "%.2f", bench_case_covariance_ratio);
    (void)putchar('\n');
}

/* ---- systems ------------------------------------------------------------------------------- */

static void print_systems(const bench_report *report)
{
    size_t first = 0;
    while (first < report->n_cases) {
        const bench_case *c = &report->cases[first];
        const cltomo_dimensions *d = &c->dimensions;
        table t = {.with_minimum = true, .width = WIDTH_WITH_MINIMUM};
        while (first + t.n_columns < report->n_cases && t.n_columns < BENCH_FAMILY_SIZE &&
               report->cases[first + t.n_columns].system == c->system) {
            t.column[t.n_columns] = &report->cases[first + t.n_columns];
            ++t.n_columns;
        }
        first += t.n_columns;
        (void)printf("\n%s", c->name);
        source_print_sensors(c->system);
        (void)printf(": %zu slopes, %zu phase points, %zu actuators, %zu direction%s\n",
            d->n_slopes, d->n_phase, d->n_actuators, d->n_directions,
            d->n_directions == 1 ? "" : "s");
        print_label("[ms]");
        for (size_t i = 0; i < t.n_columns; ++i) {
            char head[40];
            (void)snprintf(head, sizeof head, "%s %s",
                cltomo_product_name((uint32_t)t.column[i]->product),
                bench_precision_name(t.column[i]->precision));
            print_cell(&t, head);
        }
        (void)putchar('\n');
        print_stages(&t);
        print_bare(&t);
        print_memory(&t);
    }
}

static void print_comparisons(const bench_report *report)
{
    bench_comparison comparison;
    for (size_t i = 0; bench_compare_keck(report, i, &comparison); ++i) {
        (void)printf("%skeck / kapa, %s, %s: %.2f\n", i == 0 ? "\n" : "",
            cltomo_product_name((uint32_t)comparison.of->product),
            bench_precision_name(comparison.of->precision),
            comparison.of->total.median / comparison.over->total.median);
    }
    for (size_t i = 0; bench_compare_command(report, i, &comparison); ++i) {
        (void)printf("%sFR / R, %s, %s: %.2f\n", i == 0 ? "\n" : "", comparison.of->name,
            bench_precision_name(comparison.of->precision),
            comparison.of->total.median / comparison.over->total.median);
    }
}

static void print_baseline(const bench_report *report)
{
    (void)printf("\nbuild / bare against %s, at most %g times as much:\n",
        report->arguments->baseline, report->arguments->ratio);
    for (size_t i = 0; i < report->n_cases; ++i) {
        const bench_case *c = &report->cases[i];
        const bench_baseline_entry *entry = bench_report_baseline(report, c);
        if (entry != NULL) {
            (void)printf("  %s, %s, %s: %.2f, was %.2f%s\n", c->name,
                cltomo_product_name((uint32_t)c->product), bench_precision_name(c->precision),
                bench_case_ratio(c), entry->ratio,
                bench_is_worse(report, c, entry) ? "  WORSE" : "");
        }
    }
}

/* ---- scaling ------------------------------------------------------------------------------- */

static double slopes(const bench_case *c)
{
    return (double)c->dimensions.n_slopes;
}

static double phase_points(const bench_case *c)
{
    return (double)c->dimensions.n_phase;
}

static double lenslets_across(const bench_case *c)
{
    return (double)c->n_lenslets;
}

static double runs(const bench_case *c)
{
    return (double)c->n_runs;
}

static void print_growth(const bench_scaling *scaling, size_t case_index)
{
    table t = {.width = WIDTH, .scaling = scaling, .case_index = case_index};
    for (size_t size = 0; size < scaling->n_sizes; ++size) {
        t.column[t.n_columns++] = &scaling->cases[size][case_index];
    }
    (void)printf("\n%s, %s precision\n", cltomo_product_name((uint32_t)t.column[0]->product),
        bench_precision_name(t.column[0]->precision));
    print_row(&t, "lenslets across", "%.0f", lenslets_across);
    (void)printf("%*s%*s\n", EXPONENT_WIDTH, "exponent", EXPONENT_WIDTH, "of work");
    print_row(&t, "slopes", "%.0f", slopes);
    (void)putchar('\n');
    print_row(&t, "phase points", "%.0f", phase_points);
    (void)putchar('\n');
    print_row(&t, "runs", "%.0f", runs);
    (void)putchar('\n');
    print_stages(&t);
    print_memory(&t);
}

static void print_scaling(const bench_scaling *scaling)
{
    (void)printf("Times in ms, medians. Exponents are of the number of slopes, fitted where a "
                 "stage takes 1 ms or more;\nbeside them the growth of its work.\n");
    for (size_t i = 0; i < scaling->n_cases && scaling->n_sizes > 0; ++i) {
        print_growth(scaling, i);
    }
    if (scaling->stop != BENCH_STOP_END) {
        char memory[16];
        format_bytes(memory, sizeof memory, (double)scaling->next_memory);
        (void)printf("\nStopped before %" PRIu32 " lenslets across: %s. One run of each would take "
                     "about %.0f s, and %s.\n",
            bench_family[scaling->n_sizes].n_lenslets,
            scaling->stop == BENCH_STOP_MEMORY ? "not enough memory" : "not enough time (--budget)",
            scaling->next_seconds, memory);
    }
}

/* ---- all of it ----------------------------------------------------------------------------- */

void bench_print_machine(const bench_machine *machine)
{
    cltomo_blas_info blas;
    cltomo_blas_get_info(&blas);
    (void)printf("cltomo %s on %s, %ld cores, load %.2f, %s\n", cltomo_version(),
        machine->cpu[0] != '\0' ? machine->cpu : "an unknown processor", machine->n_cores,
        machine->load[0], machine->date);
    if (blas.library[0] != '\0') {
        (void)printf("%s\nBLAS kernels for %s%s, %" PRIu32 " threads\n", blas.library, blas.core,
            blas.slow != 0 ? " (slow: they leave vector units idle)" : "", blas.n_threads);
    }
}

static void print_backend(const session *s)
{
    cltomo_device device = {.name = ""};
    bool has_device = cltomo_context_device(s->context, &device) != 0;
    (void)printf("backend %s%s%s, %" PRIu32 " threads\n", cltomo_context_backend(s->context),
        has_device ? " on " : "", device.name, cltomo_context_threads(s->context));
}

void bench_print(const session *s, const bench_report *report)
{
    bench_print_machine(&report->machine);
    print_backend(s);
    if (report->scaling != NULL) {
        print_scaling(report->scaling);
        return;
    }
    (void)printf("medians of %" PRIu32 " runs (minima in brackets) after a warm-up\n",
        report->arguments->repeat);
    print_systems(report);
    print_comparisons(report);
    if (report->arguments->baseline != NULL) {
        print_baseline(report);
    }
}
