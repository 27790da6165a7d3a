/* What `cltomo build` says when it is done. */
#include "build.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static const char *choice_name(const option_choice *choices, int value)
{
    while (choices->name != NULL && choices->value != value) {
        ++choices;
    }
    return choices->name != NULL ? choices->name : "?";
}

/* ---- for people ---------------------------------------------------------------------------- */

static const char *plural(uint32_t n)
{
    return n == 1 ? "" : "s";
}

static void print_stages(const build_result *result)
{
    const cltomo_build_report *report = cltomo_reconstructor_report(result->reconstructor);
    for (uint32_t i = 0; i < report->n_stages; ++i) {
        (void)printf("  %-32s %9.3f s\n", report->stage_name[i], report->stage_seconds[i]);
    }
    (void)printf("  %-32s %9.3f s\n", "write files", result->write_seconds);
    (void)printf("  %-32s %9.3f s\n", "total", report->total_seconds + result->write_seconds);
}

/* How the covariances were computed, and how well the matrix was conditioned. */
static void print_numerics(const cltomo_reconstructor *reconstructor)
{
    const cltomo_build_report *report = cltomo_reconstructor_report(reconstructor);
    (void)putchar('\n');
    build_print_evaluators(reconstructor);
    if (report->pivot_ratio > 0.0) {
        (void)printf(
            "Smallest pivot ratio of the Cholesky factor %.2e (near 0: badly conditioned)\n",
            report->pivot_ratio);
    }
    if (report->condition > 0.0) {
        (void)printf("Condition number at most %.2g, estimated relative error of R %.1e\n",
            report->condition, report->estimated_error);
    }
}

/* The device that computed; false if it was the C path. */
static bool runs_on_device(
    const session *s, const cltomo_build_report *report, cltomo_device *device)
{
    return strcmp(report->backend, "opencl") == 0 && cltomo_context_device(s->context, device) != 0;
}

void build_print(const session *s, const build_result *result)
{
    const cltomo_dimensions *d = &result->dimensions;
    const cltomo_build_options *options = cltomo_reconstructor_options(result->reconstructor);
    const cltomo_build_report *report = cltomo_reconstructor_report(result->reconstructor);
    (void)printf("%s", result->from.name);
    source_print_sensors(cltomo_reconstructor_system(result->reconstructor));
    (void)printf(": %zu sensor%s of %zu lenslets, %zu slopes, %zu phase points, %zu actuators\n",
        d->n_wfs, d->n_wfs == 1 ? "" : "s", d->n_lenslets, d->n_slopes, d->n_phase, d->n_actuators);
    uint32_t threads = cltomo_context_threads(s->context);
    cltomo_device device = {.name = ""};
    bool has_device = runs_on_device(s, report, &device);
    (void)printf("%s precision, alpha %g, %s%s%s, %" PRIu32 " thread%s\n\n",
        choice_name(precision_choices, (int)options->precision), options->alpha, report->backend,
        has_device ? " on " : "", device.name, threads, plural(threads));
    print_stages(result);
    print_numerics(result->reconstructor);
    (void)printf("\nWritten:\n");
    for (size_t i = 0; i < result->n_files; ++i) {
        const written_file *file = &result->file[i];
        cltomo_shape shape = cltomo_reconstructor_shape(result->reconstructor, file->product);
        char size[16];
        format_bytes(size, sizeof size, (double)file->bytes);
        (void)printf("  %-10s %7zu x %-7zu %10s  %s", cltomo_product_name(file->product),
            shape.rows, shape.cols, size, file->path);
        if (shape.planes > 0) {
            (void)printf("  (for each of %zu directions)", shape.planes);
        }
        (void)putchar('\n');
    }
}

/* ---- for programs -------------------------------------------------------------------------- */

/* Zero stands for what was not given or is not known: null. */
static double known_or_nan(double value)
{
    return value > 0.0 ? value : (double)NAN;
}

static void write_options(json *j, const session *s, const build_result *result)
{
    const cltomo_build_options *options = cltomo_reconstructor_options(result->reconstructor);
    json_object_begin(j, "options");
    json_text(j, "precision", choice_name(precision_choices, (int)options->precision));
    json_real(j, "alpha", options->alpha);
    json_text(j, "slope_order", choice_name(slope_order_choices, (int)options->slope_order));
    json_text(j, "lenslet_order", choice_name(lenslet_order_choices, (int)options->lenslet_order));
    json_real(j, "scaling", options->scaling);
    json_real(j, "stretch", options->stretch);
    json_integer(j, "mirror_rotation", options->mirror_rotation);
    json_bool(j, "mirror_flip", options->mirror_flip != 0);
    json_array_begin(j, "masked_actuators");
    for (size_t i = 0; i < result->n_masked_actuators; ++i) {
        json_integer(j, NULL, result->masked_actuators[i]);
    }
    json_array_end(j);
    json_text(j, "evaluation", choice_name(evaluation_choices, (int)options->evaluation));
    json_real(j, "accuracy", known_or_nan(options->accuracy));
    json_bool(j, "per_direction", options->per_direction != 0);
    if (options->max_memory > 0) {
        json_integer(j, "max_memory_bytes", options->max_memory);
    }
    if (result->interaction_matrix != NULL) {
        json_text(j, "interaction_matrix", result->interaction_matrix);
        json_text(j, "grid", choice_name(grid_choices, result->grid));
    }
    json_text(j, "format", choice_name(format_choices, (int)result->format));
    const cltomo_build_report *report = cltomo_reconstructor_report(result->reconstructor);
    cltomo_device device;
    json_text(j, "backend", report->backend);
    if (runs_on_device(s, report, &device)) {
        json_device(j, "device", &device);
    }
    json_integer(j, "threads", cltomo_context_threads(s->context));
    json_object_end(j);
}

static void write_report(json *j, const build_result *result)
{
    const cltomo_build_report *report = cltomo_reconstructor_report(result->reconstructor);
    json_array_begin(j, "stages");
    for (uint32_t i = 0; i < report->n_stages; ++i) {
        json_object_begin(j, NULL);
        json_text(j, "name", report->stage_name[i]);
        json_real(j, "seconds", report->stage_seconds[i]);
        json_object_end(j);
    }
    json_array_end(j);
    json_real(j, "build_seconds", report->total_seconds);
    json_real(j, "write_seconds", result->write_seconds);
    json_real(j, "mean_slope_variance", report->mean_slope_variance);
    json_real(j, "noise_variance", report->noise_variance);
    json_real(j, "pivot_ratio", report->pivot_ratio);
    json_real(j, "condition", known_or_nan(report->condition));
    json_real(j, "estimated_error", known_or_nan(report->estimated_error));
    build_write_evaluators(j, result->reconstructor);
}

static void write_files(json *j, const build_result *result)
{
    json_array_begin(j, "files");
    for (size_t i = 0; i < result->n_files; ++i) {
        const written_file *file = &result->file[i];
        cltomo_shape shape = cltomo_reconstructor_shape(result->reconstructor, file->product);
        json_object_begin(j, NULL);
        json_text(j, "product", cltomo_product_name(file->product));
        json_text(j, "path", file->path);
        if (shape.planes > 0) {
            json_integer(j, "planes", shape.planes);
        }
        json_integer(j, "rows", shape.rows);
        json_integer(j, "cols", shape.cols);
        json_integer(j, "bytes", file->bytes);
        json_object_end(j);
    }
    json_array_end(j);
}

void build_print_json(const session *s, const build_result *result)
{
    json j = json_begin(stdout);
    json_begin_report(&j, STATUS_DONE);
    json_system(&j, &result->from, cltomo_reconstructor_system(result->reconstructor));
    json_dimensions(&j, &result->dimensions);
    write_options(&j, s, result);
    json_blas(&j);
    write_report(&j, result);
    write_files(&j, result);
    json_warnings(&j, s);
    json_object_end(&j);
}
