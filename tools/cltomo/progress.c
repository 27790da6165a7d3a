#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tool.h"

static const double delay = 1.0;    /* s: shorter work shows no bar */
static const double interval = 0.1; /* s between two drawings */

void progress_prepare(progress_bar *bar, const output_settings *output)
{
    const char *terminal = getenv("TERM");
    memset(bar, 0, sizeof *bar);
    bar->possible = !output->quiet && !output->json && isatty(STDERR_FILENO) && terminal != NULL &&
                    strcmp(terminal, "dumb") != 0;
    bar->started = seconds_now();
}

void progress_draw(progress_bar *bar, const char *stage, double fraction)
{
    enum { width = 24 };
    double now = seconds_now();
    if (!bar->possible || now - bar->started < delay || now - bar->drawn < interval) {
        return;
    }
    char cells[width + 1];
    fraction = fraction < 0.0 ? 0.0 : fraction > 1.0 ? 1.0 : fraction;
    for (int i = 0; i < width; ++i) {
        cells[i] = i < (int)(fraction * width) ? '#' : '.';
    }
    cells[width] = '\0';
    (void)fprintf(stderr, "\r\033[K[%s] %3.0f %%  %.32s", cells, 100.0 * fraction, stage);
    (void)fflush(stderr);
    bar->visible = true;
    bar->drawn = now;
}

void progress_clear(progress_bar *bar)
{
    if (bar->visible) {
        (void)fputs("\r\033[K", stderr);
        (void)fflush(stderr);
        bar->visible = false;
    }
}
