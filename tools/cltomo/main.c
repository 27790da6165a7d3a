/* cltomo: finds the command, runs it, and makes sure that its output arrived. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tool.h"

/* Closed standard descriptors would be given to the next file that is opened, and text for the
 * user would end up in it. Here they fail on use instead: opened the wrong way round. */
static void occupy_standard_descriptors(void)
{
    static const int mode[] = {O_WRONLY, O_RDONLY, O_RDONLY};
    for (int descriptor = 0; descriptor <= STDERR_FILENO; ++descriptor) {
        if (fcntl(descriptor, F_GETFD) == -1 && errno == EBADF) {
            (void)open("/dev/null", mode[descriptor]); /* takes the lowest free number */
        }
    }
}

/* Text that is shorter, as all help is, leaves the buffer at the end, where the reason of a failure
 * is still known. A terminal keeps its line buffer. */
static void enlarge_output_buffer(void)
{
    static char buffer[1 << 17]; /* glibc makes none of a size that is asked for */
    if (isatty(STDOUT_FILENO) == 0) {
        (void)setvbuf(stdout, buffer, _IOFBF, sizeof buffer);
    }
}

/* A full disk shows only when the text leaves the buffer. */
static int close_output(int status)
{
    bool failed = ferror(stdout) != 0;
    errno = 0;
    if (fclose(stdout) == 0 && !failed) {
        return status;
    }
    /* A reader that has seen enough, as in `cltomo help | head`, needs no message. */
    if (errno != EPIPE) {
        print_error("cannot write to standard output%s%s", errno != 0 ? ": " : "",
            errno != 0 ? strerror(errno) : "");
    }
    return status == STATUS_DONE ? STATUS_RESOURCES : status;
}

/* The command may follow its options. Returns its place in argv; 0 if there is none. */
static int find_command(int argc, char **argv)
{
    for (int i = 1; i < argc; ++i) {
        if (strcmp(argv[i], "--") == 0) {
            return 0;
        }
        if (argv[i][0] != '-' || argv[i][1] == '\0') {
            return i;
        }
        /* --scaling has a value in one command and none in another: a command's name is no value */
        if (option_takes_next_word(argv[i]) &&
            (i + 1 >= argc || command_find(argv[i + 1]) == NULL)) {
            ++i;
        }
    }
    return 0;
}

static int run_without_command(int argc, char **argv)
{
    if (argc < 2) {
        help_print(stderr);
        return STATUS_USAGE;
    }
    if (strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "--help") == 0) {
        help_print(stdout);
        return STATUS_DONE;
    }
    if (strcmp(argv[1], "--version") == 0) {
        version_print(stdout);
        return STATUS_DONE;
    }
    suggestion like = suggestion_begin(argv[1]);
    suggestion_offer(&like, "--help");
    suggestion_offer(&like, "--version");
    if (like.nearest != NULL) {
        return usage_error(NULL, "unknown option '%s'; did you mean '%s'?", argv[1], like.nearest);
    }
    return usage_error(NULL, "there is no command after '%s'", argv[1]);
}

static int run_command(int argc, char **argv)
{
    int place = find_command(argc, argv);
    if (place == 0) {
        return run_without_command(argc, argv);
    }
    int n_words;
    const command *found =
        command_find_longest(argv[place], place + 1 < argc ? argv[place + 1] : NULL, &n_words);
    if (found == NULL) {
        return command_report_unknown(argv[place]);
    }
    if (found->solves) {
        restart_with_fast_blas(argv);
    }
    /* Arguments start behind the command, where argv[0] would be: its place is free for an
     * operand. */
    for (int i = place; i > 0; --i) {
        argv[i + n_words - 1] = argv[i - 1];
    }
    return found->run(found, argc - n_words, argv + n_words);
}

int main(int argc, char **argv)
{
    occupy_standard_descriptors();
    enlarge_output_buffer();
    interrupts_note();
    /* Writing then fails with EPIPE or EFBIG, and what was begun can be cleaned up. */
    (void)signal(SIGPIPE, SIG_IGN);
    (void)signal(SIGXFSZ, SIG_IGN);
    int status = close_output(run_command(argc, argv));
    return status == STATUS_INTERRUPTED ? die_of_interrupt() : status;
}
