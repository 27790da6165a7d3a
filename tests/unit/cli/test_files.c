#include "support/scratch.h"
#include "tool.h"

#include <criterion/criterion.h>

#include <errno.h>
#include <stdlib.h>
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
    for (size_t i = 0; i < sizeof paths / sizeof *paths; ++i) {
        cr_expect(directory_is_usable(paths[i]), "%s", paths[i]);
        cr_expect(directory_create(paths[i]), "%s", paths[i]);
    }
    struct stat properties;
    cr_expect_eq(stat("a/b/c", &properties), 0);
}

Test(files, a_file_is_no_directory)
{
    (void)scratch_write(&here, "file", "text", 4);
    cr_expect_not(directory_is_usable("file"));
    cr_expect_eq(errno, ENOTDIR);
    cr_expect_not(directory_is_usable("file/below"));
    cr_expect_not(directory_create("file"));
    cr_expect_not(directory_create("file/below"));
    cr_expect_eq(size_of_file("file"), 4);
    cr_expect_eq(size_of_file("nothing"), 0);
}

Test(files, memory_is_known_here)
{
    cr_expect_gt(available_memory(), 1 << 20);
}
