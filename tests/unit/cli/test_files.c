#include "support/scratch.h"
#include "tool.h"

#include <criterion/criterion.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static scratch here;

static void enter_scratch(void)
{
    scratch_create(&here);
    cr_assert_eq(chdir(here.directory), 0);
}

static void leave_scratch(void)
{
    (void)rmdir("a/b/c");
    (void)rmdir("a/b");
    (void)rmdir("a");
    scratch_remove(&here);
}

TestSuite(files, .init = enter_scratch, .fini = leave_scratch);

static void expect_joined(const char *directory, const char *expected)
{
    char *path = path_join(directory, "R", "fits");
    cr_assert_not_null(path);
    cr_expect_str_eq(path, expected);
    free(path);
}

Test(files, paths_are_joined_with_one_slash)
{
    expect_joined(".", "R.fits");
    expect_joined("", "R.fits");
    expect_joined("a", "a/R.fits");
    expect_joined("a/", "a/R.fits");
    expect_joined("/", "/R.fits");
    expect_joined("../b", "../b/R.fits");
}

Test(files, directories_are_made_with_their_parents)
{
    static const char *const paths[] = {"a/b/c", "a/b/c", "a//b/", "./a", ".", "/"};
    size_t n_existing = 0;
    for (size_t i = 0; i < sizeof paths / sizeof *paths; ++i) {
        cr_expect(directory_is_usable(paths[i]), "%s", paths[i]);
        cr_expect(directory_create(paths[i], &n_existing), "%s", paths[i]);
        cr_expect_eq(n_existing, i == 0 ? 0 : strlen(paths[i]), "%s", paths[i]);
    }
    struct stat properties;
    cr_expect_eq(stat("a/b/c", &properties), 0);
}

Test(files, directories_that_were_made_are_removed)
{
    static const char *const paths[] = {
        "a/b/c", "a/b/./c/", "./a//b", "a/new", "a/new/below/", "."};
    struct stat properties;
    size_t n_existing = 0;
    for (size_t i = 0; i < sizeof paths / sizeof *paths; ++i) {
        if (i == 3) {
            cr_assert(directory_create("a/b", &n_existing));
        }
        cr_assert(directory_create(paths[i], &n_existing), "%s", paths[i]);
        directory_remove(paths[i], n_existing);
        cr_expect_eq(stat("a/b", &properties) == 0, i >= 3, "%s", paths[i]);
        cr_expect_eq(stat("a", &properties) == 0, i >= 3, "%s", paths[i]);
        cr_expect_neq(stat("a/new", &properties), 0, "%s", paths[i]);
    }
    (void)scratch_write(&here, "a/b/file", "text", 4);
    directory_remove("a/b", 0);
    cr_expect_eq(size_of_file("a/b/file"), 4);
    (void)unlink("a/b/file");
}

Test(files, a_file_is_no_directory)
{
    (void)scratch_write(&here, "file", "text", 4);
    cr_expect_not(directory_is_usable("file"));
    cr_expect_eq(errno, ENOTDIR);
    cr_expect_not(directory_is_usable("file/below"));
    size_t n_existing = 0;
    cr_expect_not(directory_create("file", &n_existing));
    cr_expect_not(directory_create("file/below", &n_existing));
    cr_expect_eq(size_of_file("file"), 4);
    cr_expect_eq(size_of_file("nothing"), 0);
}

Test(files, memory_is_known_here)
{
    cr_expect_gt(available_memory(), 1 << 20);
}
