/* cltomo info: what a configuration says, and what follows from it. */
#include "info.h"

#include <cltomo/reconstructor.h>

uint64_t memory_needed(const system_info *info, int precision)
{
    cltomo_build_options options = cltomo_build_options_init();
    options.precision = (cltomo_precision)precision;
    options.products = CLTOMO_PRODUCT_R;
    if (info->dimensions.n_actuators > 0) {
        options.products |= CLTOMO_PRODUCT_FR;
    }
    return cltomo_build_memory(info->system, &options);
}

const uint8_t *sensor_lenslets(const cltomo_system_description *d, uint32_t wfs)
{
    size_t n_cells = (size_t)d->n_lenslets * d->n_lenslets;
    return d->valid_lenslets_per_wfs != NULL ? d->valid_lenslets_per_wfs + wfs * n_cells
                                             : d->valid_lenslets;
}

typedef struct info_arguments {
    bool maps;
    text_list wfs;
    output_settings output;
} info_arguments;

#define FIELD(name) offsetof(info_arguments, name)

static const option info_options[] = {
    {0, OPTION_FLAG, "maps", FIELD(maps), NULL, "also draw the valid lenslets and actuators", NULL,
        NULL},
    OPTION_WFS(FIELD(wfs)),
    OPTION_JSON(FIELD(output.json)),
    {'q', OPTION_FLAG, "quiet", FIELD(output.quiet), NULL, "print no warnings", NULL, NULL},
};

static int run(const command *self, int argc, char **argv)
{
    info_arguments arguments = {0};
    session s;
    size_t n_operands;
    int status;
    if (!arguments_parse(self, argc, argv, &arguments, &n_operands, &status)) {
        return status;
    }
    system_info info = {0};
    cltomo_system *system = NULL;
    status = session_open(&s, &arguments.output, &compute_nothing);
    if (status == STATUS_DONE) {
        status = source_load(&s, &info.from, &system, argv[0], &arguments.wfs);
    }
    if (status == STATUS_DONE) {
        info.system = system;
        info.description = cltomo_system_get_description(system);
        cltomo_system_dimensions(system, &info.dimensions);
        if (arguments.output.json) {
            info_print_json(&s, &info, arguments.maps);
        } else {
            info_print(&info);
            if (arguments.maps) {
                info_print_maps(&info);
            }
        }
    }
    cltomo_system_destroy(system);
    return session_close(&s, status);
}

const command command_info = {
    .name = "info",
    .operands = "CONFIG|EXAMPLE",
    .min_operands = 1,
    .max_operands = 1,
    .summary = "show what was read, and what follows from it",
    .description =
        "Shows what a configuration says, the values that follow from it, the sizes of the\n"
        "matrices, and the memory that building them takes. Builds nothing.\n"
        "\n"
        "CONFIG is a YAML file, or - for standard input.",
    .options = info_options,
    .n_options = sizeof info_options / sizeof *info_options,
    .run = run,
};
