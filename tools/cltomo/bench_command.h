/* Between the parts of `cltomo bench`. */
#ifndef CLTOMO_TOOL_BENCH_COMMAND_H
#define CLTOMO_TOOL_BENCH_COMMAND_H

#include "bench.h"
#include "tool.h"

/* The options as given, or their defaults. */
typedef struct bench_arguments {
    int precisions; /* 1 << cltomo_precision, or-ed together */
    int products;
    uint32_t repeat;
    const char *baseline;
    double ratio; /* 0: not given */
    bool scaling;
    double budget; /* s; 0: not given */
    text_list wfs;
    compute_settings compute;
    output_settings output;
} bench_arguments;

/* All that is reported. */
typedef struct bench_report {
    const bench_arguments *arguments;
    bench_machine machine; /* before the measurement */
    bench_case *cases;     /* those of one system are neighbours; none if scaling */
    size_t n_cases;
    bench_baseline baseline;
    bench_scaling *scaling; /* NULL if not asked for */
} bench_report;

void bench_set_defaults(bench_arguments *arguments);

/* Checks what the table of options cannot. On wrong usage says so and returns false. */
bool bench_finish_arguments(bench_arguments *arguments, size_t n_operands);

int bench_run_command(const command *self, int argc, char **argv);

const char *bench_precision_name(cltomo_precision precision);

/* One case over another, by their medians. */
typedef struct bench_comparison {
    const bench_case *of;
    const bench_case *over;
} bench_comparison;

/* Comparison number i of a kind; false if there is no more. */
bool bench_compare_keck(const bench_report *report, size_t i, bench_comparison *comparison);
bool bench_compare_command(const bench_report *report, size_t i, bench_comparison *comparison);

/* The baseline's entry for a case; NULL if there is none, or none of the same system. */
const bench_baseline_entry *bench_report_baseline(const bench_report *report, const bench_case *c);

/* Whether a ratio exceeds that of the baseline by more than is allowed. */
bool bench_is_worse(
    const bench_report *report, const bench_case *c, const bench_baseline_entry *entry);

/* Parts of the two that other benchmarks have too. */
void bench_print_machine(const bench_machine *machine);
void bench_write_machine(json *j, const bench_machine *machine);
void bench_write_stages(json *j, const bench_case *c);
void bench_write_summary(json *j, const char *key, bench_summary summary);

void bench_print(const session *s, const bench_report *report);
void bench_print_json(const session *s, const bench_report *report, int status);

#endif
