/* Operations that touch every element, or the diagonal, of a matrix once. A square matrix of n rows
 * may be in several buffers, panels of whole rows: `first` is the panel's first row in the matrix,
 * `count` the number of its rows. */

/* values: of all n rows */
__kernel void add_to_diagonal(__global real *restrict panel, int n, int first, int count,
    __global const wide *restrict values)
{
    int i = (int)get_global_id(0);
    if (i < count) {
        size_t place = (size_t)i * n + first + i;
        panel[place] = (real)((wide)panel[place] + values[first + i]);
    }
}

/* Zeros where the flag of the row or of the column is 0; rows has a flag for each row of the
 * matrix. */
__kernel void clear_unused(__global real *restrict panel, int n_cols, int first,
    __global const int *restrict rows, __global const int *restrict cols)
{
    int j = (int)get_global_id(0);
    int i = (int)get_global_id(1);
    if (j < n_cols && (rows[first + i] == 0 || cols[j] == 0)) {
        panel[(size_t)i * n_cols + j] = (real)0;
    }
}

/* diagonal[i] = a[i][i] for the rows of the panel */
__kernel void get_diagonal(__global wide *restrict diagonal, __global const real *restrict panel,
    int n, int first, int count)
{
    int i = (int)get_global_id(0) - first;
    if (i >= 0 && i < count) {
        diagonal[first + i] = (wide)panel[(size_t)i * n + first + i];
    }
}

/* sums[i]: of the absolute values in row i of a symmetric matrix of which the upper triangle is
 * kept. The first panel begins the sums, later ones add what they hold of each row. */
__kernel void row_sums(
    __global wide *restrict sums, __global const real *restrict panel, int n, int first, int count)
{
    int i = (int)get_global_id(0);
    if (i >= n) {
        return;
    }
    int end = first + count;
    wide sum = first == 0 ? (wide)0 : sums[i];
    for (int j = first; j < end && j < i; ++j) {
        sum += (wide)fabs(panel[(size_t)(j - first) * n + i]);
    }
    if (i >= first && i < end) {
        for (int j = i; j < n; ++j) {
            sum += (wide)fabs(panel[(size_t)(i - first) * n + j]);
        }
    }
    sums[i] = sum;
}

/* Copies the upper triangle onto the lower one: what of it is in the rows of one panel and has its
 * mirror image in the rows of another, or in its own. */
__kernel void complete_symmetric(__global real *panel, __global const real *from, int n, int first,
    int first_from, int count_from)
{
    int k = (int)get_global_id(0);
    int r = (int)get_global_id(1);
    int i = first + r;
    int j = first_from + k;
    if (k < count_from && j < i) {
        panel[(size_t)r * n + j] = from[(size_t)k * n + i];
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

__kernel void add_scaled(
    __global real *restrict a, int n_cols, real factor, __global const real *restrict b)
{
    int j = (int)get_global_id(0);
    size_t i = get_global_id(1);
    if (j < n_cols) {
        a[i * n_cols + j] += factor * b[i * n_cols + j];
    }
}
