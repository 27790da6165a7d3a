/* A context that counts the bytes it has allocated. */
#ifndef METER_H
#define METER_H

#include <cltomo/context.h>
#include <stdatomic.h>

typedef struct meter {
    atomic_llong used; /* bytes not released */
    atomic_llong peak; /* the most that they were */
} meter;

/* A context on the C path that allocates through *m, which must outlive it and starts from zero. */
cltomo_context *meter_context(meter *m);

#endif
