/* What is known of the stages in a build's report, by their names. */
#include <string.h>

#include "bench.h"

typedef struct stage_facts {
    const char *name;
    bench_stage_kind kind;
    double exponent;
    double (*operations)(double n, double n_phase, double n_actuators);
} stage_facts;

/* Cholesky. */
static double of_factorisation(double n, double n_phase, double n_actuators)
{
    (void)n_phase;
    (void)n_actuators;
    return n * n * n / 3.0;
}

/* Two triangular solves for each row of R. */
static double of_solve(double n, double n_phase, double n_actuators)
{
    (void)n_actuators;
    return 2.0 * n * n * n_phase;
}

/* The same for each row of FR, after the product of F and C_ps. */
static double of_command_solve(double n, double n_phase, double n_actuators)
{
    return 2.0 * n * n * n_actuators + 2.0 * n * n_phase * n_actuators;
}

static const stage_facts known[] = {
    {"geometry", BENCH_STAGE_OTHER, 1.0, NULL},
    {"fitting", BENCH_STAGE_OTHER, 3.0, NULL},
    {"slope covariance", BENCH_STAGE_COVARIANCE, 2.0, NULL},
    {"phase-slope covariance", BENCH_STAGE_COVARIANCE, 2.0, NULL},
    {"factorisation", BENCH_STAGE_SOLVE, 3.0, of_factorisation},
    {"solve", BENCH_STAGE_SOLVE, 3.0, of_solve},
    {"solve for commands", BENCH_STAGE_SOLVE, 3.0, of_command_solve},
    {"ordering and checks", BENCH_STAGE_OTHER, 2.0, NULL},
};

static const stage_facts *find(const char *name)
{
    static const stage_facts unknown = {"", BENCH_STAGE_OTHER, 0.0, NULL};
    for (size_t i = 0; i < sizeof known / sizeof *known; ++i) {
        if (strcmp(known[i].name, name) == 0) {
            return &known[i];
        }
    }
    return &unknown;
}

bench_stage_kind bench_stage_kind_of(const char *name)
{
    return find(name)->kind;
}

double bench_stage_operations(const char *name, const cltomo_dimensions *dimensions)
{
    const stage_facts *facts = find(name);
    return facts->operations != NULL
               ? facts->operations((double)dimensions->n_slopes, (double)dimensions->n_phase,
                     (double)dimensions->n_actuators)
               : 0.0;
}

double bench_stage_exponent(const char *name)
{
    return find(name)->exponent;
}
