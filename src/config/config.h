/* What the parts above need of a system beyond its public functions. */
#ifndef CLTOMO_CONFIG_CONFIG_H
#define CLTOMO_CONFIG_CONFIG_H

#include <cltomo/system.h>

#include "core/core.h"

/* Another reference to the system for an object that outlives the call; cltomo_system_destroy
 * drops it. */
const cltomo_system *cltomo_system_retain(const cltomo_system *system);
void cltomo_system_release(const cltomo_system *system);

/* The context that the system was made with, which lives as long as the system. */
const cltomo_context *cltomo_system_context(const cltomo_system *system);

/* The system that the sensors of a subset were taken from; NULL: it is no subset. */
const cltomo_system *cltomo_system_whole(const cltomo_system *system);

/* Makes a system, just created, a subset of another, which it retains. It owns the numbers then,
 * which cltomo_system_wfs_numbers tells. */
void cltomo_system_set_whole(
    cltomo_system *system, const cltomo_system *whole, uint32_t *wfs_numbers);

#endif
