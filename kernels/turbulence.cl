/* The von Karman covariance and structure function, point by point. */

/* covariance[k] = factor f(u[k]); n is a multiple of WIDTH. */
__kernel void von_karman_covariance(
    __global wide *restrict covariance, __global const wide *restrict u, int n, wide factor)
{
    int k = (int)get_global_id(0) * WIDTH;
    if (k < n) {
        STORE(factor * VON_KARMAN(LOAD(u + k)), covariance + k);
    }
}

/* structure[k] = 2 factor (f(0) - f(u[k])); n is a multiple of WIDTH. Near 0 the series is taken
 * without its constant term, so that nothing cancels, and with a cube root that is right down to
 * the smallest u. */
__kernel void von_karman_structure(
    __global wide *restrict structure, __global const wide *restrict u, int n, wide factor)
{
    int k = (int)get_global_id(0) * WIDTH;
    if (k >= n) {
        return;
    }
    wide_vector v = LOAD(u + k);
    wide_vector w = v * v;
    wide_vector t = cbrt(v);
    wide_vector near = 0 - v * (v * VON_KARMAN_A_TAIL(w) + t * t * VON_KARMAN_B(w));
    wide_vector far = VON_KARMAN_F_ZERO - VON_KARMAN(v);
    STORE(2 * factor * (v < VON_KARMAN_SWITCH ? near : far), structure + k);
}
