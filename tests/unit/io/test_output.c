#define _XOPEN_SOURCE 700
#include <criterion/criterion.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/io.h"
#include "support/fault.h"
#include "support/scratch.h"

static scratch place;
static fault memory;
static cltomo_context *context;

static void set_up(void)
{
    scratch_create(&place);
    context = fault_context(&memory);
}

static void tear_down(void)
{
    cr_assert_eq(seteuid(getuid()), 0); /* become_nobody */
    cr_assert_eq(setegid(getgid()), 0);
    cltomo_context_destroy(context);
    cr_assert_eq(memory.live, 0);
    scratch_remove(&place);
}

TestSuite(output, .init = set_up, .fini = tear_down);

/* Writes text to path, all in one. */
static cltomo_status write_text(const char *path, const char *text, cltomo_error *error)
{
    cltomo_output output;
    cltomo_status status = cltomo_output_open(context, &output, path, error);
    if (status == CLTOMO_OK) {
        status = cltomo_output_write(&output, text, strlen(text), error);
    }
    if (status == CLTOMO_OK) {
        status = cltomo_output_commit(&output, error);
    }
    cltomo_output_close(&output);
    return status;
}

static void assert_holds(const char *path, const char *text)
{
    char *data = scratch_read(path, NULL);
    cr_assert_str_eq(data, text);
    free(data);
}

static void assert_fails(const char *path, cltomo_status expected, const char *message)
{
    cltomo_error error;
    size_t before = scratch_count(&place);
    cr_assert_eq(write_text(path, "new", &error), expected, "%s", error.message);
    cr_assert_eq(error.status, expected);
    cr_assert(strstr(error.message, message) != NULL, "%s", error.message);
    cr_assert_eq(scratch_count(&place), before);
    cr_assert_eq(write_text(path, "new", NULL), expected);
}

/* Root may do everything: becomes somebody else, who owns the directory. */
static void become_nobody(void)
{
    enum { nobody = 65534 };
    if (geteuid() == 0) {
        cr_assert_eq(chown(place.directory, nobody, nobody), 0);
        cr_assert_eq(setegid(nobody), 0);
        cr_assert_eq(seteuid(nobody), 0);
    }
}

Test(output, makes_a_file_with_the_permissions_of_the_umask)
{
    struct stat info;
    const char *path = scratch_path(&place, "a");
    (void)umask(027);
    cr_assert_eq(write_text(path, "new", NULL), CLTOMO_OK);
    assert_holds(path, "new");
    cr_assert_eq(stat(path, &info), 0);
    cr_assert_eq(info.st_mode & 0777, 0640);
    cr_assert_eq(scratch_count(&place), 1);
}

Test(output, replaces_a_file_and_keeps_its_permissions)
{
    struct stat info;
    const char *path = scratch_write(&place, "a", "something old", 13);
    cr_assert_eq(chmod(path, 0600), 0);
    cr_assert_eq(write_text(path, "new", NULL), CLTOMO_OK);
    assert_holds(path, "new");
    cr_assert_eq(stat(path, &info), 0);
    cr_assert_eq(info.st_mode & 0777, 0600);
    cr_assert_eq(scratch_count(&place), 1);
}

Test(output, leaves_the_old_file_until_the_commit)
{
    cltomo_output output;
    const char *path = scratch_write(&place, "a", "old", 3);
    cr_assert_eq(cltomo_output_open(context, &output, path, NULL), CLTOMO_OK);
    cr_assert_eq(cltomo_output_write(&output, "new", 3, NULL), CLTOMO_OK);
    assert_holds(path, "old");
    cr_assert_eq(scratch_count(&place), 2);
    cltomo_output_close(&output);
    assert_holds(path, "old");
    cr_assert_eq(scratch_count(&place), 1);
}

Test(output, two_at_once_to_the_same_target_do_not_meet)
{
    cltomo_output first;
    cltomo_output second;
    const char *path = scratch_path(&place, "a");
    cr_assert_eq(cltomo_output_open(context, &first, path, NULL), CLTOMO_OK);
    cr_assert_eq(cltomo_output_open(context, &second, path, NULL), CLTOMO_OK);
    cr_assert_str_neq(first.temporary, second.temporary);
    cr_assert_eq(cltomo_output_write(&second, "second", 6, NULL), CLTOMO_OK);
    cr_assert_eq(cltomo_output_write(&first, "first", 5, NULL), CLTOMO_OK);
    cr_assert_eq(cltomo_output_commit(&second, NULL), CLTOMO_OK);
    assert_holds(path, "second");
    cr_assert_eq(cltomo_output_commit(&first, NULL), CLTOMO_OK);
    assert_holds(path, "first");
    cltomo_output_close(&first);
    cltomo_output_close(&second);
}

Test(output, takes_a_relative_path_and_the_longest_name)
{
    char name[256];
    memset(name, 'n', 255);
    name[255] = '\0';
    cr_assert_eq(chdir(place.directory), 0);
    cr_assert_eq(write_text(name, "new", NULL), CLTOMO_OK);
    assert_holds(name, "new");
    cr_assert_eq(scratch_count(&place), 1);
}

Test(output, follows_a_symbolic_link)
{
    struct stat info;
    char link[256];
    (void)scratch_write(&place, "a", "old", 3);
    strcpy(link, scratch_path(&place, "link"));
    cr_assert_eq(symlink("a", link), 0);
    cr_assert_eq(write_text(link, "new", NULL), CLTOMO_OK);
    cr_assert_eq(lstat(link, &info), 0);
    cr_assert(S_ISLNK(info.st_mode));
    assert_holds(scratch_path(&place, "a"), "new");
    cr_assert_eq(scratch_count(&place), 2);
}

Test(output, refuses_links_that_lead_nowhere)
{
    char path[256];
    strcpy(path, scratch_path(&place, "dangling"));
    cr_assert_eq(symlink("missing", path), 0);
    assert_fails(path, CLTOMO_ERROR_IO, "cannot follow the symbolic link");
    strcpy(path, scratch_path(&place, "loop"));
    cr_assert_eq(symlink("loop", path), 0);
    assert_fails(path, CLTOMO_ERROR_IO, "cannot follow the symbolic link");
}

Test(output, refuses_what_is_not_a_regular_file)
{
    assert_fails(place.directory, CLTOMO_ERROR_IO, "directory");
    assert_fails("/dev/full", CLTOMO_ERROR_IO, "not a regular file");
    assert_fails("/dev/null", CLTOMO_ERROR_IO, "not a regular file");
    cr_assert_eq(mkfifo(scratch_path(&place, "pipe"), 0600), 0);
    assert_fails(place.path, CLTOMO_ERROR_IO, "not a regular file");
    char path[256];
    strcpy(path, scratch_path(&place, "link"));
    cr_assert_eq(symlink(".", path), 0);
    assert_fails(path, CLTOMO_ERROR_IO, "directory");
}

Test(output, refuses_paths_that_cannot_be)
{
    static char path[8000];
    assert_fails("", CLTOMO_ERROR_ARGUMENT, "empty");
    assert_fails(scratch_path(&place, "no/such"), CLTOMO_ERROR_IO, "directory");
    (void)scratch_write(&place, "file", "old", 3);
    assert_fails(scratch_path(&place, "file/below"), CLTOMO_ERROR_IO, "irectory");
    memset(path, 'x', sizeof path - 1);
    assert_fails(path, CLTOMO_ERROR_IO, "too long");
}

Test(output, refuses_a_read_only_directory)
{
    (void)scratch_write(&place, "old", "old", 3);
    become_nobody();
    cr_assert_eq(chmod(place.directory, 0555), 0);
    assert_fails(scratch_path(&place, "new"), CLTOMO_ERROR_IO, "ermission denied");
    assert_holds(scratch_path(&place, "old"), "old");
    cr_assert_eq(chmod(place.directory, 0755), 0);
}

Test(output, refuses_to_replace_a_write_protected_file)
{
    become_nobody();
    cr_assert_eq(chmod(scratch_write(&place, "old", "old", 3), 0444), 0);
    assert_fails(scratch_path(&place, "old"), CLTOMO_ERROR_IO, "ermission denied");
    assert_holds(place.path, "old");
}

Test(output, a_full_disk_leaves_the_old_file)
{
    const struct rlimit limit = {4096, RLIM_INFINITY};
    static char text[10000];
    cltomo_error error;
    const char *path = scratch_write(&place, "a", "old", 3);
    memset(text, 'x', sizeof text - 1);
    (void)signal(SIGXFSZ, SIG_IGN);
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
    cr_assert_eq(write_text(path, text, &error), CLTOMO_ERROR_IO);
    cr_assert(strstr(error.message, "too large") != NULL, "%s", error.message);
    cr_assert_str_eq(error.file, path);
    assert_holds(path, "old");
    cr_assert_eq(scratch_count(&place), 1);
}

Test(output, says_that_the_device_is_full)
{
    cltomo_error error;
    cltomo_output output = {.context = context, .path = "the file"};
    output.descriptor = open("/dev/full", O_WRONLY);
    cr_assert_geq(output.descriptor, 0);
    cr_assert_eq(cltomo_output_write(&output, "x", 1, &error), CLTOMO_ERROR_IO);
    cr_assert(strstr(error.message, "No space left") != NULL, "%s", error.message);
    cr_assert_str_eq(error.file, "the file");
    (void)close(output.descriptor);
}

Test(output, a_failed_rename_removes_the_temporary_file)
{
    cltomo_error error;
    cltomo_output output;
    const char *path = scratch_path(&place, "a");
    cr_assert_eq(cltomo_output_open(context, &output, path, NULL), CLTOMO_OK);
    cr_assert_eq(mkdir(path, 0777), 0);
    cr_assert_eq(cltomo_output_commit(&output, &error), CLTOMO_ERROR_IO);
    cltomo_output_close(&output);
    cr_assert_eq(scratch_count(&place), 1);
}

Test(output, survives_every_failed_allocation)
{
    const char *path = scratch_write(&place, "a", "old", 3);
    cltomo_status status = CLTOMO_ERROR_MEMORY;
    for (long n = 0; status == CLTOMO_ERROR_MEMORY; ++n) {
        assert_holds(path, "old");
        cr_assert_eq(scratch_count(&place), 1);
        memory.left = n;
        status = write_text(path, "new", NULL);
        cr_assert_eq(memory.live, 1, "only the context is left");
        cr_assert_lt(n, 100);
    }
    cr_assert_eq(status, CLTOMO_OK);
    assert_holds(path, "new");
}
