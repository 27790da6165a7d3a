/* Influence functions of the mirror. */

/* Row r of influence, n_actuators long, belongs to phase point k = first_point + r: how far each
 * actuator displaces phase point k. Both of the mirror's Gaussians factor into rows and columns of
 * the grid: factor[c][a][i] belongs to Gaussian c, row or column a of the map of actuators, and row
 * or column i of the grid; weight[c] stands in front of Gaussian c. point and actuator: (row,
 * column) each. */
__kernel void influence_rows(__global wide *restrict influence, int n_actuators, int first_point,
    __global const int *restrict point, __global const int *restrict actuator,
    __global const wide *restrict factor, int n_across, int n_grid,
    __global const wide *restrict weight)
{
    int a = (int)get_global_id(0);
    size_t r = get_global_id(1);
    size_t k = first_point + r;
    if (a >= n_actuators) {
        return;
    }
    wide sum = 0;
    for (int c = 0; c < 2; ++c) {
        __global const wide *by_row = factor + (c * n_across + actuator[2 * a]) * n_grid;
        __global const wide *by_col = factor + (c * n_across + actuator[2 * a + 1]) * n_grid;
        sum += weight[c] * by_row[point[2 * k]] * by_col[point[2 * k + 1]];
    }
    influence[r * n_actuators + a] = sum;
}
