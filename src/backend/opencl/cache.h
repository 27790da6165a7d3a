/* Compiled programs on disk, so that a second process starts without compiling. Everything that
 * goes wrong here only means that the program is compiled again. */
#ifndef CLTOMO_BACKEND_OPENCL_CACHE_H
#define CLTOMO_BACKEND_OPENCL_CACHE_H

#include "backend/opencl/opencl.h"

/* The folder: the wanted one, or cltomo in $XDG_CACHE_HOME or ~/.cache; NULL if there is none. To
 * be released with the context. */
char *cltomo_cache_dir(const cltomo_context *context, const char *wanted);

/* FNV-1a, from CLTOMO_HASH_START or an earlier result. */
#define CLTOMO_HASH_START UINT64_C(0xcbf29ce484222325)
uint64_t cltomo_hash(uint64_t state, const void *data, size_t size);

/* The program kept under a key, or NULL if there is none or it is not what was written. To be
 * released with the context. */
unsigned char *cltomo_cache_read(
    const cltomo_context *context, const char *dir, uint64_t key, size_t *size);

/* Writes to a temporary file first; makes the folder if need be. */
void cltomo_cache_write(const cltomo_context *context, const char *dir, uint64_t key,
    const unsigned char *data, size_t size);

#endif
