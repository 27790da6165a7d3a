/* Between the parts of `cltomo info`. */
#ifndef CLTOMO_TOOL_INFO_H
#define CLTOMO_TOOL_INFO_H

#include "tool.h"

/* What a system holds, and what follows from it. */
typedef struct system_info {
    source from;
    const cltomo_system *system;
    const cltomo_system_description *description;
    cltomo_dimensions dimensions;
} system_info;

/* Memory that building R and FR takes, bytes. FR is left out if there is no mirror. */
uint64_t memory_needed(const system_info *info, int precision);

/* The valid lenslets of one sensor. */
const uint8_t *sensor_lenslets(const cltomo_system_description *d, uint32_t wfs);

void info_print(const system_info *info);
void info_print_json(const session *s, const system_info *info, bool maps);
void info_print_maps(const system_info *info);

#endif
