/* Between the parts of `cltomo bench rt`. */
#ifndef CLTOMO_TOOL_BENCH_RT_H
#define CLTOMO_TOOL_BENCH_RT_H

#include "bench_command.h"

enum { RT_RATES = 4 };

/* One system at each rate. */
typedef struct rt_case {
    const char *name;
    cltomo_system *system;
    cltomo_product product;
    bench_realtime at[RT_RATES];
} rt_case;

/* All that is reported. */
typedef struct rt_report {
    bench_machine machine; /* before the measurement */
    const char *backend;
    size_t n_rates;
    rt_case *cases;
    size_t n_cases;
} rt_report;

void rt_print(const rt_report *report);
void rt_print_json(const session *s, const rt_report *report);

#endif
