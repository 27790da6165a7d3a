/* What every part of the library stands on: errors, memory, the context, threads, dense matrices.
 */
#ifndef CLTOMO_CORE_CORE_H
#define CLTOMO_CORE_CORE_H

#include <cltomo/context.h>
#include <cltomo/diagnostics.h>
#include <cltomo/matrix.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define CLTOMO_PRINTF(format_index, first) __attribute__((format(printf, format_index, first)))
#else
#define CLTOMO_PRINTF(format_index, first)
#endif

/* ---- errors -------------------------------------------------------------------------------- */

/* Each fills *error (which may be NULL) from scratch and has the value of status, so that a
 * function can write `return cltomo_fail(error, ...)`. They are macros so that the compiler and the
 * static analyzer see that value. Strings that are too long are cut. */
#define cltomo_fail(error, status, ...) (cltomo_set_error((error), (status), __VA_ARGS__), (status))
#define cltomo_fail_key(error, status, ...)                                                        \
    (cltomo_set_error_key((error), (status), __VA_ARGS__), (status))
#define cltomo_fail_file(error, status, ...)                                                       \
    (cltomo_set_error_file((error), (status), __VA_ARGS__), (status))

/* Out of memory while allocating for `what`. */
#define cltomo_fail_memory(error, what)                                                            \
    cltomo_fail((error), CLTOMO_ERROR_MEMORY, "no memory for %s", (what))

void cltomo_set_error(cltomo_error *error, cltomo_status status, const char *format, ...)
    CLTOMO_PRINTF(3, 4);

/* An argument or field `key` has a value that is not allowed. */
void cltomo_set_error_key(cltomo_error *error, cltomo_status status, const char *key,
    const char *value, const char *allowed, const char *format, ...) CLTOMO_PRINTF(6, 7);

/* A file could not be read or written, or its content is wrong. */
void cltomo_set_error_file(cltomo_error *error, cltomo_status status, const char *file,
    const char *format, ...) CLTOMO_PRINTF(4, 5);

/* Copies text into field[size], cutting it at a UTF-8 character if it is too long. */
void cltomo_copy_text(char *field, size_t size, const char *text);

/* ---- memory -------------------------------------------------------------------------------- */

#define CLTOMO_ALIGNMENT 64 /* bytes: a cache line and the widest vector register */

/* count elements of element_size bytes, aligned to CLTOMO_ALIGNMENT, not cleared. NULL if there is
 * no memory or the product overflows; a count of 0 gives a valid pointer. */
void *cltomo_allocate(const cltomo_context *context, size_t count, size_t element_size);

/* The same, cleared to zero bytes. */
void *cltomo_allocate_zero(const cltomo_context *context, size_t count, size_t element_size);

/* A copy of count elements; NULL if there is no memory. */
void *cltomo_duplicate(
    const cltomo_context *context, const void *data, size_t count, size_t element_size);

/* Accepts NULL. */
void cltomo_release(const cltomo_context *context, void *pointer);

/* ---- the context --------------------------------------------------------------------------- */

/* Another reference to the context for an object that outlives the call. */
const cltomo_context *cltomo_context_retain(const cltomo_context *context);
void cltomo_context_release(const cltomo_context *context);

/* True if the caller chose the number of threads: then the BLAS is held to it too. */
bool cltomo_context_threads_requested(const cltomo_context *context);

void cltomo_log(const cltomo_context *context, cltomo_log_level level, const char *format, ...)
    CLTOMO_PRINTF(3, 4);

/* Reports progress; CLTOMO_ERROR_CANCELLED if the callback says so. */
cltomo_status cltomo_progress(
    const cltomo_context *context, const char *stage, double fraction, cltomo_error *error);

/* Monotonic time in seconds. */
double cltomo_seconds(void);

/* ---- threads ------------------------------------------------------------------------------- */

/* Work on the items begin <= i < end; worker counts from 0 to cltomo_context_threads() - 1 and is
 * not used by two running calls at the same time. */
typedef void (*cltomo_parallel_function)(void *user, size_t begin, size_t end, size_t worker);

/* Runs function over 0 <= i < n on the context's threads, handing out chunks of `chunk` items in
 * ascending order. Returns when all are done. Threads live for the call only: nothing spins beside
 * the BLAS's own threads, and a context needs no pool to share. If threads cannot be created, the
 * caller's thread does the work alone. */
void cltomo_parallel_for(const cltomo_context *context, size_t n, size_t chunk,
    cltomo_parallel_function function, void *user);

/* ---- dense matrices ------------------------------------------------------------------------ */

/* Internals are open to the library: whoever creates a matrix fills it before handing it out. */
struct cltomo_matrix {
    const cltomo_context *context;
    size_t rows;
    size_t cols;
    cltomo_precision precision;
    union {
        void *raw;
        double *f64;
        float *f32;
    } data; /* rows * cols, row-major */
};

size_t cltomo_precision_size(cltomo_precision precision);

/* A matrix with elements not yet set. */
cltomo_status cltomo_matrix_allocate(const cltomo_context *context, cltomo_matrix **matrix,
    cltomo_precision precision, size_t rows, size_t cols, cltomo_error *error);

/* A copy in the given precision. */
cltomo_status cltomo_matrix_convert(const cltomo_context *context, cltomo_matrix **converted,
    const cltomo_matrix *matrix, cltomo_precision precision, cltomo_error *error);

/* True if all elements are finite. */
bool cltomo_matrix_is_finite(const cltomo_matrix *matrix);

/* Where the first element that is not finite stands, row by row; there must be one. */
void cltomo_matrix_find_not_finite(const cltomo_matrix *matrix, size_t *row, size_t *col);

/* ---- diagnostics --------------------------------------------------------------------------- */

/* An empty list; NULL if there is no memory. */
cltomo_diagnostics *cltomo_diagnostics_create(const cltomo_context *context);

/* Appends a copy of the entry. Beyond CLTOMO_MAX_DIAGNOSTICS entries, or without memory, it is only
 * counted by severity, so an error is never lost. */
#define CLTOMO_MAX_DIAGNOSTICS 200
void cltomo_diagnostics_add(cltomo_diagnostics *diagnostics, const cltomo_error *entry);

/* Sorts the entries by line and column, keeping the order of equal ones. */
void cltomo_diagnostics_sort(cltomo_diagnostics *diagnostics);

#endif
