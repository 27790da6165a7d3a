/* Drives a fuzz target without libFuzzer: feeds it the files named on the command line, each as it
 * is and then with thousands of random changes. The same seed gives the same changes, so that a
 * failure can be repeated:
 *
 *     mutate COUNT FILE... */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { max_size = 65536 };

/* splitmix64 */
static uint64_t next(uint64_t *state)
{
    uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static size_t below(uint64_t *state, size_t n)
{
    return n == 0 ? 0 : (size_t)(next(state) % n);
}

/* What mistakes in such files are made of. */
static const char *const pieces[] = {"0", "-", "1", ".inf", ".nan", "1e14", "-0", "1e400",
    "99999999999", "[", "]", "{", "}", ",", ":", ": ", "\n", "\n- ", "\n  ", "\t", "\r\n", "#",
    "\"", "'", "&a ", "*a", "<<: ", "? ", "---\n", "...\n", "!!int ", "|\n", ">-\n", "~", "null",
    "true", "0x1F", "017", "\xef\xbb\xbf", "\xff\xfe", "\xc2\x9b", "%YAML 1.2\n---\n",
    "shape: annulus", "outer: 3", "directions: [[1, 2]]", "azimuthOffset: 3", "[]", "{}"};

/* Replaces size_removed bytes at position by size_added others. */
static size_t splice(uint8_t *data, size_t size, size_t position, size_t size_removed,
    const uint8_t *added, size_t size_added)
{
    if (size - size_removed + size_added > max_size) {
        return size;
    }
    memmove(data + position + size_added, data + position + size_removed,
        size - position - size_removed);
    memcpy(data + position, added, size_added);
    return size - size_removed + size_added;
}

static size_t mutate_once(uint64_t *state, uint8_t *data, size_t size)
{
    uint8_t copied[64];
    size_t position = below(state, size + 1);
    size_t length = below(state, sizeof copied);
    length = length < size - position ? length : size - position;
    const char *piece = pieces[below(state, sizeof pieces / sizeof pieces[0])];
    switch (below(state, 5)) {
    case 0: /* a bit */
        if (position < size) {
            data[position] = (uint8_t)(data[position] ^ (1u << below(state, 8)));
        }
        return size;
    case 1:
        return splice(data, size, position, length, copied, 0);
    case 2: /* from one place to another */
        memcpy(copied, data + position, length);
        return splice(data, size, below(state, size + 1), 0, copied, length);
    case 3:
        return splice(data, size, position, 0, (const uint8_t *)piece, strlen(piece));
    default:
        length = length < strlen(piece) ? length : strlen(piece);
        return splice(data, size, position, length, (const uint8_t *)piece, strlen(piece));
    }
}

/* The target gets its own piece of memory, whose end a sanitizer knows. */
static void feed(const uint8_t *data, size_t size)
{
    uint8_t *exact = malloc(size > 0 ? size : 1);
    if (exact == NULL) {
        exit(2);
    }
    memcpy(exact, data, size);
    (void)LLVMFuzzerTestOneInput(exact, size);
    free(exact);
}

static size_t read_file(const char *path, uint8_t *data)
{
    FILE *stream = fopen(path, "rb");
    if (stream == NULL) {
        fprintf(stderr, "cannot read %s\n", path);
        exit(2);
    }
    size_t size = fread(data, 1, max_size, stream);
    (void)fclose(stream);
    return size;
}

int main(int argc, char **argv)
{
    static uint8_t original[max_size];
    static uint8_t data[max_size];
    unsigned long count = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;
    if (argc < 3 || count == 0) {
        fprintf(stderr, "usage: mutate COUNT FILE...\n");
        return 2;
    }
    for (int file = 2; file < argc; ++file) {
        size_t original_size = read_file(argv[file], original);
        uint64_t state = (uint64_t)file;
        feed(original, original_size);
        for (unsigned long i = 0; i < count; ++i) {
            size_t size = original_size;
            memcpy(data, original, size);
            for (size_t n = 1 + below(&state, 4); n > 0; --n) {
                size = mutate_once(&state, data, size);
            }
            feed(data, size);
        }
    }
    return 0;
}
