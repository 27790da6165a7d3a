/* Measures builds, and the bare linear algebra that no build can do without, by turns in one run:
 * how fast the machine happens to be cancels out of the ratio of the two. */
#ifndef CLTOMO_BENCH_BENCH_H
#define CLTOMO_BENCH_BENCH_H

#include <cltomo/context.h>
#include <cltomo/controller.h>
#include <cltomo/geometry.h>
#include <cltomo/reconstructor.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- the machine (machine.c) --------------------------------------------------------------- */

typedef struct bench_machine {
    char cpu[128]; /* "" if unknown, as the load's being negative */
    long n_cores;
    double load[3]; /* averages over 1, 5 and 15 minutes */
    char date[32];  /* UTC, ISO 8601 */
} bench_machine;

void bench_machine_read(bench_machine *machine);

/* ---- samples (samples.c) ------------------------------------------------------------------- */

typedef struct bench_summary {
    double median;
    double minimum;
} bench_summary;

/* Of n >= 1 samples, which are sorted. */
bench_summary bench_summarise(double *sample, size_t n);

/* How long something takes that happens again and again. Percentiles are samples: the smallest that
 * at least so many do not exceed. */
typedef struct bench_latency {
    double median;
    double percent_99;
    double percent_99_9;
    double percent_99_99;
    double maximum;
} bench_latency;

/* Of n samples, which are sorted; all NaN if n is 0. */
bench_latency bench_latency_of(double *sample, size_t n);

/* The exponent b of y = a x^b, least squares in the logarithms, x and y > 0. NaN if n < 2 or all x
 * are the same. */
double bench_fit_exponent(const double *x, const double *y, size_t n);

/* ---- stages (stages.c) --------------------------------------------------------------------- */

typedef enum bench_stage_kind {
    BENCH_STAGE_OTHER,
    BENCH_STAGE_COVARIANCE,
    BENCH_STAGE_SOLVE /* factorisation and solves */
} bench_stage_kind;

bench_stage_kind bench_stage_kind_of(const char *name);

/* Floating-point operations of a stage of linear algebra; 0: not counted. */
double bench_stage_operations(const char *name, const cltomo_dimensions *dimensions);

/* Power of n_slopes that the work of a stage grows with if all sizes grow alike; 0: not known. */
double bench_stage_exponent(const char *name);

/* ---- memory (memory.c) --------------------------------------------------------------------- */

/* What the library has allocated, and the most that it had at once. */
typedef struct bench_allocations {
    atomic_uint_least64_t live;
    atomic_uint_least64_t peak;
} bench_allocations;

/* An allocator that counts; allocations must outlive everything that it gives out. */
cltomo_allocator bench_counting_allocator(bench_allocations *allocations);

/* The peak is what is live now. */
void bench_allocations_restart(bench_allocations *allocations);

/* Gives back what the C library keeps for later, and makes the peak of the process what it uses
 * now. False if the system cannot do so. */
bool bench_process_restart_peak(void);

/* Resident memory, bytes; 0: unknown. */
uint64_t bench_process_memory(void);
uint64_t bench_process_peak(void);

/* ---- bare linear algebra (bare.c) ---------------------------------------------------------- */

/* One symmetric matrix and right-hand sides, allocated once. */
typedef struct bench_bare {
    void *matrix;
    void *rhs;
} bench_bare;

typedef struct bench_bare_seconds {
    double factorisation;
    double solve;
} bench_bare_seconds;

/* For systems up to n unknowns and rhs_elements = n x right-hand sides, in double precision. */
bool bench_bare_create(bench_bare *bare, size_t n, size_t rhs_elements);
void bench_bare_destroy(bench_bare *bare);

/* A positive definite matrix, of which the lower triangle by columns counts, and right-hand sides;
 * the same every time. */
void bench_bare_fill(bench_bare *bare, cltomo_precision precision, size_t n, size_t n_rhs);

/* Fills the matrices, then times potrf and potrs. False if LAPACK fails. */
bool bench_bare_run(bench_bare *bare, bench_bare_seconds *seconds, cltomo_precision precision,
    size_t n, size_t n_rhs);

/* Threads of the BLAS, if it can be told: as many as the library works with. 0: unknown; setting it
 * changes nothing. */
uint32_t bench_bare_threads(void);
void bench_bare_set_threads(uint32_t n_threads);

/* ---- measuring (measure.c) ----------------------------------------------------------------- */

/* Fills *error; returns status. */
cltomo_status bench_fail(cltomo_error *error, cltomo_status status, const char *message);

typedef struct bench_memory {
    uint64_t process_before; /* resident, bytes */
    uint64_t process_peak;
    bool is_of_build;      /* the process's peak is that of this build, not of all before */
    uint64_t library_peak; /* allocated by the library for this build */
} bench_memory;

enum { BENCH_SERIES = CLTOMO_MAX_STAGES + 4 };

/* One system built to one product, and what was measured. */
typedef struct bench_case {
    const char *name;
    const cltomo_system *system;
    cltomo_precision precision;
    cltomo_product product; /* R or FR */
    char hash[17];          /* of the system */
    uint32_t n_lenslets;    /* across */
    cltomo_dimensions dimensions;
    uint64_t predicted_memory; /* cltomo_build_memory */

    /* results */
    size_t n_runs;
    cltomo_build_report report; /* of the last build */
    bench_memory memory;        /* of the first build */
    bench_summary stage[CLTOMO_MAX_STAGES];
    bench_summary total;
    bench_summary bare_factorisation; /* bare: 0 if not measured */
    bench_summary bare_solve;
    bench_summary bare_total;

    double *samples; /* BENCH_SERIES rows of max_runs */
    size_t max_runs;
} bench_case;

typedef struct bench_settings {
    const cltomo_context *context;
    bench_allocations *allocations; /* of the context */
} bench_settings;

/* The system is kept by reference. False without memory. */
bool bench_case_create(bench_case *c, const char *name, const cltomo_system *system,
    cltomo_precision precision, cltomo_product product, size_t max_runs);
void bench_case_destroy(bench_case *c);

/* One build without timing: threads, buffers and caches are then as in a program that has been
 * running. */
cltomo_status bench_warm_up(bench_case *c, const bench_settings *settings, cltomo_error *error);

/* One build more; at most max_runs. */
cltomo_status bench_run(bench_case *c, const bench_settings *settings, cltomo_error *error);

/* Fills in the summaries; at least one run. */
void bench_case_finish(bench_case *c);

/* Warms up; then, n_runs times, each case in turn: bare, build. */
cltomo_status bench_measure(bench_case *cases, size_t n_cases, size_t n_runs,
    const bench_settings *settings, cltomo_error *error);

/* Right-hand sides of a case. */
size_t bench_case_rhs(const bench_case *c);

/* Build over bare; both medians. */
double bench_case_ratio(const bench_case *c);

/* Covariances over factorisation and solves. */
double bench_case_covariance_ratio(const bench_case *c);

/* Operations per second in units of 1e9; NaN if they are not counted. */
double bench_case_stage_rate(const bench_case *c, size_t stage);
double bench_case_bare_rate(const bench_case *c);

/* C_ss and C_ps: what a build cannot do without, bytes. */
double bench_case_matrix_bytes(const bench_case *c);

/* ---- a family of systems (family.c) -------------------------------------------------------- */

typedef struct bench_family_member {
    uint32_t n_lenslets; /* across */
    const char *name;
} bench_family_member;

enum { BENCH_FAMILY_SIZE = 6 };

/* In ascending size. */
extern const bench_family_member bench_family[BENCH_FAMILY_SIZE];

/* Four guide stars and an annular pupil of lenslets of 0.5 m, with as many actuators. */
cltomo_status bench_family_create(const cltomo_context *context, cltomo_system **system,
    uint32_t n_lenslets, cltomo_error *error);

/* ---- scaling (scaling.c) ------------------------------------------------------------------- */

/* What is built of each system. */
typedef struct bench_plan {
    cltomo_precision precision[2];
    size_t n_precisions;
    cltomo_product product[2];
    size_t n_products;
    size_t n_runs;
} bench_plan;

typedef enum bench_stop {
    BENCH_STOP_END,    /* all sizes were measured */
    BENCH_STOP_TIME,   /* the next would have taken too long */
    BENCH_STOP_MEMORY, /* or too much memory */
    BENCH_STOP_ERROR
} bench_stop;

typedef struct bench_scaling {
    cltomo_system *system[BENCH_FAMILY_SIZE];
    bench_case cases[BENCH_FAMILY_SIZE][4]; /* of each size: precisions, of each its products */
    size_t n_cases;                         /* of each size */
    size_t n_sizes;                         /* measured */
    bench_stop stop;
    double next_seconds;  /* why it stopped: predicted for the size that was not measured */
    uint64_t next_memory; /* likewise */
} bench_scaling;

/* Measures one size after the other, without bare linear algebra, for as long as the next is
 * expected to end within budget seconds in all; the first in any case. Large sizes are run fewer
 * than n_runs times. */
cltomo_status bench_scaling_run(bench_scaling *scaling, const bench_plan *plan, double budget,
    const bench_settings *settings, cltomo_error *error);
void bench_scaling_destroy(bench_scaling *scaling);

/* Exponents of n_slopes, fitted over the measured sizes; NaN if there are too few. case_index is
 * that of a case among those of its size. A stage counts where it takes a millisecond or more:
 * below that it measures something else. */
double bench_scaling_stage_exponent(const bench_scaling *scaling, size_t case_index, size_t stage);
double bench_scaling_total_exponent(const bench_scaling *scaling, size_t case_index);
double bench_scaling_memory_exponent(const bench_scaling *scaling, size_t case_index);

/* ---- both backends (compare.c) -------------------------------------------------------------- */

enum { BENCH_CPU, BENCH_OPENCL, BENCH_BACKENDS };

/* One system in one precision on both backends: R, and FR where there is a mirror. */
typedef struct bench_pair {
    bench_case on[BENCH_BACKENDS];
    double first_build[BENCH_BACKENDS]; /* s, with all that a process does only once */
    double wavefront_difference;        /* of OpenCL's R from the C path's, relative */
    double command_difference;          /* of FR; NaN without a mirror */
} bench_pair;

/* The system is kept by reference. False without memory. */
bool bench_pair_create(bench_pair *pair, const char *name, const cltomo_system *system,
    cltomo_precision precision, size_t max_runs);
void bench_pair_destroy(bench_pair *pair);

/* Builds each pair once and compares; then, n_runs times, each pair in turn: C path, OpenCL. */
cltomo_status bench_pairs_measure(bench_pair *pairs, size_t n_pairs, size_t n_runs,
    const bench_settings settings[BENCH_BACKENDS], cltomo_error *error);

/* The C path's median over OpenCL's, of the whole build or of a stage that both have; NaN if one
 * lacks it or it takes no time. */
double bench_pair_speed_up(const bench_pair *pair);
double bench_pair_stage_speed_up(const bench_pair *pair, const char *stage);

/* Place of a stage in a build's report; n_stages if it is not there. */
size_t bench_case_stage(const bench_case *c, const char *stage);

/* In the Frobenius norm, relative to the reference. */
double bench_relative_difference(const cltomo_matrix *matrix, const cltomo_matrix *reference);

/* ---- the real-time loop (realtime.c) -------------------------------------------------------- */

/* A controller at one rate. */
typedef struct bench_realtime {
    double rate;    /* frames per second */
    double seconds; /* to run for */

    /* results */
    size_t rows; /* of the matrix */
    size_t cols;
    uint32_t n_threads;
    size_t n_frames;
    size_t missed;  /* frames that ended after the next was due, which then was left out */
    uint64_t swaps; /* matrices taken */
    bench_latency apply;
    bench_latency at_swap;     /* of the frames that took a matrix */
    bench_latency bare;        /* cblas_sgemv of the same size on bare_threads threads */
    bench_latency bare_single; /* on one */
    uint32_t bare_threads;     /* as many as apply; on a device all that the context may use */
} bench_realtime;

/* Runs a controller with the matrix, which is in single precision, while another thread stages it
 * anew a hundred times a second. Blocks of frames take turns at the same beat: apply, the bare
 * product on as many threads, and on one; the first third of a block, in which the others' helpers
 * fall asleep, is not counted. Ends early if interrupted. */
cltomo_status bench_realtime_run(bench_realtime *r, const cltomo_context *context,
    const cltomo_matrix *matrix, cltomo_error *error);

/* apply over bare; both medians. */
double bench_realtime_ratio(const bench_realtime *r);

/* ---- baselines (baseline.c) ---------------------------------------------------------------- */

/* Ratios that were measured before. */
typedef struct bench_baseline_entry {
    char name[256];
    char hash[17]; /* of the system */
    cltomo_precision precision;
    cltomo_product product;
    double ratio;
} bench_baseline_entry;

typedef struct bench_baseline {
    bench_baseline_entry *entry;
    size_t n;
} bench_baseline;

/* Reads what `cltomo bench --json` wrote. On failure why[size] says what is wrong. */
bool bench_baseline_read(bench_baseline *baseline, const char *path, char *why, size_t size);
void bench_baseline_destroy(bench_baseline *baseline);

/* NULL if there is none for this case. */
const bench_baseline_entry *bench_baseline_find(const bench_baseline *baseline, const char *name,
    cltomo_precision precision, cltomo_product product);

#endif
