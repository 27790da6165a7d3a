/* A sparse matrix applied to rows. */

/* Row first_y + r of y (n_rows elements) = the matrix times row first_x + r of x (n_cols elements).
 * Row i of the matrix holds the elements start[i] <= k < start[i + 1], value[k] at column[k]. */
__kernel void sparse_rows(__global real *restrict y, int first_y, int n_rows,
    __global const real *restrict x, int first_x, int n_cols, __global const int *restrict start,
    __global const int *restrict column, __global const wide *restrict value)
{
    int i = (int)get_global_id(0);
    size_t r = get_global_id(1);
    if (i >= n_rows) {
        return;
    }
    __global const real *row = x + (first_x + r) * n_cols;
    wide sum = 0;
    for (int k = start[i]; k < start[i + 1]; ++k) {
        sum += value[k] * (wide)row[column[k]];
    }
    y[(first_y + r) * n_rows + i] = (real)sum;
}
