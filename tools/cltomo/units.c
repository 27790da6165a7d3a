#include <math.h>
#include <stdio.h>

#include "tool.h"

static const double pi = 3.14159265358979323846;

double degrees(double radians)
{
    return radians * 180.0 / pi;
}

double arcsec(double radians)
{
    return degrees(radians) * 3600.0;
}

double arcsec_of_tangent(double tangent)
{
    return arcsec(atan(tangent));
}

void format_bytes(char *text, size_t size, double bytes)
{
    static const char *const unit[] = {"B", "kB", "MB", "GB", "TB"};
    size_t i = 0;
    while (i + 1 < sizeof unit / sizeof *unit && bytes >= 999.95) {
        bytes /= 1000.0;
        ++i;
    }
    (void)snprintf(text, size, "%.*f %s", i == 0 ? 0 : 1, bytes, unit[i]);
}
