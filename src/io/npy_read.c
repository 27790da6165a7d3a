#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "io/io.h"

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define FOREIGN_BYTE_ORDER '<'
#else
#define FOREIGN_BYTE_ORDER '>'
#endif

#define MAX_HEADER 65535 /* bytes; the text for two dimensions takes about a hundred */

typedef struct npy_header {
    bool has_type, has_order, has_shape;
    bool is_foreign; /* in the other byte order */
    bool is_fortran; /* column by column */
    cltomo_precision precision;
    size_t n_dimensions;
    uint64_t shape[2];
} npy_header;

/* The text of the header while it is read. */
typedef struct cursor {
    const char *next;
    const char *end;
    const char *path;
    cltomo_error *error;
} cursor;

static cltomo_status malformed(const cursor *at, const char *what)
{
    return cltomo_fail_file(
        at->error, CLTOMO_ERROR_PARSE, at->path, "malformed NPY header: %s", what);
}

static void skip_blanks(cursor *at)
{
    while (at->next < at->end && strchr(" \t\r\n", *at->next) != NULL && *at->next != '\0') {
        ++at->next;
    }
}

/* Steps over one punctuation character and the blanks before it, if it is what comes next. */
static bool take(cursor *at, char wanted)
{
    skip_blanks(at);
    if (at->next < at->end && *at->next == wanted) {
        ++at->next;
        return true;
    }
    return false;
}

static bool take_word(cursor *at, const char *word)
{
    size_t length = strlen(word);
    skip_blanks(at);
    if ((size_t)(at->end - at->next) >= length && memcmp(at->next, word, length) == 0) {
        at->next += length;
        return true;
    }
    return false;
}

/* A string literal without escapes; text[size] receives what is between the quotes. */
static bool take_string(cursor *at, char *text, size_t size)
{
    skip_blanks(at);
    if (at->next == at->end || (*at->next != '\'' && *at->next != '"')) {
        return false;
    }
    char quote = *at->next++;
    size_t length = 0;
    while (at->next < at->end && *at->next != quote) {
        char c = *at->next++;
        if (c < ' ' || c > '~' || c == '\\' || length + 1 == size) {
            return false;
        }
        text[length++] = c;
    }
    text[length] = '\0';
    return take(at, quote);
}

static cltomo_status read_type(cursor *at, npy_header *header)
{
    char type[32];
    if (!take_string(at, type, sizeof type)) {
        return malformed(at, "'descr' is not the name of a plain type");
    }
    bool is_double = strcmp(type + (type[0] != '\0'), "f8") == 0;
    bool is_single = strcmp(type + (type[0] != '\0'), "f4") == 0;
    if ((type[0] != '<' && type[0] != '>') || (!is_double && !is_single)) {
        return cltomo_fail_file(at->error, CLTOMO_ERROR_PARSE, at->path,
            "NPY elements of type '%s' are not supported, only '<f8', '<f4', '>f8' and '>f4'",
            type);
    }
    header->precision = is_double ? CLTOMO_PRECISION_DOUBLE : CLTOMO_PRECISION_SINGLE;
    header->is_foreign = type[0] == FOREIGN_BYTE_ORDER;
    header->has_type = true;
    return CLTOMO_OK;
}

static cltomo_status read_order(cursor *at, npy_header *header)
{
    header->is_fortran = take_word(at, "True");
    if (!header->is_fortran && !take_word(at, "False")) {
        return malformed(at, "'fortran_order' is neither True nor False");
    }
    header->has_order = true;
    return CLTOMO_OK;
}

/* A tuple of numbers; only the first two are kept, all are counted. */
static cltomo_status read_shape(cursor *at, npy_header *header)
{
    bool has_comma = true;
    if (!take(at, '(')) {
        return malformed(at, "'shape' is not a tuple");
    }
    while (!take(at, ')')) {
        uint64_t value = 0;
        skip_blanks(at);
        if (!has_comma || at->next == at->end || *at->next < '0' || *at->next > '9') {
            return malformed(at, "'shape' is not a tuple of whole numbers");
        }
        for (; at->next < at->end && *at->next >= '0' && *at->next <= '9'; ++at->next) {
            uint64_t digit = (uint64_t)(*at->next - '0');
            if (value > (UINT64_MAX - digit) / 10) {
                return malformed(at, "a number in 'shape' is too large");
            }
            value = 10 * value + digit;
        }
        if (at->next < at->end && *at->next == 'L') {
            ++at->next; /* Python 2 wrote long integers so */
        }
        if (header->n_dimensions < 2) {
            header->shape[header->n_dimensions] = value;
        }
        ++header->n_dimensions;
        has_comma = take(at, ',');
    }
    if (header->n_dimensions == 1 && !has_comma) {
        return malformed(at, "'shape' is not a tuple");
    }
    header->has_shape = true;
    return CLTOMO_OK;
}

static cltomo_status read_dictionary(cursor *at, npy_header *header)
{
    bool has_comma = true;
    if (!take(at, '{')) {
        return malformed(at, "not a dictionary");
    }
    while (!take(at, '}')) {
        char key[32];
        if (!has_comma || !take_string(at, key, sizeof key) || !take(at, ':')) {
            return malformed(at, "not a dictionary of 'descr', 'fortran_order' and 'shape'");
        }
        cltomo_status status = CLTOMO_OK;
        if (strcmp(key, "descr") == 0 && !header->has_type) {
            status = read_type(at, header);
        } else if (strcmp(key, "fortran_order") == 0 && !header->has_order) {
            status = read_order(at, header);
        } else if (strcmp(key, "shape") == 0 && !header->has_shape) {
            status = read_shape(at, header);
        } else {
            status = malformed(at, "an unknown or repeated key");
        }
        if (status != CLTOMO_OK) {
            return status;
        }
        has_comma = take(at, ',');
    }
    skip_blanks(at);
    if (at->next != at->end) {
        return malformed(at, "text after the dictionary");
    }
    if (!header->has_type || !header->has_order || !header->has_shape) {
        return malformed(at, "'descr', 'fortran_order' or 'shape' is missing");
    }
    return CLTOMO_OK;
}

/* Checks the shape against the bytes that are there, so that a lying header allocates nothing. */
static cltomo_status check_shape(
    const npy_header *header, const char *path, uint64_t data_size, cltomo_error *error)
{
    if (header->n_dimensions != 2) {
        return cltomo_fail_file(error, CLTOMO_ERROR_SHAPE, path,
            "the array has %zu dimensions, not 2", header->n_dimensions);
    }
    uint64_t rows = header->shape[0];
    uint64_t cols = header->shape[1];
    if (rows == 0 || cols == 0) {
        return cltomo_fail_file(error, CLTOMO_ERROR_SHAPE, path, "the array is empty (%llu x %llu)",
            (unsigned long long)rows, (unsigned long long)cols);
    }
    uint64_t element_size = cltomo_precision_size(header->precision);
    uint64_t n = data_size / element_size;
    if (data_size % element_size != 0 || n % rows != 0 || n / rows != cols) {
        return cltomo_fail_file(error, CLTOMO_ERROR_PARSE, path,
            "%llu bytes of data do not make %llu x %llu elements of %llu bytes: the file is "
            "truncated, too long or has a wrong header",
            (unsigned long long)data_size, (unsigned long long)rows, (unsigned long long)cols,
            (unsigned long long)element_size);
    }
    return CLTOMO_OK;
}

static cltomo_status read_bytes(
    int descriptor, void *data, size_t size, const char *path, cltomo_error *error)
{
    enum { largest = 1 << 30 }; /* the most that one read() is sure to deliver */
    char *next = data;
    while (size > 0) {
        ssize_t got = read(descriptor, next, size < largest ? size : largest);
        if (got < 0 && errno != EINTR) {
            return cltomo_fail_errno(error, errno, path, "cannot read");
        }
        if (got == 0) {
            return cltomo_fail_file(error, CLTOMO_ERROR_PARSE, path, "the file is truncated");
        }
        if (got > 0) {
            next += got;
            size -= (size_t)got;
        }
    }
    return CLTOMO_OK;
}

/* Reads the header and checks it; *data_size receives the number of bytes after it. */
static cltomo_status read_header(const cltomo_context *context, npy_header *header,
    const char *path, int descriptor, uint64_t size, cltomo_error *error)
{
    unsigned char prefix[12];
    char *text = NULL;
    cltomo_status status = read_bytes(descriptor, prefix, 8, path, error);
    if (status != CLTOMO_OK) {
        return status;
    }
    if (memcmp(prefix, "\x93NUMPY", 6) != 0 || prefix[6] < 1 || prefix[6] > 3 || prefix[7] != 0) {
        return cltomo_fail_file(
            error, CLTOMO_ERROR_PARSE, path, "not an NPY file of version 1.0, 2.0 or 3.0");
    }
    size_t width = prefix[6] == 1 ? 2 : 4; /* of the header's length, little-endian */
    status = read_bytes(descriptor, prefix + 8, width, path, error);
    if (status != CLTOMO_OK) {
        return status;
    }
    size_t length = 0;
    for (size_t i = 0; i < width; ++i) {
        length |= (size_t)prefix[8 + i] << (8 * i);
    }
    uint64_t start = 8 + width + (uint64_t)length;
    if (length > MAX_HEADER || start > size) {
        return cltomo_fail_file(error, CLTOMO_ERROR_PARSE, path,
            "malformed NPY header: its length is %zu bytes", length);
    }
    text = cltomo_allocate(context, length, 1);
    if (text == NULL) {
        return cltomo_fail_memory(error, "the header of an NPY file");
    }
    status = read_bytes(descriptor, text, length, path, error);
    if (status == CLTOMO_OK) {
        cursor at = {.next = text, .end = text + length, .path = path, .error = error};
        status = read_dictionary(&at, header);
    }
    if (status == CLTOMO_OK) {
        status = check_shape(header, path, size - start, error);
    }
    cltomo_release(context, text);
    return status;
}

/* Column by column, a few columns at a time so that whole cache lines of the result are written. */
static cltomo_status read_fortran_order(
    cltomo_matrix *matrix, const char *path, int descriptor, cltomo_error *error)
{
    enum { block = 8 };
    size_t element_size = cltomo_precision_size(matrix->precision);
    size_t rows = matrix->rows;
    char *buffer = cltomo_allocate(matrix->context, rows, block * element_size);
    if (buffer == NULL) {
        return cltomo_fail_memory(error, "reading an NPY file");
    }
    cltomo_status status = CLTOMO_OK;
    for (size_t first = 0; first < matrix->cols && status == CLTOMO_OK; first += block) {
        size_t n = matrix->cols - first < block ? matrix->cols - first : block;
        status = read_bytes(descriptor, buffer, n * rows * element_size, path, error);
        for (size_t i = 0; i < rows && status == CLTOMO_OK; ++i) {
            char *row = (char *)matrix->data.raw + (i * matrix->cols + first) * element_size;
            for (size_t j = 0; j < n; ++j) {
                memcpy(
                    row + j * element_size, buffer + (j * rows + i) * element_size, element_size);
            }
        }
    }
    cltomo_release(matrix->context, buffer);
    return status;
}

static void swap_bytes(cltomo_matrix *matrix)
{
    size_t element_size = cltomo_precision_size(matrix->precision);
    unsigned char *element = matrix->data.raw;
    unsigned char *end = element + matrix->rows * matrix->cols * element_size;
    for (; element < end; element += element_size) {
        for (size_t i = 0; i < element_size / 2; ++i) {
            unsigned char byte = element[i];
            element[i] = element[element_size - 1 - i];
            element[element_size - 1 - i] = byte;
        }
    }
}

cltomo_status cltomo_npy_read(const cltomo_context *context, cltomo_matrix **matrix,
    const char *path, int descriptor, uint64_t size, cltomo_error *error)
{
    npy_header header = {0};
    cltomo_matrix *created = NULL;
    *matrix = NULL;
    cltomo_status status = read_header(context, &header, path, descriptor, size, error);
    if (status != CLTOMO_OK) {
        return status;
    }
    status = cltomo_matrix_allocate(context, &created, header.precision, (size_t)header.shape[0],
        (size_t)header.shape[1], error);
    if (status != CLTOMO_OK) {
        return status;
    }
    if (header.is_fortran) {
        status = read_fortran_order(created, path, descriptor, error);
    } else {
        status = read_bytes(descriptor, created->data.raw,
            created->rows * created->cols * cltomo_precision_size(created->precision), path, error);
    }
    if (status != CLTOMO_OK) {
        cltomo_matrix_destroy(created);
        return status;
    }
    if (header.is_foreign) {
        swap_bytes(created);
    }
    *matrix = created;
    return CLTOMO_OK;
}
