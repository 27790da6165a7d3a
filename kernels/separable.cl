/* The separable evaluator: factors of one axis, and the copies out of their products. */

/* Row first_row + r = (layer, term) of the factors, n_grid * n_across columns each, in row r of
 * difference and average; see axis_factors.h. terms: (exponent, weight) each; layers: (scale,
 * shift, height, weight) each. */
__kernel void axis_factors(__global real *restrict difference, __global real *restrict average,
    int first_row, int n_across, wide spacing, __global const wide *restrict terms, int n_terms,
    __global const wide *restrict layers, __global const wide *restrict direction, int n_directions,
    int weighted)
{
    int column = (int)get_global_id(0);
    int r = (int)get_global_id(1);
    int t = first_row + r;
    int n_columns = (2 * n_across + 1) * n_across;
    if (column >= n_columns) {
        return;
    }
    __global const wide *layer = layers + 4 * (t / n_terms);
    __global const wide *term = terms + 2 * (t % n_terms);
    int j = column / n_across;
    int k = column % n_across;
    wide place[3];
    wide value[3] = {0, 0, 0};
    for (int i = 0; i < 3; ++i) {
        place[i] = layer[0] * (wide)(2 * k + i - n_across) * spacing + layer[1] -
                   (wide)(j - n_across) * spacing;
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
    difference[(size_t)r * n_columns + column] = (real)(weight * (value[2] - value[0]));
    average[(size_t)r * n_columns + column] =
        (real)(weight * (value[0] + 2 * value[1] + value[2]) / 4);
}

/* From the products for the rows first_jy <= jy < end_jy of the representative's square to the
 * columns of one sensor, from first_col of c_ps, of which a buffer holds the rows from first_point
 * on. point: (jy, jx) of each phase point, already mapped to the representative; place: of each
 * lenslet, mapped too, in a product, counted from its point; swapped: the axes change places;
 * sign_x, sign_y: of the sensor's x and y slopes. */
__kernel void copy_band(__global real *restrict c_ps, int n_slopes, int first_point, int first_col,
    __global const real *restrict product_x, __global const real *restrict product_y, int n_across,
    int first_jy, int end_jy, __global const int *restrict point,
    __global const int *restrict place, int n_lenslets, int swapped, int sign_x, int sign_y)
{
    int k = (int)get_global_id(0);
    int r = (int)get_global_id(1);
    int p = first_point + r;
    int jy = point[2 * p];
    if (k >= n_lenslets || jy < first_jy || jy >= end_jy) {
        return;
    }
    size_t width = (size_t)(2 * n_across + 1) * n_across;
    size_t from =
        (size_t)(jy - first_jy) * n_across * width + (size_t)point[2 * p + 1] * n_across + place[k];
    real x = product_x[from];
    real y = product_y[from];
    __global real *out = c_ps + (size_t)r * n_slopes + first_col;
    out[k] = (real)sign_x * (swapped ? y : x);
    out[n_lenslets + k] = (real)sign_y * (swapped ? x : y);
}
