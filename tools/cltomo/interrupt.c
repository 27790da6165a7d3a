#include <signal.h>
#include <string.h>

#include "tool.h"

/* A handler has no argument to pass state in. */
static volatile sig_atomic_t caught_signal;

static const int handled[] = {SIGINT, SIGTERM, SIGHUP};
enum { n_handled = sizeof handled / sizeof *handled };
static struct sigaction previous[n_handled];

static void note_signal(int number)
{
    caught_signal = number;
}

void interrupts_note(void)
{
    for (int i = 0; i < n_handled; ++i) {
        (void)sigaction(handled[i], NULL, &previous[i]);
    }
}

void interrupts_begin(void)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = note_signal;
    action.sa_flags = SA_RESTART | (int)SA_RESETHAND;
    (void)sigemptyset(&action.sa_mask);
    caught_signal = 0;
    for (int i = 0; i < n_handled; ++i) {
        /* Whoever started us with a signal ignored, as nohup does, wants it ignored. */
        bool ignored = previous[i].sa_handler == SIG_IGN;
        (void)sigaction(handled[i], ignored ? &previous[i] : &action, NULL);
    }
}

void interrupts_end(void)
{
    for (int i = 0; i < n_handled; ++i) {
        (void)sigaction(handled[i], &previous[i], NULL);
    }
}

bool interrupted(void)
{
    return caught_signal != 0;
}

/* A shell that runs a script goes on to the next command unless the signal was the cause of
 * death. */
int die_of_interrupt(void)
{
    int number = caught_signal != 0 ? (int)caught_signal : SIGINT;
    (void)signal(number, SIG_DFL);
    (void)raise(number);
    return STATUS_INTERRUPTED;
}
