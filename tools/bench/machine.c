#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "bench.h"

static void read_cpu(char *cpu, size_t size)
{
    char line[256];
    FILE *file = fopen("/proc/cpuinfo", "re");
    cpu[0] = '\0';
    if (file == NULL) {
        return;
    }
    while (fgets(line, sizeof line, file) != NULL) {
        char *value = strchr(line, ':');
        if (strncmp(line, "model name", 10) == 0 && value != NULL) {
            value += strspn(value, ": \t");
            value[strcspn(value, "\n")] = '\0';
            (void)snprintf(cpu, size, "%s", value);
            break;
        }
    }
    (void)fclose(file);
}

static void read_load(double *load)
{
    char line[128] = "";
    FILE *file = fopen("/proc/loadavg", "re");
    bool is_read = file != NULL && fgets(line, sizeof line, file) != NULL;
    char *at = line;
    for (size_t i = 0; i < 3; ++i) {
        load[i] = is_read ? strtod(at, &at) : -1.0;
    }
    if (file != NULL) {
        (void)fclose(file);
    }
}

void bench_machine_read(bench_machine *machine)
{
    time_t now = time(NULL);
    struct tm utc;
    read_cpu(machine->cpu, sizeof machine->cpu);
    read_load(machine->load);
    machine->n_cores = sysconf(_SC_NPROCESSORS_ONLN);
    if (gmtime_r(&now, &utc) == NULL ||
        strftime(machine->date, sizeof machine->date, "%Y-%m-%dT%H:%M:%SZ", &utc) == 0) {
        machine->date[0] = '\0';
    }
}
