#include "support/sensors.h"

#include <stdio.h>
#include <stdlib.h>

/* The maps of sensors 0 and 2 are equal; only they have lenslets in the last row. The flux of
 * sensor 1 is 1 throughout. */
static const struct {
    const char *rotation;
    const char *offset_x;
    const char *offset_y;
    const char *direction;
    const char *map;
    const char *flux;
} sensor[sensors_max] = {
    {"0.05", "0.013", "-0.008", "[23.5, 1.25]",
        "[[0, 1, 1, 0], [1, 1, 1, 1], [1, 0, 1, 1], [0, 1, 0, 0]]",
        "[[1, 0.5, 2, 1], [1, 3, 1, 0.25], [4, 1, 1, 1], [1, 7, 1, 1]]"},
    {"-0.12", "-0.004", "0.017", "[-11, 20.75]",
        "[[0, 1, 1, 0], [1, 1, 0, 1], [1, 1, 1, 1], [0, 0, 0, 0]]",
        "[[1, 1, 1, 1], [1, 1, 1, 1], [1, 1, 1, 1], [1, 1, 1, 1]]"},
    {"0.21", "0.021", "0.002", "[-9.5, -17]",
        "[[0, 1, 1, 0], [1, 1, 1, 1], [1, 0, 1, 1], [0, 1, 0, 0]]",
        "[[1, 1, 1, 1], [2, 2, 2, 2], [3, 3, 3, 3], [1, 0.7, 1, 1]]"},
    {"0", "-0.031", "0.006", "[6.125, -21]",
        "[[0, 0, 1, 0], [0, 1, 1, 1], [1, 0, 1, 1], [0, 0, 0, 0]]",
        "[[1, 1, 0.1, 1], [1, 5, 1, 1], [1, 1, 1, 1], [1, 1, 1, 1]]"},
};

static const char *text_of(int which, uint32_t i)
{
    const char *const texts[] = {sensor[i].rotation, sensor[i].offset_x, sensor[i].offset_y,
        sensor[i].direction, sensor[i].map, sensor[i].flux};
    return texts[which];
}

/* Adds a list of one text of each sensor. */
static void add_list(FILE *out, const char *key, int which, const uint32_t *sensors, size_t n)
{
    (void)fprintf(out, "%s [", key);
    for (size_t i = 0; i < n; ++i) {
        (void)fprintf(out, "%s%s", i > 0 ? ", " : "", text_of(which, sensors[i]));
    }
    (void)fputs("]\n", out);
}

char *sensors_text(const uint32_t *sensors, size_t n_sensors)
{
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    if (out == NULL) {
        abort();
    }
    (void)fputs("lgs_wfs_parameters:\n  D: 3.7\n  nLenslet: 4\n  nPx: 8\n", out);
    add_list(out, "  wfsLensletsRotation:", 0, sensors, n_sensors);
    (void)fputs("  wfsLensletsOffset:\n", out);
    add_list(out, "    -", 1, sensors, n_sensors);
    add_list(out, "    -", 2, sensors, n_sensors);
    add_list(out, "  validLLMap:", 4, sensors, n_sensors);
    add_list(out, "  lensletFlux:", 5, sensors, n_sensors);
    (void)fputs("dm_parameters:\n  dmHeights: [0.0]\n  dmPitch: [0.74]\n  nActuators: [5]\n"
                "  validActuators: [[0, 1, 1, 1, 0], [1, 1, 1, 1, 1], [1, 1, 0, 1, 1],\n"
                "    [1, 1, 1, 1, 1], [0, 0, 1, 1, 0]]\n"
                "atmosphere_parameters:\n  nLayer: 3\n  zenithAngleInDeg: 37\n"
                "  altitude: [0, 4.3, 11.8]\n  L0: 24\n  r0: 0.14\n"
                "  fractionnalR0: [0.5500001, 0.27, 0.18]\n",
        out);
    (void)fprintf(out, "lgs_asterism:\n  nLGS: %zu\n", n_sensors);
    add_list(out, "  directions:", 3, sensors, n_sensors);
    (void)fputs("  LGSwavelength: 5.89e-7\n  baseLGSHeight: 90000\n"
                "tomography_parameters:\n  directions: [[1, 2], [-14, 5.5], [3, -9]]\n"
                "  directionWeights: [0.3, 1.2, 0.7]\n  directionHeights: [.inf, 50000, .inf]\n",
        out);
    if (fclose(out) != 0) {
        abort();
    }
    return text;
}

char *sensors_all_text(void)
{
    static const uint32_t all[sensors_max] = {0, 1, 2, 3};
    return sensors_text(all, sensors_max);
}
