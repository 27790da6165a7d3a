/* cltomo bench: how fast builds are next to bare linear algebra. */
#include <stdlib.h>
#include <string.h>

#include "bench_command.h"

enum { MAX_SYSTEMS = 32 };

/* What has to be released at the end. */
typedef struct bench_objects {
    bench_allocations allocations;
    source from[MAX_SYSTEMS];
    cltomo_system *system[MAX_SYSTEMS];
    size_t n_systems;
    bench_case *cases;
    size_t n_cases;
    bench_scaling scaling;
} bench_objects;

/* ---- comparisons --------------------------------------------------------------------------- */

const char *bench_precision_name(cltomo_precision precision)
{
    return precision == CLTOMO_PRECISION_SINGLE ? "single" : "double";
}

static const bench_case *find_case(
    const bench_report *report, const char *name, cltomo_precision precision, uint32_t product)
{
    for (size_t i = 0; i < report->n_cases; ++i) {
        const bench_case *c = &report->cases[i];
        if (strcmp(c->name, name) == 0 && c->precision == precision &&
            (uint32_t)c->product == product) {
            return c;
        }
    }
    return NULL;
}

/* The i-th case with a partner: each one that pair_with finds another for. */
static bool compare(const bench_report *report, size_t i, bench_comparison *comparison,
    const bench_case *(*pair_with)(const bench_report *report, const bench_case *c))
{
    for (size_t k = 0; k < report->n_cases; ++k) {
        const bench_case *partner = pair_with(report, &report->cases[k]);
        if (partner != NULL && i-- == 0) {
            *comparison = (bench_comparison){&report->cases[k], partner};
            return true;
        }
    }
    return false;
}

static const bench_case *kapa_of_keck(const bench_report *report, const bench_case *c)
{
    return strcmp(c->name, "keck") == 0
               ? find_case(report, "kapa", c->precision, (uint32_t)c->product)
               : NULL;
}

static const bench_case *wavefront_of_command(const bench_report *report, const bench_case *c)
{
    return c->product == CLTOMO_PRODUCT_FR
               ? find_case(report, c->name, c->precision, CLTOMO_PRODUCT_R)
               : NULL;
}

bool bench_compare_keck(const bench_report *report, size_t i, bench_comparison *comparison)
{
    return compare(report, i, comparison, kapa_of_keck);
}

bool bench_compare_command(const bench_report *report, size_t i, bench_comparison *comparison)
{
    return compare(report, i, comparison, wavefront_of_command);
}

/* ---- baselines ----------------------------------------------------------------------------- */

const bench_baseline_entry *bench_report_baseline(const bench_report *report, const bench_case *c)
{
    const bench_baseline_entry *entry =
        bench_baseline_find(&report->baseline, c->name, c->precision, c->product);
    return entry != NULL && strcmp(entry->hash, c->hash) == 0 ? entry : NULL;
}

bool bench_is_worse(
    const bench_report *report, const bench_case *c, const bench_baseline_entry *entry)
{
    return bench_case_ratio(c) > report->arguments->ratio * entry->ratio;
}

/* Before anything is measured. */
static int read_baseline(session *s, bench_report *report)
{
    const char *path = report->arguments->baseline;
    char why[256];
    size_t n_comparable = 0;
    if (path == NULL) {
        return STATUS_DONE;
    }
    if (!bench_baseline_read(&report->baseline, path, why, sizeof why)) {
        return session_error(s, STATUS_BAD_INPUT, "cannot use the baseline '%s': %s", path, why);
    }
    for (size_t i = 0; i < report->n_cases; ++i) {
        const bench_case *c = &report->cases[i];
        if (bench_report_baseline(report, c) != NULL) {
            ++n_comparable;
        } else {
            session_warning(s, "the baseline does not hold the same system as %s, %s, %s", c->name,
                bench_precision_name(c->precision), cltomo_product_name((uint32_t)c->product));
        }
    }
    return n_comparable > 0 ? STATUS_DONE
                            : session_error(s, STATUS_BAD_INPUT,
                                  "the baseline '%s' holds nothing of what is measured", path);
}

static int check_baseline(session *s, const bench_report *report)
{
    size_t n_worse = 0;
    for (size_t i = 0; i < report->n_cases; ++i) {
        const bench_case *c = &report->cases[i];
        const bench_baseline_entry *entry = bench_report_baseline(report, c);
        if (entry != NULL && bench_is_worse(report, c, entry)) {
            ++n_worse;
            progress_clear(&s->progress);
            print_error("%s, %s, %s: the build takes %.2f times the bare calls, %.2f in the "
                        "baseline",
                c->name, bench_precision_name(c->precision),
                cltomo_product_name((uint32_t)c->product), bench_case_ratio(c), entry->ratio);
        }
    }
    return n_worse > 0 ? STATUS_SLOWER : STATUS_DONE;
}

/* ---- what is measured ---------------------------------------------------------------------- */

static bench_plan plan_of(const bench_arguments *arguments)
{
    static const cltomo_product products[] = {CLTOMO_PRODUCT_R, CLTOMO_PRODUCT_FR};
    bench_plan plan = {.n_runs = arguments->repeat};
    for (int precision = 0; precision < 2; ++precision) {
        if ((arguments->precisions & (1 << precision)) != 0) {
            plan.precision[plan.n_precisions++] = (cltomo_precision)precision;
        }
    }
    for (size_t i = 0; i < 2; ++i) {
        if ((arguments->products & (int)products[i]) != 0) {
            plan.product[plan.n_products++] = products[i];
        }
    }
    return plan;
}

static int load_systems(
    session *s, bench_objects *objects, char **operands, size_t n_operands, const text_list *wfs)
{
    size_t n = n_operands > 0 ? n_operands : cltomo_example_count();
    int status = STATUS_DONE;
    for (size_t i = 0; i < n && i < MAX_SYSTEMS && status == STATUS_DONE; ++i) {
        const char *operand = n_operands > 0 ? operands[i] : cltomo_example_name(i);
        size_t place = objects->n_systems++;
        status = source_load(s, &objects->from[place], &objects->system[place], operand, wfs);
    }
    return status;
}

/* The cases of one system. */
static int create_cases(session *s, bench_objects *objects, const bench_plan *plan, size_t system)
{
    cltomo_dimensions dimensions;
    cltomo_system_dimensions(objects->system[system], &dimensions);
    for (size_t i = 0; i < plan->n_precisions * plan->n_products; ++i) {
        cltomo_product product = plan->product[i % plan->n_products];
        if (product == CLTOMO_PRODUCT_FR && dimensions.n_actuators == 0 && plan->n_products > 1) {
            continue; /* there is no mirror to command */
        }
        if (!bench_case_create(&objects->cases[objects->n_cases++], objects->from[system].name,
                objects->system[system], plan->precision[i / plan->n_products], product,
                plan->n_runs)) {
            return session_error(s, STATUS_RESOURCES, "no memory for the samples");
        }
    }
    return STATUS_DONE;
}

static int prepare(
    session *s, bench_report *report, bench_objects *objects, char **operands, size_t n_operands)
{
    bench_plan plan = plan_of(report->arguments);
    int status = load_systems(s, objects, operands, n_operands, &report->arguments->wfs);
    if (status != STATUS_DONE) {
        return status;
    }
    /* at most two products in two precisions of each system */
    objects->cases = calloc(4 * objects->n_systems + 1, sizeof *objects->cases);
    if (objects->cases == NULL) {
        return session_error(s, STATUS_RESOURCES, "no memory for the cases");
    }
    for (size_t i = 0; i < objects->n_systems && status == STATUS_DONE; ++i) {
        status = create_cases(s, objects, &plan, i);
    }
    report->cases = objects->cases;
    report->n_cases = objects->n_cases;
    return status == STATUS_DONE ? read_baseline(s, report) : status;
}

/* ---- measuring ----------------------------------------------------------------------------- */

static int measure(session *s, bench_report *report, bench_objects *objects)
{
    bench_plan plan = plan_of(report->arguments);
    bench_settings settings = {s->context, &objects->allocations};
    cltomo_error error = {0};
    cltomo_status status;
    if (report->arguments->compute.threads > 0) {
        bench_bare_set_threads(report->arguments->compute.threads);
    }
    session_work_begin(s);
    if (report->arguments->scaling) {
        status = bench_scaling_run(
            &objects->scaling, &plan, report->arguments->budget, &settings, &error);
        report->scaling = &objects->scaling;
    } else {
        status = bench_measure(report->cases, report->n_cases, plan.n_runs, &settings, &error);
    }
    session_work_end(s);
    if (interrupted()) {
        return session_error(s, STATUS_INTERRUPTED, "interrupted");
    }
    return status == CLTOMO_OK ? STATUS_DONE : session_fail(s, &error);
}

static int measure_and_report(
    session *s, bench_report *report, bench_objects *objects, char **operands, size_t n_operands)
{
    int status = STATUS_DONE;
    bench_machine_read(&report->machine);
    if (!report->arguments->scaling) {
        status = prepare(s, report, objects, operands, n_operands);
    }
    if (status == STATUS_DONE) {
        status = measure(s, report, objects);
    }
    if (status != STATUS_DONE) {
        return status;
    }
    status = check_baseline(s, report);
    if (report->arguments->output.json) {
        bench_print_json(s, report, status);
        s->is_reported = true;
    } else if (!report->arguments->output.quiet) {
        bench_print(s, report);
    }
    return status;
}

static void release(bench_objects *objects)
{
    for (size_t i = 0; i < objects->n_cases; ++i) {
        bench_case_destroy(&objects->cases[i]);
    }
    free(objects->cases);
    for (size_t i = 0; i < objects->n_systems; ++i) {
        cltomo_system_destroy(objects->system[i]);
    }
    bench_scaling_destroy(&objects->scaling);
}

int bench_run_command(const command *self, int argc, char **argv)
{
    bench_arguments arguments;
    bench_report report = {.arguments = &arguments};
    bench_objects objects = {0};
    session s;
    size_t n_operands;
    int status;
    bench_set_defaults(&arguments);
    if (!arguments_parse(self, argc, argv, &arguments, &n_operands, &status)) {
        return status;
    }
    if (!bench_finish_arguments(&arguments, n_operands)) {
        return STATUS_USAGE;
    }
    cltomo_allocator allocator = bench_counting_allocator(&objects.allocations);
    arguments.compute.allocator = &allocator;
    status = session_open(&s, &arguments.output, &arguments.compute);
    if (status == STATUS_DONE) {
        status = measure_and_report(&s, &report, &objects, argv, n_operands);
    }
    bench_baseline_destroy(&report.baseline);
    release(&objects);
    return session_close(&s, status);
}
