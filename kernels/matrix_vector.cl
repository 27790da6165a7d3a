/* A matrix times a vector: y[first + i] = row i of a times x, for the n_rows rows of a, which are
 * n_cols long and follow each other. Each y is written by one work-item, without atomics, so the
 * result does not depend on how the device schedules the groups. */

#ifdef CLTOMO_VK_WIDTH_IS_ONE

/* Work-items of a group; a power of two. */
#define GROUP 64

/* A group for each row: global size GROUP x n_rows. Neighbouring work-items read neighbouring
 * elements, and what each has summed is added up in a tree. */
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void matrix_vector(
    __global real *restrict y, int first, __global const real *restrict a,
    __global const real *restrict x, int n_rows, int n_cols)
{
    __local real part[GROUP];
    int k = (int)get_local_id(0);
    int i = (int)get_group_id(1);
    __global const real *row = a + (size_t)i * n_cols;
    real sum = 0;
    for (int j = k; i < n_rows && j < n_cols; j += GROUP) {
        sum += row[j] * x[j];
    }
    part[k] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int reach = GROUP / 2; reach > 0; reach /= 2) {
        if (k < reach) {
            part[k] += part[k + reach];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (k == 0 && i < n_rows) {
        y[first + i] = part[0];
    }
}

#else

/* A work-item for each row, on CPUs: any global size of at least n_rows. Two sums in turn hide the
 * time that an addition takes. */
__kernel void matrix_vector(__global real *restrict y, int first, __global const real *restrict a,
    __global const real *restrict x, int n_rows, int n_cols)
{
    int i = (int)get_global_id(0);
    if (i >= n_rows) {
        return;
    }
    __global const real *row = a + (size_t)i * n_cols;
    real_vector even = (real_vector)(0);
    real_vector odd = (real_vector)(0);
    int j = 0;
    for (; j + 2 * WIDTH <= n_cols; j += 2 * WIDTH) {
        even += LOAD(row + j) * LOAD(x + j);
        odd += LOAD(row + j + WIDTH) * LOAD(x + j + WIDTH);
    }
    real part[WIDTH];
    STORE(even + odd, part);
    real sum = 0;
    for (; j < n_cols; ++j) {
        sum += row[j] * x[j];
    }
    for (int k = 0; k < WIDTH; ++k) {
        sum += part[k];
    }
    y[first + i] = sum;
}

#endif
