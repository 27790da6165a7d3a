#include "reconstructor/reconstructor_internal.h"

/* Bytes of rows x cols elements, saturating. */
static uint64_t bytes(uint64_t rows, uint64_t cols, uint64_t element)
{
    if (rows != 0 && cols > UINT64_MAX / rows / element) {
        return UINT64_MAX;
    }
    return rows * cols * element;
}

static uint64_t sum(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static const uint32_t solution = CLTOMO_PRODUCT_R | CLTOMO_PRODUCT_R_UNSCALED | CLTOMO_PRODUCT_FR;

uint64_t cltomo_build_memory(const cltomo_system *system, const cltomo_build_options *options)
{
    const cltomo_build_options defaults = cltomo_build_options_init();
    const cltomo_build_options *o = options != NULL ? options : &defaults;
    cltomo_dimensions d;
    cltomo_system_dimensions(system, &d);
    uint64_t element = cltomo_precision_size(o->precision);
    uint64_t c_ss = bytes(d.n_slopes, d.n_slopes, element);
    uint64_t c_ps = bytes(d.n_phase, d.n_slopes, element);
    uint64_t total = 0;
    const uint32_t fitting = CLTOMO_PRODUCT_FR | CLTOMO_PRODUCT_F | CLTOMO_PRODUCT_IF;
    if ((o->products & (solution | CLTOMO_PRODUCT_C_SS | CLTOMO_PRODUCT_C_N)) != 0) {
        total = sum(total, c_ss);
    }
    if ((o->products & (solution | CLTOMO_PRODUCT_C_PS)) != 0) {
        total = sum(total, c_ps);
    }
    if ((o->products & solution) != 0 && (o->products & CLTOMO_PRODUCT_C_SS) != 0) {
        total = sum(total, c_ss); /* a copy beside the factor */
    }
    if ((o->products & solution) != 0 && (o->products & CLTOMO_PRODUCT_C_PS) != 0) {
        total = sum(total, c_ps);
    }
    if ((o->products & CLTOMO_PRODUCT_R_UNSCALED) != 0) {
        total = sum(total, c_ps);
    }
    if ((o->products & CLTOMO_PRODUCT_FR) != 0) {
        total = sum(total, bytes(d.n_actuators, d.n_slopes, element));
    }
    if ((o->products & fitting) != 0) {
        /* influence functions, their factor and the fitting matrix, in double */
        total = sum(total, bytes(3 * d.n_phase, d.n_actuators, sizeof(double)));
    }
    return total;
}
