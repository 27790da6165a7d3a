#include <cltomo/blas.h>
#include <cltomo/version.h>
#include <inttypes.h>

#include "tool.h"

void json_begin_report(json *j, int status)
{
    json_object_begin(j, NULL);
    json_text(j, "cltomo", cltomo_version());
    json_integer(j, "exit_status", (uint64_t)status);
}

static void write_text_if_any(json *j, const char *key, const char *value)
{
    if (value[0] != '\0') {
        json_text(j, key, value);
    }
}

static void write_entry(json *j, const cltomo_error *entry)
{
    json_object_begin(j, NULL);
    write_text_if_any(j, "file", entry->file);
    if (entry->line > 0) {
        json_integer(j, "line", entry->line);
        json_integer(j, "column", entry->column);
    }
    write_text_if_any(j, "key", entry->key);
    json_text(j, "message",
        entry->message[0] != '\0' ? entry->message : cltomo_status_string(entry->status));
    write_text_if_any(j, "got", entry->value);
    write_text_if_any(j, "allowed", entry->allowed);
    json_object_end(j);
}

static void write_diagnostics(json *j, const session *s, cltomo_severity severity)
{
    for (size_t i = 0; i < cltomo_diagnostics_count(s->diagnostics); ++i) {
        const cltomo_error *entry = cltomo_diagnostics_get(s->diagnostics, i);
        if (entry->severity == severity) {
            write_entry(j, entry);
        }
    }
}

void json_warnings(json *j, const session *s)
{
    json_array_begin(j, "warnings");
    write_diagnostics(j, s, CLTOMO_SEVERITY_WARNING);
    for (size_t i = 0; i < s->n_warnings; ++i) {
        json_object_begin(j, NULL);
        json_text(j, "message", s->warning[i]);
        json_object_end(j);
    }
    json_array_end(j);
}

void json_errors(json *j, const session *s)
{
    json_array_begin(j, "errors");
    write_diagnostics(j, s, CLTOMO_SEVERITY_ERROR);
    if (s->has_error) {
        write_entry(j, &s->error);
    }
    json_array_end(j);
}

/* The sensors have the numbers of the configuration, also those of a subset. */
static void write_identity(json *j, const char *name, const cltomo_system *system)
{
    const uint32_t *numbers = cltomo_system_wfs_numbers(system);
    char hash[17];
    (void)snprintf(hash, sizeof hash, "%016" PRIx64, cltomo_system_hash(system));
    json_text(j, "name", name);
    json_text(j, "hash", hash);
    json_array_begin(j, "wfs");
    for (uint32_t i = 0; i < cltomo_system_get_description(system)->n_wfs; ++i) {
        json_integer(j, NULL, numbers != NULL ? numbers[i] : i);
    }
    json_array_end(j);
}

void json_system(json *j, const source *from, const cltomo_system *system)
{
    json_object_begin(j, "system");
    json_text(j, "source", source_kind_name[from->kind]);
    write_identity(j, from->name, system);
    json_object_end(j);
}

void json_measured_system(json *j, const char *name, const cltomo_system *system)
{
    json_object_begin(j, "system");
    write_identity(j, name, system);
    json_object_end(j);
}

void json_dimensions(json *j, const cltomo_dimensions *dimensions)
{
    json_object_begin(j, "dimensions");
    json_integer(j, "n_wfs", dimensions->n_wfs);
    json_integer(j, "n_lenslets", dimensions->n_lenslets);
    json_integer(j, "n_grid", dimensions->n_grid);
    json_integer(j, "n_phase", dimensions->n_phase);
    json_integer(j, "n_slopes", dimensions->n_slopes);
    json_integer(j, "n_actuators", dimensions->n_actuators);
    json_integer(j, "n_layers", dimensions->n_layers);
    json_integer(j, "n_directions", dimensions->n_directions);
    json_object_end(j);
}

void json_blas(json *j)
{
    cltomo_blas_info blas;
    cltomo_blas_get_info(&blas);
    json_object_begin(j, "blas");
    json_text(j, "library", blas.library);
    json_text(j, "core", blas.core);
    json_integer(j, "threads", blas.n_threads);
    json_bool(j, "slow", blas.slow != 0);
    if (blas.preferred_core != NULL) {
        json_text(j, "preferred_core", blas.preferred_core);
    }
    json_object_end(j);
}

const char *device_type_name(cltomo_device_type type)
{
    static const char *const name[] = {"cpu", "gpu", "accelerator", "other"};
    return name[type];
}

void json_device(json *j, const char *key, const cltomo_device *device)
{
    char number[32];
    (void)snprintf(number, sizeof number, "%" PRIu32 ":%" PRIu32, device->platform_index,
        device->device_index);
    json_object_begin(j, key);
    json_text(j, "number", number);
    json_text(j, "type", device_type_name(device->type));
    json_text(j, "name", device->name);
    json_text(j, "platform", device->platform);
    json_text(j, "driver", device->driver);
    json_integer(j, "compute_units", device->compute_units);
    json_integer(j, "memory_bytes", device->memory);
    json_integer(j, "largest_buffer_bytes", device->largest_buffer);
    json_bool(j, "double_precision", device->has_double != 0);
    json_bool(j, "shares_host_memory", device->is_unified != 0);
    json_object_end(j);
}
