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
 * and ACTUATORS (both ROW, COL, and X, Y in metres). All indices count from 0. For a subset of the
 * sensors WFS is the number in the whole system, and the keyword WFSLIST lists them, '0,2-4'. Gamma
 * is written as a table GAMMA (ROW, COL, VALUE) instead of a matrix. What a per-direction build has
 * for each direction is a cube (NAXIS3 = directions), whose planes the table DIRECTIONS tells that
 * PLNTABLE names: X, Y in arcseconds, WEIGHT (all sum to 1), and HEIGHT of the source in metres,
 * infinite for a star. NPY: the matrix or cube in C order; Gamma as a dense matrix. */
CLTOMO_API CLTOMO_MUST_CHECK cltomo_status cltomo_reconstructor_write(
    const cltomo_reconstructor *reconstructor, cltomo_product product, const char *path,
    cltomo_file_format format, cltomo_error *error);

/* Builds as cltomo_reconstructor_build does and writes each product that the options ask for to
 * DIRECTORY/NAME.fits or DIRECTORY/NAME.npy, NAME as in CLTOMO_PRODUCT_LIST, as
 * cltomo_reconstructor_write does. The rows of R, R_unscaled, FR and C_ps go to their files as they
 * are computed: the reconstructor, which the caller destroys, does not hold these products, and
 * with max_memory they may be larger than the memory. The directory must exist. No file is replaced
 * before all are complete. options->row_sink must be NULL; options may be NULL. */
CLTOMO_API CLTOMO_MUST_CHECK cltomo_status cltomo_reconstructor_build_files(
    const cltomo_context *context, cltomo_reconstructor **reconstructor,
    const cltomo_system *system, const cltomo_build_options *options, const char *directory,
    cltomo_file_format format, cltomo_error *error);

/* Bytes that this needs at its peak. 0 for options that it refuses. */
CLTOMO_API uint64_t cltomo_build_files_memory(
    const cltomo_system *system, const cltomo_build_options *options);

/* Writes a bare matrix; an existing file is replaced. */
CLTOMO_API CLTOMO_MUST_CHECK cltomo_status cltomo_matrix_write(
    const cltomo_matrix *matrix, const char *path, cltomo_file_format format, cltomo_error *error);

/* Reads a 2-D matrix of 4- or 8-byte floating-point numbers, FITS (the first HDU with an image) or
 * NPY (C or Fortran order, either byte order) as the file's first bytes tell. */
CLTOMO_API CLTOMO_MUST_CHECK cltomo_status cltomo_matrix_read(
    const cltomo_context *context, cltomo_matrix **matrix, const char *path, cltomo_error *error);

/* A wavefront (n_points values at the points of R's rows) as a map of n_grid x n_grid, row-major,
 * with NaN where there is no point. Fails with CLTOMO_ERROR_SHAPE, and leaves the map alone, if a
 * point lies outside. */
CLTOMO_API CLTOMO_MUST_CHECK cltomo_status cltomo_wavefront_map(double *map, size_t n_grid,
    const cltomo_point *points, const double *wavefront, size_t n_points, cltomo_error *error);

typedef struct cltomo_reconstruct_options {
    uint32_t
        size; /* sizeof(cltomo_reconstruct_options); set by the initialiser, fields only grow */
    uint32_t has_precision;     /* nonzero: `precision` counts; 0: that of the matrix in its file */
    cltomo_precision precision; /* of the computation, and of commands in the file */
} cltomo_reconstruct_options;

/* The precision of the matrix. */
CLTOMO_API cltomo_reconstruct_options cltomo_reconstruct_options_init(void);

/* Applies R, FR or R_IM from a FITS file of cltomo_reconstructor_write to the vectors of slopes in
 * a file, FITS or NPY, and writes the results; an existing file is replaced. The slopes are
 * n_vectors x n_slopes; one dimension is a single vector, and of three dimensions the first two
 * count the vectors. NPY may be in Fortran order up to two dimensions, and in either byte order.
 *
 * R gives maps in metres, in double precision whatever that of the computation, NaN outside the
 * grid's mask: a cube of n_vectors x n_grid x n_grid, or one map of n_grid x n_grid from slopes of
 * one dimension. FR and R_IM give the commands, n_vectors x n_actuators.
 *
 * A cube of R or FR, from a per-direction build, gives n_directions maps, one after the other, for
 * each vector (so the cube has n_vectors * n_directions planes), or commands of n_vectors x
 * n_directions x n_actuators, without the first for slopes of one dimension. In FITS the keyword
 * NDIRMAP is then n_directions.
 *
 * The slopes are read, and the results written, some vectors at a time: beside the matrix the
 * function takes some tens of megabytes, or what a single vector needs if that is more, however
 * many vectors there are. Between these batches it reports progress and can be cancelled. options
 * may be NULL for the defaults. Errors name the file: CLTOMO_ERROR_SHAPE if the slopes do not fit
 * the matrix, CLTOMO_ERROR_NOT_FINITE, with row and column, if an element is a NaN or an infinity,
 * also if a result overflows. After any failure the older file is still there. */
CLTOMO_API CLTOMO_MUST_CHECK cltomo_status cltomo_reconstruct_files(const cltomo_context *context,
    const char *reconstructor_path, const char *slopes_path, const char *path,
    cltomo_file_format format, const cltomo_reconstruct_options *options, cltomo_error *error);

#ifdef __cplusplus
}
#endif

#endif
