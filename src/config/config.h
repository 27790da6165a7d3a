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

#endif
