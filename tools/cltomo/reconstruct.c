/* cltomo reconstruct: wavefront maps or commands from slopes in a file. */
#include <cltomo/file.h>
#include <string.h>

#include "tool.h"

typedef struct reconstruct_arguments {
    const char *path;
    compute_settings compute;
    output_settings output;
} reconstruct_arguments;

#define FIELD(name) offsetof(reconstruct_arguments, name)

static const option reconstruct_options[] = {
    {'o', OPTION_TEXT, "output", FIELD(path), "FILE",
        "file to write, NPY if its name ends in .npy, else FITS\n(default: maps.fits)", NULL, NULL},
    OPTION_BACKEND_AND_DEVICE(FIELD(compute.backend), FIELD(compute.device)),
    {0, OPTION_INTEGER, "threads", FIELD(compute.threads), "N",
        "CPU threads (default: all that the process may use)", NULL, &thread_counts},
};

static cltomo_file_format format_of(const char *path)
{
    size_t length = strlen(path);
    return length > 4 && strcmp(path + length - 4, ".npy") == 0 ? CLTOMO_FORMAT_NPY
                                                                : CLTOMO_FORMAT_FITS;
}

static int run(const command *self, int argc, char **argv)
{
    reconstruct_arguments arguments = {.path = "maps.fits"};
    session s;
    size_t n_operands;
    int status;
    if (!arguments_parse(self, argc, argv, &arguments, &n_operands, &status)) {
        return status;
    }
    if (!compute_finish(self, &arguments.compute)) {
        return STATUS_USAGE;
    }
    status = session_open(&s, &arguments.output, &arguments.compute);
    if (status == STATUS_DONE) {
        cltomo_error error = {0};
        cltomo_status result = cltomo_reconstruct_files(
            s.context, argv[0], argv[1], arguments.path, format_of(arguments.path), &error);
        status = result == CLTOMO_OK ? STATUS_DONE : session_fail(&s, &error);
    }
    return session_close(&s, status);
}

const command command_reconstruct = {
    .name = "reconstruct",
    .operands = "R.fits SLOPES",
    .min_operands = 2,
    .max_operands = 2,
    .summary = "wavefront maps from slopes in a file",
    .description =
        "Applies R.fits, as 'cltomo build' wrote it, to each row of SLOPES (FITS or NPY, one\n"
        "row of n_slopes for each vector) and writes a cube of maps, one for each vector: the\n"
        "wavefront in metres on the square grid of the pupil, NaN outside its mask. With\n"
        "FR.fits or R_IM.fits the result is the commands, one row for each vector.",
    .epilogue = COMPUTE_ENVIRONMENT,
    .options = reconstruct_options,
    .n_options = sizeof reconstruct_options / sizeof *reconstruct_options,
    .solves = true,
    .run = run,
};
