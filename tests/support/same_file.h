/* Files that say the same. */
#ifndef SAME_FILE_H
#define SAME_FILE_H

/* Asserts that two files are equal, FITS files but for the time when they were written. */
void assert_same_file(const char *expected, const char *path);

#endif
