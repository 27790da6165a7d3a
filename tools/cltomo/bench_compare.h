/* Between the parts of `cltomo bench compare`. */
#ifndef CLTOMO_TOOL_BENCH_COMPARE_H
#define CLTOMO_TOOL_BENCH_COMPARE_H

#include "bench_command.h"

/* All that is reported. */
typedef struct compare_report {
    bench_machine machine; /* before the measurement */
    const char *name;      /* of the system */
    cltomo_dimensions dimensions;
    cltomo_device device;
    uint32_t repeat;
    uint32_t n_threads;
    bench_pair pair[2]; /* one for each precision */
    size_t n_pairs;
} compare_report;

void compare_print(const compare_report *report);
void compare_print_json(const session *s, const compare_report *report);

#endif
