#include "backend/cpu/blas_info.h"

#include <criterion/criterion.h>

#include <stdio.h>
#include <string.h>

typedef struct verdict_case {
    const char *library;
    const char *core;
    uint32_t avx2;
    uint32_t avx512;
    uint32_t slow;
    const char *preferred_core;
} verdict_case;

#define DYNAMIC "OpenBLAS 0.3.21 DYNAMIC_ARCH NO_AFFINITY Prescott MAX_THREADS=64"
#define FIXED "OpenBLAS 0.3.21 NO_AFFINITY Prescott MAX_THREADS=64"

static const verdict_case cases[] = {
    /* An Emerald Rapids that 0.3.21 does not know. */
    {DYNAMIC, "Prescott", 1, 1, 1, "SKYLAKEX"},
    {DYNAMIC, "Prescott", 1, 0, 1, "HASWELL"},
    {DYNAMIC, "Core2", 1, 0, 1, "HASWELL"},
    {DYNAMIC, "Nehalem", 1, 1, 1, "SKYLAKEX"},
    {DYNAMIC, "generic", 1, 0, 1, "HASWELL"},
    {DYNAMIC, "Sandybridge", 1, 0, 1, "HASWELL"},
    /* The processor has nothing better to offer. */
    {DYNAMIC, "Prescott", 0, 0, 0, NULL},
    {DYNAMIC, "Sandybridge", 0, 0, 0, NULL},
    /* Kernels that use the vector units; Zen is right for AMD's with AVX-512, too. */
    {DYNAMIC, "SkylakeX", 1, 1, 0, NULL},
    {DYNAMIC, "Haswell", 1, 0, 0, NULL},
    {DYNAMIC, "Zen", 1, 1, 0, NULL},
    {DYNAMIC, "a core of the future", 1, 1, 0, NULL},
    /* No kernels to choose from. */
    {FIXED, "Prescott", 1, 1, 1, NULL},
    /* Another BLAS. */
    {"", "", 1, 1, 0, NULL},
};

static cltomo_blas_info info_of(const verdict_case *c)
{
    cltomo_blas_info info = {0};
    snprintf(info.library, sizeof info.library, "%s", c->library);
    snprintf(info.core, sizeof info.core, "%s", c->core);
    info.cpu_has_avx2 = c->avx2;
    info.cpu_has_avx512 = c->avx512;
    cltomo_blas_judge(&info);
    return info;
}

Test(blas_info, generic_kernels_on_a_processor_with_wide_vectors_are_slow)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        cltomo_blas_info info = info_of(&cases[i]);
        cr_expect_eq(info.slow, cases[i].slow, "case %zu", i);
        if (cases[i].preferred_core == NULL) {
            cr_expect_null(info.preferred_core, "case %zu", i);
        } else {
            cr_assert_not_null(info.preferred_core, "case %zu", i);
            cr_expect_str_eq(info.preferred_core, cases[i].preferred_core, "case %zu", i);
        }
    }
}

typedef struct message_log {
    size_t n;
    cltomo_log_level level;
    char text[1024];
} message_log;

static void record(void *user, cltomo_log_level level, const char *text)
{
    message_log *log = user;
    ++log->n;
    log->level = level;
    snprintf(log->text, sizeof log->text, "%s", text);
}

static cltomo_context *context_with(message_log *log)
{
    cltomo_context_options options = CLTOMO_CONTEXT_OPTIONS_INIT;
    cltomo_context *context = NULL;
    options.log = record;
    options.log_user = log;
    cr_assert_eq(cltomo_context_create(&context, &options, NULL), CLTOMO_OK);
    return context;
}

Test(blas_info, one_warning_names_the_remedy)
{
    message_log log = {0};
    cltomo_context *context = context_with(&log);
    cltomo_blas_info info = info_of(&cases[0]);
    cltomo_blas_warn(context, &info);
    cr_assert_eq(log.n, 1);
    cr_expect_eq(log.level, CLTOMO_LOG_WARNING);
    cr_expect_not_null(strstr(log.text, "Prescott"));
    cr_expect_not_null(strstr(log.text, "AVX-512"));
    cr_expect_not_null(strstr(log.text, "OPENBLAS_CORETYPE=SKYLAKEX"));
    cltomo_context_destroy(context);
}

Test(blas_info, a_variable_that_would_not_help_is_not_recommended)
{
    message_log log = {0};
    cltomo_context *context = context_with(&log);
    cltomo_blas_info info = info_of(&(verdict_case){FIXED, "Prescott", 1, 0, 0, NULL});
    cltomo_blas_warn(context, &info);
    cr_assert_eq(log.n, 1);
    cr_expect_null(strstr(log.text, "OPENBLAS_CORETYPE"));
    cr_expect_not_null(strstr(log.text, "DYNAMIC_ARCH"));
    cltomo_context_destroy(context);
}

Test(blas_info, no_warning_when_all_is_well)
{
    message_log log = {0};
    cltomo_context *context = context_with(&log);
    cltomo_blas_info info = info_of(&(verdict_case){DYNAMIC, "SkylakeX", 1, 1, 0, NULL});
    cltomo_blas_warn(context, &info);
    cr_expect_eq(log.n, 0);
    cltomo_context_destroy(context);
}

Test(blas_info, the_running_blas_is_described_consistently)
{
    cltomo_blas_info info;
    cltomo_blas_get_info(&info);
    if (strncmp(info.library, "OpenBLAS", strlen("OpenBLAS")) == 0) {
        cr_expect_gt(strlen(info.core), 0);
        cr_expect_geq(info.n_threads, 1);
    } else {
        cr_expect_not(info.slow);
    }
    message_log log = {0};
    cltomo_context *context = context_with(&log);
    cltomo_blas_warn_if_slow(context);
    cr_expect_eq(log.n, info.slow ? 1 : 0);
    cltomo_context_destroy(context);
}
