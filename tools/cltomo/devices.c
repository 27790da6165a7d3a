/* cltomo devices: what there is to compute on, and whether it computes the right thing. */
#include "devices.h"

#include <stdlib.h>
#include <string.h>

/* ---- what auto takes ----------------------------------------------------------------------- */

static bool is_set(const char *variable)
{
    const char *value = getenv(variable);
    return value != NULL && value[0] != '\0';
}

static bool has_accelerator(const devices_report *report)
{
    for (size_t i = 0; i < report->n_devices; ++i) {
        if (report->device[i].type == CLTOMO_DEVICE_GPU ||
            report->device[i].type == CLTOMO_DEVICE_ACCELERATOR) {
            return true;
        }
    }
    return false;
}

/* The first warning of a context says why it does not use a device that is there. */
static void keep_first_warning(void *user, cltomo_log_level level, const char *text)
{
    char *reason = user;
    if (level == CLTOMO_LOG_WARNING && reason[0] == '\0') {
        (void)snprintf(reason, sizeof((automatic_choice *)NULL)->reason, "%s", text);
    }
}

/* NULL if the context's warning is the reason. */
static const char *reason_of(const devices_report *report)
{
    const char *backend = getenv("CLTOMO_BACKEND");
    bool is_forced = backend != NULL && backend[0] != '\0' && strcmp(backend, "auto") != 0;
    if (is_forced) {
        return report->automatic.has_device ? "CLTOMO_BACKEND is opencl" : "CLTOMO_BACKEND is cpu";
    }
    if (report->automatic.has_device) {
        return is_set("CLTOMO_DEVICE") ? "CLTOMO_DEVICE names it" : "the first GPU or accelerator";
    }
    if (report->n_devices == 0) {
        return "no OpenCL device can be reached";
    }
    if (!has_accelerator(report) && !is_set("CLTOMO_DEVICE")) {
        return "no GPU or accelerator";
    }
    return NULL;
}

/* By trying it: whether a device works shows only then. */
static void find_automatic_choice(devices_report *report)
{
    automatic_choice *choice = &report->automatic;
    cltomo_context_options options = CLTOMO_CONTEXT_OPTIONS_INIT;
    cltomo_context *context = NULL;
    cltomo_error error = {0};
    options.log = keep_first_warning;
    options.log_user = choice->reason;
    if (cltomo_context_create(&context, &options, &error) != CLTOMO_OK) {
        choice->fails = true;
        (void)cltomo_error_format(choice->reason, sizeof choice->reason, &error);
        return;
    }
    choice->has_device = cltomo_context_device(context, &choice->device) != 0;
    cltomo_context_destroy(context);
    const char *reason = reason_of(report);
    if (reason != NULL) {
        (void)snprintf(choice->reason, sizeof choice->reason, "%s", reason);
    }
}

/* ---- the command --------------------------------------------------------------------------- */

typedef struct devices_arguments {
    bool check;
    output_settings output;
} devices_arguments;

#define FIELD(name) offsetof(devices_arguments, name)

static const option devices_options[] = {
    {0, OPTION_FLAG, "check", FIELD(check), NULL,
        "build a small system on each device and on the C path, in every\n"
        "precision, and compare; exit status 4 if any is wrong",
        NULL, NULL},
    OPTION_JSON(FIELD(output.json)),
};

static int check(session *s, devices_report *report)
{
    cltomo_error error = {0};
    if (!devices_check_all(report, s->context, &error)) {
        return session_fail(s, &error);
    }
    for (size_t i = 0; i < report->n_checks; ++i) {
        if (!report->check[i].passed) {
            return STATUS_RESOURCES;
        }
    }
    return STATUS_DONE;
}

static int list_and_check(session *s, devices_report *report, const devices_arguments *arguments)
{
    int status = STATUS_DONE;
    size_t n = cltomo_devices_list(report->device, MAX_DEVICES);
    report->n_devices = n < MAX_DEVICES ? n : MAX_DEVICES;
    find_automatic_choice(report);
    cltomo_blas_get_info(&report->blas);
    if (arguments->check) {
        status = check(s, report);
        if (s->has_error) {
            return status;
        }
    }
    if (arguments->output.json) {
        devices_print_json(s, report, status);
        s->is_reported = true;
    } else {
        devices_print(report);
    }
    return status;
}

static int run(const command *self, int argc, char **argv)
{
    devices_arguments arguments = {0};
    session s;
    size_t n_operands;
    int status;
    if (!arguments_parse(self, argc, argv, &arguments, &n_operands, &status)) {
        return status;
    }
    devices_report *report = calloc(1, sizeof *report);
    arguments.output.quiet = true; /* the report says what a warning would */
    status = session_open(&s, &arguments.output, &compute_nothing);
    if (status == STATUS_DONE && report == NULL) {
        status = session_error(&s, STATUS_RESOURCES, "no memory for the list of devices");
    } else if (status == STATUS_DONE) {
        status = list_and_check(&s, report, &arguments);
    }
    free(report);
    return session_close(&s, status);
}

const command command_devices = {
    .name = "devices",
    .operands = "",
    .min_operands = 0,
    .max_operands = 0,
    .summary = "list what there is to compute on, and check it",
    .description =
        "Lists the OpenCL devices, which one --backend auto takes and why, and the library\n"
        "of linear algebra that the C path uses. The numbers PLATFORM:DEVICE are what --device\n"
        "takes.",
    .epilogue = COMPUTE_ENVIRONMENT,
    .options = devices_options,
    .n_options = sizeof devices_options / sizeof *devices_options,
    .run = run,
};
