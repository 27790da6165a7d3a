#include <string.h>

#include "io/io.h"

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define FOREIGN_BYTE_ORDER '<'
#else
#define FOREIGN_BYTE_ORDER '>'
#endif

#define MAX_HEADER 65535 /* bytes; the text for two dimensions takes about a hundred */

/* What the text says, before it is checked. */
typedef struct npy_header {
    bool has_type, has_order, has_shape;
    bool is_foreign; /* in the other byte order */
    bool is_fortran;
    cltomo_precision precision;
    size_t n_dimensions;
    uint64_t axes[CLTOMO_MAX_DIMENSIONS];
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

/* A tuple of numbers; only the first ones are kept, all are counted. */
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
        if (header->n_dimensions < CLTOMO_MAX_DIMENSIONS) {
            header->axes[header->n_dimensions] = value;
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
    const cltomo_array_shape *shape, uint64_t data_size, const char *path, cltomo_error *error)
{
    uint64_t element_size = cltomo_precision_size(shape->precision);
    char text[CLTOMO_SHAPE_TEXT];
    if (data_size % element_size != 0 || cltomo_array_elements(shape) != data_size / element_size) {
        return cltomo_fail_file(error, CLTOMO_ERROR_PARSE, path,
            "%llu bytes of data do not make %s elements of %llu bytes: the file is truncated, too "
            "long or has a wrong header",
            (unsigned long long)data_size, cltomo_array_text(text, shape),
            (unsigned long long)element_size);
    }
    return CLTOMO_OK;
}

/* Takes what is wanted from the header. */
static cltomo_status accept(cltomo_npy *npy, const npy_header *header, uint64_t data_size,
    const char *path, cltomo_error *error)
{
    cltomo_status status = cltomo_array_shape_set(
        &npy->shape, header->precision, header->n_dimensions, header->axes, path, error);
    if (status == CLTOMO_OK) {
        status = check_shape(&npy->shape, data_size, path, error);
    }
    if (status != CLTOMO_OK) {
        return status;
    }
    bool is_one_row = npy->shape.planes * npy->shape.rows == 1;
    npy->is_fortran = header->is_fortran && !is_one_row;
    npy->is_foreign = header->is_foreign;
    if (npy->is_fortran && npy->shape.n_dimensions > 2) {
        return cltomo_fail_file(error, CLTOMO_ERROR_PARSE, path,
            "NPY arrays of three dimensions in Fortran order are not supported: save it in C "
            "order, as numpy.ascontiguousarray() gives it");
    }
    return CLTOMO_OK;
}

/* Finds the length of the text, and where it begins. */
static cltomo_status read_prefix(int descriptor, uint64_t *start, size_t *length, const char *path,
    uint64_t size, cltomo_error *error)
{
    unsigned char prefix[12];
    cltomo_status status = cltomo_read_at(descriptor, prefix, 8, 0, path, error);
    if (status != CLTOMO_OK) {
        return status;
    }
    if (memcmp(prefix, "\x93NUMPY", 6) != 0 || prefix[6] < 1 || prefix[6] > 3 || prefix[7] != 0) {
        return cltomo_fail_file(
            error, CLTOMO_ERROR_PARSE, path, "not an NPY file of version 1.0, 2.0 or 3.0");
    }
    size_t width = prefix[6] == 1 ? 2 : 4; /* of the length, little-endian */
    status = cltomo_read_at(descriptor, prefix + 8, width, 8, path, error);
    if (status != CLTOMO_OK) {
        return status;
    }
    *length = 0;
    for (size_t i = 0; i < width; ++i) {
        *length |= (size_t)prefix[8 + i] << (8 * i);
    }
    *start = 8 + width;
    if (*length > MAX_HEADER || *start + *length > size) {
        return cltomo_fail_file(error, CLTOMO_ERROR_PARSE, path,
            "malformed NPY header: its length is %zu bytes", *length);
    }
    return CLTOMO_OK;
}

cltomo_status cltomo_npy_open(const cltomo_context *context, cltomo_npy *npy, const char *path,
    uint64_t size, cltomo_error *error)
{
    npy_header header = {.has_type = false};
    uint64_t start = 0;
    size_t length = 0;
    cltomo_status status = read_prefix(npy->descriptor, &start, &length, path, size, error);
    if (status != CLTOMO_OK) {
        return status;
    }
    char *text = cltomo_allocate(context, length, 1);
    if (text == NULL) {
        return cltomo_fail_memory(error, "the header of an NPY file");
    }
    status = cltomo_read_at(npy->descriptor, text, length, start, path, error);
    if (status == CLTOMO_OK) {
        cursor at = {.next = text, .end = text + length, .path = path, .error = error};
        status = read_dictionary(&at, &header);
    }
    cltomo_release(context, text);
    npy->start = start + length;
    return status == CLTOMO_OK ? accept(npy, &header, size - npy->start, path, error) : status;
}
