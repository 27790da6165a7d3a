#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "json.h"
#include "tool.h"

double seconds_now(void)
{
    struct timespec now = {0, 0};
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void keep_warning(session *s, const char *text)
{
    char *copy = s->n_warnings < MAX_KEPT_WARNINGS ? strdup(text) : NULL;
    if (copy != NULL) {
        s->warning[s->n_warnings++] = copy;
    }
}

static void add_warning(session *s, const char *text)
{
    for (size_t i = 0; i < s->n_warnings; ++i) {
        if (strcmp(s->warning[i], text) == 0) {
            return; /* once is enough, however often the same is done */
        }
    }
    keep_warning(s, text);
    if (!s->output.quiet) {
        progress_clear(&s->progress);
        print_warning("%s", text);
    }
}

static void receive_log(void *user, cltomo_log_level level, const char *text)
{
    session *s = user;
    (void)pthread_mutex_lock(&s->lock);
    if (level == CLTOMO_LOG_WARNING) {
        if (!s->loading) {
            add_warning(s, text);
        }
    } else if (!s->output.quiet && s->output.verbose + 1 >= (uint32_t)level) {
        progress_clear(&s->progress);
        (void)fprintf(stderr, "cltomo: %s\n", text);
    }
    (void)pthread_mutex_unlock(&s->lock);
}

static int receive_progress(void *user, const char *stage, double fraction)
{
    session *s = user;
    (void)pthread_mutex_lock(&s->lock);
    progress_draw(&s->progress, stage, fraction);
    (void)pthread_mutex_unlock(&s->lock);
    return interrupted();
}

int session_open(session *s, const output_settings *output, const compute_settings *compute)
{
    memset(s, 0, sizeof *s);
    s->output = *output;
    (void)pthread_mutex_init(&s->lock, NULL);
    return session_create_context(s, &s->context, compute);
}

int session_create_context(session *s, cltomo_context **context, const compute_settings *compute)
{
    cltomo_context_options options = CLTOMO_CONTEXT_OPTIONS_INIT;
    options.backend = (cltomo_backend_kind)compute->backend;
    options.device = compute->device;
    options.n_threads = compute->threads;
    options.log = receive_log;
    options.log_user = s;
    options.progress = receive_progress;
    options.progress_user = s;
    options.allocator = compute->allocator;
    cltomo_error error;
    if (cltomo_context_create(context, &options, &error) != CLTOMO_OK) {
        return session_fail(s, &error);
    }
    return STATUS_DONE;
}

int session_close(session *s, int status)
{
    bool is_reported = s->is_reported || status == STATUS_DONE || status == STATUS_INTERRUPTED;
    if (!is_reported && s->output.json) {
        json j = json_begin(stdout);
        json_begin_report(&j, status);
        json_errors(&j, s);
        json_warnings(&j, s);
        json_object_end(&j);
    }
    cltomo_diagnostics_destroy(s->diagnostics);
    cltomo_context_destroy(s->context);
    for (size_t i = 0; i < s->n_warnings; ++i) {
        free(s->warning[i]);
    }
    (void)pthread_mutex_destroy(&s->lock);
    return status;
}

int session_fail(session *s, const cltomo_error *error)
{
    s->error = *error;
    s->has_error = true;
    progress_clear(&s->progress);
    print_library_error(error);
    return exit_status_of(error->status);
}

int session_error(session *s, int status, const char *format, ...)
{
    va_list arguments;
    memset(&s->error, 0, sizeof s->error);
    va_start(arguments, format);
    (void)vsnprintf(s->error.message, sizeof s->error.message, format, arguments);
    va_end(arguments);
    s->has_error = true;
    progress_clear(&s->progress);
    print_error("%s", s->error.message);
    return status;
}

void session_warning(session *s, const char *format, ...)
{
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    (void)pthread_mutex_lock(&s->lock);
    add_warning(s, text);
    (void)pthread_mutex_unlock(&s->lock);
}

void session_keep_diagnostics(session *s)
{
    for (size_t i = 0; i < cltomo_diagnostics_count(s->diagnostics); ++i) {
        char text[1536];
        (void)cltomo_error_format(text, sizeof text, cltomo_diagnostics_get(s->diagnostics, i));
        keep_warning(s, text);
    }
    cltomo_diagnostics_destroy(s->diagnostics);
    s->diagnostics = NULL;
}

void session_work_begin(session *s)
{
    progress_prepare(&s->progress, &s->output);
    interrupts_begin();
}

void session_work_end(session *s)
{
    interrupts_end();
    progress_clear(&s->progress);
}
