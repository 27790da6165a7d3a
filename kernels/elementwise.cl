/* Operations that touch every element, or the diagonal, of a matrix once. */

__kernel void add_to_diagonal(__global real *restrict a, int n, real value)
{
    int i = (int)get_global_id(0);
    if (i < n) {
        a[(size_t)i * n + i] += value;
    }
}

/* diagonal[i] = a[i][i] */
__kernel void get_diagonal(__global wide *restrict diagonal, __global const real *restrict a, int n)
{
    int i = (int)get_global_id(0);
    if (i < n) {
        diagonal[i] = (wide)a[(size_t)i * n + i];
    }
}

/* sums[i]: of the absolute values in row i of a symmetric matrix of which the upper triangle is
 * kept. */
__kernel void row_sums(__global wide *restrict sums, __global const real *restrict a, int n)
{
    int i = (int)get_global_id(0);
    if (i >= n) {
        return;
    }
    wide sum = 0;
    for (int j = 0; j < i; ++j) {
        sum += (wide)fabs(a[(size_t)j * n + i]);
    }
    for (int j = i; j < n; ++j) {
        sum += (wide)fabs(a[(size_t)i * n + j]);
    }
    sums[i] = sum;
}

/* Copies the upper triangle onto the lower one. */
__kernel void complete_symmetric(__global real *restrict a, int n)
{
    int j = (int)get_global_id(0);
    int i = (int)get_global_id(1);
    if (i < n && j < i) {
        a[(size_t)i * n + j] = a[(size_t)j * n + i];
    }
}

__kernel void scale(__global real *restrict a, int n_cols, real factor)
{
    int j = (int)get_global_id(0);
    size_t i = get_global_id(1);
    if (j < n_cols) {
        a[i * n_cols + j] *= factor;
    }
}
