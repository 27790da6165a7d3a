/* The gradient operator. start: for each of the n_lenslets the numbers of the first point in the
 * three rows of its stencil; the other two points of a row follow. */

/* Row r of slopes, from first_row and column first_col of a matrix with n_cols columns: Gamma
 * applied to row r of phase, which is stride points long. */
__kernel void gradient_rows(__global real *restrict slopes, int n_cols, int first_row,
    int first_col, __global const wide *restrict phase, int stride,
    __global const int *restrict start, int n_lenslets)
{
    int k = (int)get_global_id(0);
    int r = (int)get_global_id(1);
    if (k >= n_lenslets) {
        return;
    }
    __global const wide *top = phase + (size_t)r * stride + start[3 * k];
    __global const wide *middle = phase + (size_t)r * stride + start[3 * k + 1];
    __global const wide *bottom = phase + (size_t)r * stride + start[3 * k + 2];
    wide x = (top[2] - top[0]) / 4 + (middle[2] - middle[0]) / 2 + (bottom[2] - bottom[0]) / 4;
    wide y = (bottom[0] - top[0]) / 4 + (bottom[1] - top[1]) / 2 + (bottom[2] - top[2]) / 4;
    __global real *out = slopes + (size_t)(first_row + r) * n_cols + first_col;
    out[k] = (real)x;
    out[n_lenslets + k] = (real)y;
}

/* The same, kept in the wider type: row first_row + r of product, n_phase x 2 n_lenslets. */
__kernel void gradient_product(__global wide *restrict product, int first_row,
    __global const wide *restrict phase, int stride, __global const int *restrict start,
    int n_lenslets)
{
    int k = (int)get_global_id(0);
    int r = (int)get_global_id(1);
    if (k >= n_lenslets) {
        return;
    }
    __global const wide *top = phase + (size_t)r * stride + start[3 * k];
    __global const wide *middle = phase + (size_t)r * stride + start[3 * k + 1];
    __global const wide *bottom = phase + (size_t)r * stride + start[3 * k + 2];
    __global wide *out = product + (size_t)(first_row + r) * 2 * n_lenslets;
    out[k] = (top[2] - top[0]) / 4 + (middle[2] - middle[0]) / 2 + (bottom[2] - bottom[0]) / 4;
    out[n_lenslets + k] =
        (bottom[0] - top[0]) / 4 + (bottom[1] - top[1]) / 2 + (bottom[2] - top[2]) / 4;
}

/* Gamma applied to the columns of product, which gives the block of c_ss from first_row and
 * first_col. */
__kernel void gradient_columns(__global real *restrict c_ss, int n_slopes, int first_row,
    int first_col, __global const wide *restrict product, __global const int *restrict start,
    int n_lenslets)
{
    int col = (int)get_global_id(0);
    int k = (int)get_global_id(1);
    int n = 2 * n_lenslets;
    if (col >= n || k >= n_lenslets) {
        return;
    }
    __global const wide *top = product + (size_t)start[3 * k] * n + col;
    __global const wide *middle = product + (size_t)start[3 * k + 1] * n + col;
    __global const wide *bottom = product + (size_t)start[3 * k + 2] * n + col;
    wide x = (top[2 * n] - top[0]) / 4 + (middle[2 * n] - middle[0]) / 2 +
             (bottom[2 * n] - bottom[0]) / 4;
    wide y = (bottom[0] - top[0]) / 4 + (bottom[n] - top[n]) / 2 + (bottom[2 * n] - top[2 * n]) / 4;
    c_ss[(size_t)(first_row + k) * n_slopes + first_col + col] = (real)x;
    c_ss[(size_t)(first_row + n_lenslets + k) * n_slopes + first_col + col] = (real)y;
}
