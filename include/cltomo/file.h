/* Matrices in files: FITS and NumPy's NPY. Files are written to a temporary file beside the target
 * and renamed, so a failure never leaves half a file or destroys what was there before. */
#ifndef CLTOMO_FILE_H
#define CLTOMO_FILE_H

#include <cltomo/matrix.h>
#include <cltomo/reconstructor.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum cltomo_file_format {
    CLTOMO_FORMAT_FITS = 0,
    CLTOMO_FORMAT_NPY = 1
} cltomo_file_format;

/* Writes one product of a reconstructor; an existing file is replaced.
 *
 * FITS: the primary HDU is the matrix (NAXIS1 = columns, NAXIS2 = rows), with keywords for unit,
 * order, sign, scaling, the parameters of the build, version and hash of the system. The keywords
 * ROWTABLE and COLTABLE name the binary tables that tell what each row and each column of the
 * matrix is: SLOPES (WFS, LENS_ROW, LENS_COL, and AXIS, 0 for x and 1 for y), GRID for phase points
 * and ACTUATORS (both ROW, COL, and X, Y in metres). All indices count from 0. Gamma is written as
 * a table GAMMA (ROW, COL, VALUE) instead of a matrix. NPY: the matrix in C order; Gamma as a dense
 * matrix. */
CLTOMO_API CLTOMO_MUST_CHECK cltomo_status cltomo_reconstructor_write(
    const cltomo_reconstructor *reconstructor, cltomo_product product, const char *path,
    cltomo_file_format format, cltomo_error *error);

/* Writes a bare matrix; an existing file is replaced. */
CLTOMO_API CLTOMO_MUST_CHECK cltomo_status cltomo_matrix_write(
    const cltomo_matrix *matrix, const char *path, cltomo_file_format format, cltomo_error *error);

/* Reads a 2-D matrix of 4- or 8-byte floating-point numbers, FITS (the first HDU with an image) or
 * NPY (C or Fortran order, either byte order) as the file's first bytes tell. */
CLTOMO_API CLTOMO_MUST_CHECK cltomo_status cltomo_matrix_read(
    const cltomo_context *context, cltomo_matrix **matrix, const char *path, cltomo_error *error);

#ifdef __cplusplus
}
#endif

#endif
