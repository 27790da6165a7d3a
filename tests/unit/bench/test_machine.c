#include "bench.h"

#include <criterion/criterion.h>

#include <string.h>

Test(machine, is_described)
{
    bench_machine machine;
    bench_machine_read(&machine);
    cr_expect_geq(machine.n_cores, 1);
    cr_expect_lt(strlen(machine.cpu), sizeof machine.cpu);
    cr_expect(strchr(machine.cpu, '\n') == NULL);
    cr_expect(machine.load[0] >= 0.0 && machine.load[0] < 1e6);
    cr_expect_eq(strlen(machine.date), strlen("2026-12-01T04:43:21Z"));
    cr_expect_eq(machine.date[strlen(machine.date) - 1], 'Z');
}
