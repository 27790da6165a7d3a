/* Direct covariance between two lists of points. */

/* Row r of phase: the covariances of point first + r of one list with all n points of another,
 * summed over the layers and averaged over the directions. x, y: n_layers x stride, stride a
 * multiple of WIDTH; from_x, from_y: n_layers x from_stride; layers: (weight, height) each;
 * direction: n_directions tangents on each axis, of which the ground needs one. */
__kernel void covariance_rows(__global wide *restrict phase, __global const wide *restrict x,
    __global const wide *restrict y, int stride, __global const wide *restrict from_x,
    __global const wide *restrict from_y, int from_stride, int first,
    __global const wide *restrict layers, int n_layers, __global const wide *restrict direction,
    int n_directions, wide wavenumber)
{
    int k = (int)get_global_id(0) * WIDTH;
    int r = (int)get_global_id(1);
    if (k >= stride) {
        return;
    }
    wide_vector sum = (wide_vector)(0);
    for (int l = 0; l < n_layers; ++l) {
        wide height = layers[2 * l + 1];
        int n = height > 0 ? n_directions : 1;
        wide_vector dx = LOAD(x + l * stride + k) - from_x[l * from_stride + first + r];
        wide_vector dy = LOAD(y + l * stride + k) - from_y[l * from_stride + first + r];
        wide_vector layer = (wide_vector)(0);
        for (int a = 0; a < n; ++a) {
            wide_vector ey = dy - height * direction[a];
            for (int b = 0; b < n; ++b) {
                wide_vector ex = dx - height * direction[b];
                layer += VON_KARMAN(wavenumber * sqrt(ex * ex + ey * ey));
            }
        }
        sum += (layers[2 * l] / (wide)(n * n)) * layer;
    }
    STORE(sum, phase + (size_t)r * stride + k);
}
