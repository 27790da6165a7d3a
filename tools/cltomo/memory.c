#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tool.h"

uint64_t available_memory(void)
{
    static const char name[] = "MemAvailable:";
    unsigned long long kilobytes = 0;
    char line[128];
    FILE *file = fopen("/proc/meminfo", "re");
    if (file == NULL) {
        return 0;
    }
    while (fgets(line, sizeof line, file) != NULL) {
        if (strncmp(line, name, strlen(name)) == 0) {
            kilobytes = strtoull(line + strlen(name), NULL, 10);
            break;
        }
    }
    (void)fclose(file);
    return (uint64_t)kilobytes * 1024;
}
