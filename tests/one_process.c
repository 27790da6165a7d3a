/* Runs a Criterion test program in one process, in place of Criterion's own main.
 *
 * Criterion starts a process for each test. Under valgrind each takes seconds to start, and
 * Criterion takes no notice of how it ends. Here an assertion that fails ends the program with
 * status 1, and valgrind has the last word on the status.
 *
 * Left out are tests that take too long under valgrind, which say so with .description = "large".
 * Tests that end their process or take parameters are refused: this does not know how to run them.
 */
#include <criterion/criterion.h>
#include <criterion/event.h>

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* Criterion puts pointers to all tests and suites into these sections. */
extern struct criterion_test *__start_cr_tst[], *__stop_cr_tst[];
extern struct criterion_suite *__start_cr_sts[] __attribute__((weak));
extern struct criterion_suite *__stop_cr_sts[] __attribute__((weak));

static const struct criterion_test *running;

static const struct criterion_test_extra_data *suite_of(const struct criterion_test *test)
{
    for (struct criterion_suite **suite = __start_cr_sts; suite != __stop_cr_sts; ++suite) {
        if (*suite != NULL && strcmp((*suite)->name, test->category) == 0) {
            return (*suite)->data;
        }
    }
    return NULL;
}

void criterion_internal_test_setup(void)
{
    const struct criterion_test_extra_data *suite = suite_of(running);
    if (suite != NULL && suite->init != NULL) {
        suite->init();
    }
    if (running->data->init != NULL) {
        running->data->init();
    }
}

void criterion_internal_test_main(void (*function)(void))
{
    function();
}

void criterion_internal_test_teardown(void)
{
    const struct criterion_test_extra_data *suite = suite_of(running);
    if (running->data->fini != NULL) {
        running->data->fini();
    }
    if (suite != NULL && suite->fini != NULL) {
        suite->fini();
    }
}

void criterion_send_assert(struct criterion_assert_stats *stats)
{
    if (!stats->passed) {
        fprintf(stderr, "%s:%u: %s::%s: %s\n", stats->file, stats->line, running->category,
            running->name, stats->message);
        exit(1);
    }
}

static bool is_large(const struct criterion_test *test)
{
    return test->data->description != NULL && strcmp(test->data->description, "large") == 0;
}

/* What a test may change of its process. */
typedef struct process {
    struct rlimit file_size;
    mode_t mask;
    int directory;
} process;

static process remember(void)
{
    process was = {.mask = umask(0), .directory = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
    (void)umask(was.mask);
    (void)getrlimit(RLIMIT_FSIZE, &was.file_size);
    return was;
}

static bool restore(const process *was)
{
    (void)umask(was->mask);
    return setrlimit(RLIMIT_FSIZE, &was->file_size) == 0 && fchdir(was->directory) == 0;
}

int main(void)
{
    const process was = remember();
    size_t count = 0, left_out = 0;
    for (struct criterion_test **test = __start_cr_tst; test != __stop_cr_tst; ++test) {
        if (*test == NULL) {
            continue;
        }
        running = *test;
        if (is_large(running)) {
            ++left_out;
            continue;
        }
        if (running->data->kind_ != CR_TEST_NORMAL || running->data->signal != 0 ||
            running->data->exit_code != 0) {
            fprintf(stderr, "%s::%s cannot run in one process\n", running->category, running->name);
            return 2;
        }
        running->test();
        if (!restore(&was)) {
            fprintf(stderr, "%s::%s left its process changed\n", running->category, running->name);
            return 2;
        }
        ++count;
    }
    printf("%zu tests in one process, %zu large ones left out\n", count, left_out);
    return 0;
}
