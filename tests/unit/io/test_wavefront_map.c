#include <criterion/criterion.h>
#include <math.h>

#include "io/io.h"

Test(wavefront_map, nan_outside_the_mask_and_zero_within)
{
    static const cltomo_point points[] = {{.row = 0, .col = 1}, {.row = 2, .col = 0}};
    static const double wavefront[] = {0.0, -3.0};
    double map[9];
    cr_assert_eq(cltomo_wavefront_map(map, 3, points, wavefront, 2, NULL), CLTOMO_OK);
    for (size_t i = 0; i < 9; ++i) {
        cr_assert(i == 1 ? map[i] == 0.0 : i == 6 ? map[i] == -3.0 : isnan(map[i]), "%zu", i);
    }
    map[0] = 7.0;
    cltomo_error error = {0};
    cr_assert_eq(cltomo_wavefront_map(map, 2, points, wavefront, 2, &error), CLTOMO_ERROR_SHAPE);
    cr_assert_eq(map[0], 7.0);
    cr_assert_neq(error.message[0], '\0');
}
