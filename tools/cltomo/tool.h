/* What the commands of cltomo share: exit statuses, messages, the session that a command works in,
 * and small helpers. */
#ifndef CLTOMO_TOOL_H
#define CLTOMO_TOOL_H

#include <cltomo/context.h>
#include <cltomo/device.h>
#include <cltomo/diagnostics.h>
#include <cltomo/geometry.h>
#include <cltomo/system.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "json.h"
#include "options.h"

/* ---- exit statuses (status.c) -------------------------------------------------------------- */

enum {
    STATUS_DONE = 0,
    STATUS_INTERNAL = 1, /* a defect of ours */
    STATUS_USAGE = 2,
    STATUS_BAD_INPUT = 3,
    STATUS_RESOURCES = 4, /* memory, files, devices */
    STATUS_NUMERICAL = 5, /* not positive definite, not finite */
    STATUS_SLOWER = 6,    /* than the baseline of a benchmark */
    STATUS_INTERRUPTED = 130
};

int exit_status_of(cltomo_status status);

/* ---- messages on standard error (message.c) ------------------------------------------------ */

#define PRINTF_LIKE(format_index, first) __attribute__((format(printf, format_index, first)))

/* "cltomo: error: TEXT" or "cltomo: warning: TEXT". */
void print_error(const char *format, ...) PRINTF_LIKE(1, 2);
void print_warning(const char *format, ...) PRINTF_LIKE(1, 2);

/* "FILE:LINE:COLUMN: error: KEY: MESSAGE (got VALUE; allowed: ALLOWED)", or after "cltomo: " if the
 * error belongs to no file. */
void print_library_error(const cltomo_error *error);

/* ---- what a command computes with (compute.c) ---------------------------------------------- */

typedef struct compute_settings {
    int backend;                       /* cltomo_backend_kind */
    const char *device;                /* NULL: chosen */
    uint32_t threads;                  /* 0: all */
    const cltomo_allocator *allocator; /* NULL: the C library's */
} compute_settings;

/* For commands that compute next to nothing: no OpenCL driver is loaded. */
extern const compute_settings compute_nothing;

extern const option_choice backend_choices[];
extern const option_range thread_counts;

/* Entries for a command's table of options; the arguments are the offsets of the settings. */
#define OPTION_BACKEND_AND_DEVICE(backend_offset, device_offset)                                   \
    {0, OPTION_CHOICE, "backend", backend_offset, "auto|cpu|opencl",                               \
        "what computes: the first OpenCL GPU or accelerator, else the CPU;\n"                      \
        "the CPU; or an OpenCL device, which may be a CPU (default: auto)",                        \
        backend_choices, NULL},                                                                    \
    {                                                                                              \
        0, OPTION_TEXT, "device", device_offset, "PLATFORM:DEVICE|NAME",                           \
            "compute on this OpenCL device: two numbers as 'cltomo devices'\n"                     \
            "lists them, or part of a name; implies --backend opencl",                             \
            NULL, NULL                                                                             \
    }
#define OPTION_WFS(offset)                                                                         \
    {                                                                                              \
        0, OPTION_LIST, "wfs", offset, "LIST",                                                     \
            "only these sensors with their guide stars, whatever their order in\n"                 \
            "the list; numbers from 0 and ranges: 0,2-4 (default: all)",                           \
            NULL, NULL                                                                             \
    }
#define OPTION_JSON(offset)                                                                        \
    {                                                                                              \
        0, OPTION_FLAG, "json", offset, NULL, "print one JSON object instead of text", NULL, NULL  \
    }

/* Checks --backend and --device together. On wrong usage says so and returns false. */
bool compute_finish(const command *self, compute_settings *compute);

/* ---- the session of a command (session.c) -------------------------------------------------- */

/* What most commands let the user say about their output. */
typedef struct output_settings {
    bool json;
    bool quiet;
    uint32_t verbose; /* 1: what the library logs at level info, 2: also debug */
} output_settings;

typedef struct progress_bar {
    bool possible; /* standard error is a terminal, and may be drawn on */
    bool visible;
    double started; /* seconds */
    double drawn;   /* when it was last drawn */
} progress_bar;

#define MAX_KEPT_WARNINGS 32

/* Everything a command reports goes through its session, so that --json and --quiet hold for all
 * of it. */
typedef struct session {
    output_settings output;
    cltomo_context *context;
    pthread_mutex_t lock; /* log messages come from any thread */
    progress_bar progress;
    bool loading;                    /* warnings are in the diagnostics, the log repeats them */
    cltomo_diagnostics *diagnostics; /* of the configuration */
    char *warning[MAX_KEPT_WARNINGS];
    size_t n_warnings;
    cltomo_error error; /* the failure, if it is not in the diagnostics */
    bool has_error;
    bool is_reported; /* standard output holds the JSON already, also of a failure */
} session;

/* Creates the context. Returns an exit status. */
int session_open(session *s, const output_settings *output, const compute_settings *compute);

/* Another context that reports to the session; the caller's, to be destroyed before the session is
 * closed. Returns an exit status. */
int session_create_context(session *s, cltomo_context **context, const compute_settings *compute);

/* Releases everything. After a failure and with --json, prints an object that holds the errors.
 * Returns status. */
int session_close(session *s, int status);

/* Reports an error of the library; returns the exit status. */
int session_fail(session *s, const cltomo_error *error);

/* Reports an error of our own; returns status. */
int session_error(session *s, int status, const char *format, ...) PRINTF_LIKE(3, 4);

void session_warning(session *s, const char *format, ...) PRINTF_LIKE(2, 3);

/* Before another configuration is read: keeps the warnings about the last one. */
void session_keep_diagnostics(session *s);

/* Call between begin and end of long work: interrupts cancel it, a bar shows how far it is. */
void session_work_begin(session *s);
void session_work_end(session *s);

/* Monotonic time. */
double seconds_now(void);

/* ---- progress (progress.c) ----------------------------------------------------------------- */

void progress_prepare(progress_bar *bar, const output_settings *output);
void progress_draw(progress_bar *bar, const char *stage, double fraction);
void progress_clear(progress_bar *bar);

/* ---- interrupts (interrupt.c) -------------------------------------------------------------- */

/* Remembers how the signals are handled, at the start of main: an OpenCL driver may change that. */
void interrupts_note(void);

/* SIGINT, SIGTERM and SIGHUP are only noted from begin to end. A second one kills as usual. */
void interrupts_begin(void);
void interrupts_end(void);
bool interrupted(void);

/* Dies of the signal that was noted, so that the shell sees it; returns STATUS_INTERRUPTED if that
 * does not work. */
int die_of_interrupt(void);

/* ---- the operand CONFIG|EXAMPLE (source.c) ------------------------------------------------- */

typedef enum source_kind { SOURCE_FILE, SOURCE_EXAMPLE, SOURCE_STDIN } source_kind;

typedef struct source {
    source_kind kind;
    const char *name; /* as shown to the user */
} source;

extern const char *const source_kind_name[];

/* The built-in example whose name is most like this one; NULL if none is. */
const char *nearest_example(const char *name);

/* Loads the system that operand names and reports all that is wrong with it; of its sensors only
 * those of --wfs, if it was given. Returns an exit status; the system is the caller's. */
int source_load(
    session *s, source *from, cltomo_system **system, const char *operand, const text_list *wfs);

/* ", sensors 0, 2" if the system is a subset, else nothing. */
void source_print_sensors(const cltomo_system *system);

/* ---- lists of numbers (indices.c) ---------------------------------------------------------- */

/* The numbers below n that the lists of an option name, ascending, each once; to be freed. Returns
 * an exit status. name is what messages call the option. */
int indices_read(session *s, const char *name, const text_list *lists, size_t n, uint32_t **indices,
    size_t *n_indices);

/* ---- JSON that commands share (report_json.c) ---------------------------------------------- */

/* Opens the outermost object. */
void json_begin_report(json *j, int status);
void json_warnings(json *j, const session *s);
void json_errors(json *j, const session *s);
void json_system(json *j, const source *from, const cltomo_system *system);
void json_measured_system(json *j, const char *name, const cltomo_system *system);
void json_dimensions(json *j, const cltomo_dimensions *dimensions);
void json_blas(json *j);
void json_device(json *j, const char *key, const cltomo_device *device);

/* "gpu" */
const char *device_type_name(cltomo_device_type type);

/* ---- files and memory (files.c, memory.c) -------------------------------------------------- */

/* Whether files can be created in a directory, which need not exist yet. errno says why not. */
bool directory_is_usable(const char *path);

/* Creates the directory and its parents unless they exist. *n_existing: characters of the path that
 * name what was there before. */
bool directory_create(const char *path, size_t *n_existing);

/* Removes what directory_create made, as far as it is empty. */
void directory_remove(const char *path, size_t n_existing);

/* "DIRECTORY/NAME.EXTENSION", to be freed; NULL without memory. */
char *path_join(const char *directory, const char *name, const char *extension);

/* Bytes; 0 if it cannot be found out. */
uint64_t size_of_file(const char *path);

/* Memory that the system can hand out without swapping, bytes; 0 if unknown. */
uint64_t available_memory(void);

/* ---- units for people (units.c) ------------------------------------------------------------ */

double degrees(double radians);
double arcsec(double radians);
double arcsec_of_tangent(double tangent);

/* "25.5 MB" */
void format_bytes(char *text, size_t size, double bytes);

/* ---- BLAS (blas.c) ------------------------------------------------------------------------- */

/* If OpenBLAS runs kernels that do not suit the processor, starts this program again with the
 * right ones, once, unless the user chose the kernels. Returns if there is nothing to do. */
void restart_with_fast_blas(char **argv);

#endif
