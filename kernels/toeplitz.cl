/* Slope covariance of two sensors that share scale and rotation, from tables over the lags. */

/* table[row][col]: the phase covariance at this lag, n x stride, summed over the layers; layers:
 * five numbers each, scale cos, scale sin, shift x, shift y, weight. */
__kernel void phase_table(__global wide *restrict table, int n, int stride,
    __global const wide *restrict layers, int n_layers, wide spacing, wide wavenumber)
{
    int col = (int)get_global_id(0) * WIDTH;
    int row = (int)get_global_id(1);
    if (col >= stride || row >= n) {
        return;
    }
    wide middle = (wide)((n - 1) / 2);
    wide_vector dx = ((wide)col + COUNT_UP - middle) * spacing;
    wide dy = ((wide)row - middle) * spacing;
    wide_vector sum = (wide_vector)(0);
    for (int l = 0; l < n_layers; ++l) {
        __global const wide *layer = layers + 5 * l;
        wide_vector x = layer[0] * dx - layer[1] * dy + layer[2];
        wide_vector y = layer[1] * dx + layer[0] * dy + layer[3];
        sum += layer[4] * VON_KARMAN(wavenumber * sqrt(x * x + y * y));
    }
    STORE(sum, table + (size_t)row * stride + col);
}

/* tables: xx, xy, yy, each n x n, from the phase table around twice the lag of the lenslets. lag:
 * the five weights dd, ss and ds of covariance.h. */
__kernel void slope_tables(__global wide *restrict tables, int n,
    __global const wide *restrict phase_table, int stride, __global const wide *restrict lag)
{
    int col = (int)get_global_id(0);
    int row = (int)get_global_id(1);
    if (col >= n || row >= n) {
        return;
    }
    __global const wide *dd = lag;
    __global const wide *ss = lag + 5;
    __global const wide *ds = lag + 10;
    wide xx = 0;
    wide xy = 0;
    wide yy = 0;
    for (int a = 0; a < 5; ++a) {
        __global const wide *phase = phase_table + (size_t)(2 * row + a) * stride + 2 * col;
        for (int b = 0; b < 5; ++b) {
            xx += ss[a] * dd[b] * phase[b];
            xy -= ds[a] * ds[b] * phase[b];
            yy += dd[a] * ss[b] * phase[b];
        }
    }
    tables[(size_t)row * n + col] = xx;
    tables[(size_t)(n + row) * n + col] = xy;
    tables[(size_t)(2 * n + row) * n + col] = yy;
}

/* The block of c_ss whose rows are the slopes of one sensor and whose columns, from first_col,
 * those of the other: row first_row + r of a buffer becomes the slope first_slope + r. place: row *
 * n + col of each of the n_lenslets in a table; middle: that of the lag 0. */
__kernel void gather_block(__global real *restrict c_ss, int n_slopes, int first_row, int first_col,
    int first_slope, __global const wide *restrict tables, int n, int middle,
    __global const int *restrict place, int n_lenslets)
{
    int col = (int)get_global_id(0);
    int r = (int)get_global_id(1);
    if (col >= 2 * n_lenslets) {
        return;
    }
    int row = first_slope + r;
    int is_y_col = col >= n_lenslets;
    int is_y_row = row >= n_lenslets;
    int from = place[col - is_y_col * n_lenslets];
    int to = place[row - is_y_row * n_lenslets];
    int table = (is_y_col + is_y_row) * n * n;
    c_ss[(size_t)(first_row + r) * n_slopes + first_col + col] =
        (real)tables[table + middle + from - to];
}
