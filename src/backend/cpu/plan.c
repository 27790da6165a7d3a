/* Products with a vector on the processor: rows shared among the threads of a team. */
#include "backend/plan.h"

#include <math.h>
#include <string.h>

#include "backend/cpu/cpu.h"
#include "backend/cpu/loop_kernels.h"
#include "backend/cpu/team.h"

struct cltomo_plan {
    const cltomo_context *context;
    const cltomo_loop_kernels *kernels;
    cltomo_team *team;
};

struct cltomo_prepared {
    size_t rows;
    size_t cols;
    size_t stride; /* of rows, which end with zeros */
    float *a;
};

typedef struct product {
    const cltomo_plan *plan;
    const cltomo_prepared *a;
    float *y;
    const float *x;
} product;

static cltomo_status create(const cltomo_context *context, cltomo_plan **plan,
    const cltomo_plan_options *options, cltomo_error *error)
{
    *plan = NULL;
    cltomo_plan *created = cltomo_allocate(context, 1, sizeof *created);
    if (created == NULL) {
        return cltomo_fail_memory(error, "a real-time loop");
    }
    *created = (cltomo_plan){.context = context, .kernels = cltomo_loop_kernels_best()};
    cltomo_status status = cltomo_team_create(context, &created->team, options, error);
    if (status != CLTOMO_OK) {
        cltomo_release(context, created);
        return status;
    }
    *plan = created;
    return CLTOMO_OK;
}

static void destroy(cltomo_plan *plan)
{
    if (plan != NULL) {
        cltomo_team_destroy(plan->team);
        cltomo_release(plan->context, plan);
    }
}

static uint32_t threads(const cltomo_plan *plan)
{
    return cltomo_team_threads(plan->team);
}

static void release(cltomo_plan *plan, cltomo_prepared *prepared)
{
    if (prepared != NULL) {
        cltomo_release(plan->context, prepared->a);
        cltomo_release(plan->context, prepared);
    }
}

/* Row i, filled up with zeros. */
static void copy_row(const cltomo_prepared *prepared, const cltomo_matrix *matrix, size_t i)
{
    float *row = prepared->a + i * prepared->stride;
    size_t n = matrix->cols;
    if (matrix->precision == CLTOMO_PRECISION_SINGLE) {
        memcpy(row, matrix->data.f32 + i * n, n * sizeof *row);
    } else {
        for (size_t j = 0; j < n; ++j) {
            row[j] = (float)matrix->data.f64[i * n + j];
        }
    }
    memset(row + n, 0, (prepared->stride - n) * sizeof *row);
}

static cltomo_status prepare(
    cltomo_plan *plan, cltomo_prepared **prepared, const cltomo_matrix *matrix, cltomo_error *error)
{
    size_t stride = cltomo_vector_room(matrix->cols);
    *prepared = NULL;
    cltomo_prepared *created = cltomo_allocate_zero(plan->context, 1, sizeof *created);
    if (created == NULL) {
        return cltomo_fail_memory(error, "a matrix of the real-time loop");
    }
    *created = (cltomo_prepared){.rows = matrix->rows, .cols = matrix->cols, .stride = stride};
    if (matrix->rows <= SIZE_MAX / stride) {
        created->a = cltomo_allocate(plan->context, matrix->rows * stride, sizeof *created->a);
    }
    if (created->a == NULL) {
        release(plan, created);
        return cltomo_fail_memory(error, "a matrix of the real-time loop");
    }
    for (size_t i = 0; i < matrix->rows; ++i) {
        copy_row(created, matrix, i);
    }
    *prepared = created;
    return CLTOMO_OK;
}

/* The rows of one part, in fours as far as they go: that is how the kernel takes them. */
static void multiply_part(void *user, size_t part, size_t n_parts)
{
    const product *p = user;
    size_t fours = (p->a->rows + 3) / 4;
    size_t begin = 4 * (fours * part / n_parts);
    size_t end = 4 * (fours * (part + 1) / n_parts);
    end = end < p->a->rows ? end : p->a->rows;
    if (begin < end) {
        p->plan->kernels->multiply(
            p->y + begin, p->a->a + begin * p->a->stride, p->a->stride, p->x, end - begin);
    }
}

static cltomo_status execute(
    cltomo_plan *plan, const cltomo_prepared *a, float *y, const float *x, cltomo_error *error)
{
    product p = {.plan = plan, .a = a, .x = x};
    (void)error;
    p.y = y;
    cltomo_team_run(plan->team, multiply_part, &p);
    return CLTOMO_OK;
}

static cltomo_status execute_many(cltomo_plan *plan, const cltomo_prepared *a, float *y,
    const float *x, size_t n, cltomo_error *error)
{
    cltomo_matrix results = cltomo_vectors_view(plan->context, y, n, a->rows);
    cltomo_matrix matrix = cltomo_vectors_view(plan->context, a->a, a->rows, a->stride);
    cltomo_matrix vectors = cltomo_vectors_view(plan->context, x, n, a->stride);
    return cltomo_cpu_apply(plan->context, (cltomo_array *)&results, (cltomo_array *)&matrix,
        (cltomo_array *)&vectors, error);
}

const cltomo_plan_operations cltomo_plan_cpu = {
    .create = create,
    .destroy = destroy,
    .threads = threads,
    .prepare = prepare,
    .release = release,
    .execute = execute,
    .execute_many = execute_many,
};
