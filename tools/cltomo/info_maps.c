/* Maps of lenslets and actuators as text. */
#include <inttypes.h>
#include <stdio.h>

#include "info.h"

static void print_map(const char *title, const uint8_t *map, uint32_t n)
{
    (void)printf("\n%s, %" PRIu32 " x %" PRIu32 ", row 0 at the top\n", title, n, n);
    for (uint32_t row = 0; row < n; ++row) {
        (void)putchar(' ');
        for (uint32_t col = 0; col < n; ++col) {
            (void)fputs(map[(size_t)row * n + col] != 0 ? " #" : " .", stdout);
        }
        (void)putchar('\n');
    }
}

void info_print_maps(const system_info *info)
{
    const cltomo_system_description *d = info->description;
    print_map("Valid lenslets", d->valid_lenslets, d->n_lenslets);
    for (uint32_t i = 0; d->valid_lenslets_per_wfs != NULL && i < d->n_wfs; ++i) {
        char title[64];
        (void)snprintf(title, sizeof title, "Valid lenslets of sensor %" PRIu32, i);
        print_map(title, sensor_lenslets(d, i), d->n_lenslets);
    }
    if (d->n_actuators > 0) {
        print_map("Valid actuators", d->valid_actuators, d->n_actuators);
    }
}
