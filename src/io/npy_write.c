#include <stdio.h>
#include <string.h>

#include "io/io.h"

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define BYTE_ORDER_CODE '>'
#else
#define BYTE_ORDER_CODE '<'
#endif

/* Magic, version, length of the text, and the text: a Python dictionary filled up with blanks so
 * that the data start at a multiple of 64 bytes, and ended by a newline. */
cltomo_status cltomo_npy_write_header(cltomo_output *output, cltomo_precision precision,
    size_t planes, size_t rows, size_t cols, cltomo_error *error)
{
    enum { magic = 10, unit = 64 };
    static const char version[8] = {'\x93', 'N', 'U', 'M', 'P', 'Y', 1, 0};
    char header[4 * unit];
    char first[32] = "";
    if (planes > 0) {
        (void)snprintf(first, sizeof first, "%zu, ", planes);
    }
    int length = snprintf(header + magic, sizeof header - magic,
        "{'descr': '%cf%zu', 'fortran_order': False, 'shape': (%s%zu, %zu), }", BYTE_ORDER_CODE,
        cltomo_precision_size(precision), first, rows, cols);
    size_t used = magic + (size_t)length;
    size_t total = (used + 1 + unit - 1) / unit * unit;
    memset(header + used, ' ', total - used);
    header[total - 1] = '\n';
    memcpy(header, version, sizeof version);
    header[8] = (char)((total - magic) & 0xFF);
    header[9] = (char)((total - magic) >> 8);
    return cltomo_output_write(output, header, total, error);
}
