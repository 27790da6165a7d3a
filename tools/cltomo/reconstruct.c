/* cltomo reconstruct: wavefront maps or commands from slopes in a file. */
#include <cltomo/file.h>
#include <string.h>

#include "build.h"

typedef struct reconstruct_arguments {
    const char *path;
    int precision; /* cltomo_precision, or as_the_matrix */
    compute_settings compute;
    output_settings output;
} reconstruct_arguments;

enum { as_the_matrix = -1 };

#define FIELD(name) offsetof(reconstruct_arguments, name)

static const option reconstruct_options[] = {
    {'o', OPTION_TEXT, "output", FIELD(path), "FILE",
        "file to write, NPY if its name ends in .npy, else FITS\n(default: maps.fits)", NULL, NULL},
    {0, OPTION_CHOICE, "precision", FIELD(precision), "double|single",
        "of the computation, and of commands in the file\n(default: that of the matrix)",
        precision_choices, NULL},
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

static int reconstruct(session *s, const reconstruct_arguments *arguments, char **operands)
{
    cltomo_reconstruct_options options = cltomo_reconstruct_options_init();
    cltomo_error error = {0};
    if (arguments->precision != as_the_matrix) {
        options.has_precision = 1;
        options.precision = (cltomo_precision)arguments->precision;
    }
    session_work_begin(s);
    cltomo_status status = cltomo_reconstruct_files(s->context, operands[0], operands[1],
        arguments->path, format_of(arguments->path), &options, &error);
    session_work_end(s);
    if (interrupted()) {
        return session_error(s, STATUS_INTERRUPTED, "interrupted; %s",
            status == CLTOMO_OK ? "the file was written before" : "nothing was written");
    }
    return status == CLTOMO_OK ? STATUS_DONE : session_fail(s, &error);
}

static int run(const command *self, int argc, char **argv)
{
    reconstruct_arguments arguments = {.path = "maps.fits", .precision = as_the_matrix};
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
        status = reconstruct(&s, &arguments, argv);
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
        "Applies R.fits, as 'cltomo build' wrote it, to the vectors in SLOPES (FITS or NPY) and\n"
        "writes a cube of maps, one for each vector: the wavefront in metres on the square grid\n"
        "of the pupil, NaN outside its mask. With FR.fits or R_IM.fits the result is the\n"
        "commands, one row for each vector. R and FR of 'cltomo build --per-direction' give as\n"
        "many maps or rows for each vector as there are directions, all those of the first\n"
        "vector first.\n"
        "\n"
        "SLOPES has a row of n_slopes for each vector. Of three dimensions the first two count\n"
        "the vectors; one dimension is a single vector, which gives a single map. Any number of\n"
        "vectors will do: they are read, and the results written, some at a time.",
    .epilogue = COMPUTE_ENVIRONMENT,
    .options = reconstruct_options,
    .n_options = sizeof reconstruct_options / sizeof *reconstruct_options,
    .solves = true,
    .run = run,
};
