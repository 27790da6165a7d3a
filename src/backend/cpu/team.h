/* Helper threads that work at the frames of a real-time loop together with the loop's own thread.
 *
 * The work of a frame has a fixed number of parts, which whoever is awake takes one after the
 * other. So a helper that sleeps, or that the operating system has put aside, takes none: the
 * loop's thread then does its share, and waits only for parts that a helper has begun. The loop's
 * thread makes no system call; helpers do. */
#ifndef CLTOMO_BACKEND_CPU_TEAM_H
#define CLTOMO_BACKEND_CPU_TEAM_H

#include "backend/plan.h"

typedef struct cltomo_team cltomo_team;

typedef void (*cltomo_team_function)(void *user, size_t part, size_t n_parts);

/* n_threads - 1 helpers; fewer, with a warning in the log, if there cannot be more. A processor on
 * which a helper cannot run is an error. */
cltomo_status cltomo_team_create(const cltomo_context *context, cltomo_team **team,
    const cltomo_plan_options *options, cltomo_error *error);

uint32_t cltomo_team_threads(const cltomo_team *team);

/* [rt] Calls function once for each part, on any thread of the team. One call at a time. */
void cltomo_team_run(cltomo_team *team, cltomo_team_function function, void *user);

void cltomo_team_destroy(cltomo_team *team); /* accepts NULL */

#endif
