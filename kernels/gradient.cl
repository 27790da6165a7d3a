/* The gradient operator. start: for each of the n_lenslets the numbers of the first point in the
 * three rows of its stencil; the other two points of a row follow. */

/* The x and y slopes of one lenslet, for points from first_point on that are `step` elements apart.
 */
INLINE void stencil(wide *x, wide *y, __global const wide *phase, __global const int *start,
    int first_point, size_t step)
{
    __global const wide *top = phase + (start[0] - first_point) * step;
    __global const wide *middle = phase + (start[1] - first_point) * step;
    __global const wide *bottom = phase + (start[2] - first_point) * step;
    *x = (top[2 * step] - top[0]) / 4 + (middle[2 * step] - middle[0]) / 2 +
         (bottom[2 * step] - bottom[0]) / 4;
    *y = (bottom[0] - top[0]) / 4 + (bottom[step] - top[step]) / 2 +
         (bottom[2 * step] - top[2 * step]) / 4;
}

/* Row first_row + r of a buffer with n_cols columns, from column first_col: Gamma applied to row
 * first_phase + r of phase, which is stride points long. */
__kernel void gradient_rows(__global real *restrict slopes, int n_cols, int first_row,
    int first_col, __global const wide *restrict phase, int stride, int first_phase,
    __global const int *restrict start, int n_lenslets)
{
    int k = (int)get_global_id(0);
    int r = (int)get_global_id(1);
    if (k >= n_lenslets) {
        return;
    }
    wide x;
    wide y;
    stencil(&x, &y, phase + (size_t)(first_phase + r) * stride, start + 3 * k, 0, 1);
    __global real *out = slopes + (size_t)(first_row + r) * n_cols + first_col;
    out[k] = (real)x;
    out[n_lenslets + k] = (real)y;
}

/* The same, kept in the wider type: row first_row + r of product, 2 n_lenslets long. */
__kernel void gradient_product(__global wide *restrict product, int first_row,
    __global const wide *restrict phase, int stride, __global const int *restrict start,
    int n_lenslets)
{
    int k = (int)get_global_id(0);
    int r = (int)get_global_id(1);
    if (k >= n_lenslets) {
        return;
    }
    wide x;
    wide y;
    stencil(&x, &y, phase + (size_t)r * stride, start + 3 * k, 0, 1);
    __global wide *out = product + (size_t)(first_row + r) * 2 * n_lenslets;
    out[k] = x;
    out[n_lenslets + k] = y;
}

/* Gamma applied to the columns of product, whose rows are phase points from first_point on: row
 * first_row + r of a buffer, from column first_col, becomes the slope first_slope + r of the block.
 */
__kernel void gradient_columns(__global real *restrict c_ss, int n_slopes, int first_row,
    int first_col, int first_slope, __global const wide *restrict product, int first_point,
    __global const int *restrict start, int n_lenslets)
{
    int col = (int)get_global_id(0);
    int r = (int)get_global_id(1);
    int n = 2 * n_lenslets;
    if (col >= n) {
        return;
    }
    int slope = first_slope + r;
    int is_y = slope >= n_lenslets;
    wide x;
    wide y;
    stencil(&x, &y, product + col, start + 3 * (slope - is_y * n_lenslets), first_point, (size_t)n);
    c_ss[(size_t)(first_row + r) * n_slopes + first_col + col] = (real)(is_y ? y : x);
}
