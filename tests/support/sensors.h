/* A system of four sensors that all differ, and the configurations of some of them alone. */
#ifndef SENSORS_H
#define SENSORS_H

#include <stddef.h>
#include <stdint.h>

enum { sensors_max = 4 };

/* A configuration of those sensors only, in that order, with directions, rotations, offsets, maps
 * of lenslets and flux of their own; release it with free(). */
char *sensors_text(const uint32_t *sensors, size_t n_sensors);

/* That of all four. */
char *sensors_all_text(void);

#endif
