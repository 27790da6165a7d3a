/* The separable evaluator: factors of one axis, and the copies out of their products. */

/* Rows of the factors, n_columns = n_points * n_across each, see axis_factors.h: the one for
 * (layer, term) = first_term + r goes to row first_row + r of difference and average. terms:
 * (exponent, weight) each; layers: (scale, shift,
 * height, weight, scale of the phase points) each. */
__kernel void axis_factors(__global real *restrict difference, __global real *restrict average,
    int first_row, int first_term, int n_columns, int n_across, wide spacing,
    __global const wide *restrict terms, int n_terms, __global const wide *restrict layers,
    __global const wide *restrict direction, int n_directions, int weighted)
{
    int column = (int)get_global_id(0);
    int r = (int)get_global_id(1);
    int t = first_term + r;
    if (column >= n_columns) {
        return;
    }
    size_t row = (size_t)(first_row + r) * n_columns;
    __global const wide *layer = layers + 5 * (t / n_terms);
    __global const wide *term = terms + 2 * (t % n_terms);
    int j = column / n_across;
    int k = column % n_across;
    wide place[3];
    wide value[3] = {0, 0, 0};
    for (int i = 0; i < 3; ++i) {
        place[i] = layer[0] * (wide)(2 * k + i - n_across) * spacing + layer[1] -
                   layer[4] * (wide)(j - n_across) * spacing;
    }
    int n = layer[2] > 0 ? n_directions : 1;
    for (int d = 0; d < n; ++d) {
        for (int i = 0; i < 3; ++i) {
            wide distance = place[i] - layer[2] * direction[d];
            wide power = term[0] * distance * distance;
            value[i] += power > CLTOMO_GAUSSIAN_CUT ? (wide)0 : exp(-power);
        }
    }
    wide weight = (weighted ? term[1] * layer[3] : (wide)1) / (wide)n;
    difference[row + column] = (real)(weight * (value[2] - value[0]));
    average[row + column] = (real)(weight * (value[0] + 2 * value[1] + value[2]) / 4);
}

/* Copies the slopes of one sensor along one axis, from first_col of c_ps, of which a buffer holds
 * the rows from first_point on, out of a product, which holds the rows first ... end of the square.
 * point: (row, column, mirror) of each phase point in the square; place: of each of the n_lenslets
 * in the product, counted from its phase point, for each mirroring; sign: for each mirroring. */
__kernel void copy_band(__global real *restrict c_ps, int n_slopes, int first_point, int first_col,
    __global const real *restrict product, int width, int n_across, int first, int end,
    __global const int *restrict point, __global const int *restrict place,
    __global const int *restrict sign, int n_lenslets)
{
    int k = (int)get_global_id(0);
    int r = (int)get_global_id(1);
    __global const int *p = point + 3 * (first_point + r);
    if (k >= n_lenslets || p[0] < first || p[0] >= end) {
        return;
    }
    size_t from = (size_t)(p[0] - first) * n_across * width + (size_t)p[1] * n_across +
                  place[p[2] * n_lenslets + k];
    c_ps[(size_t)r * n_slopes + first_col + k] = (real)sign[p[2]] * product[from];
}
