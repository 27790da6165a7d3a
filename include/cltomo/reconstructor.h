/* The minimum-mean-square-error reconstructor.
 *
 *   R  = (lambda / 2) C_ps (C_ss + C_n)^-1     n_phase x n_slopes, slopes -> wavefront [m]
 *   FR = -scaling F R                          n_actuators x n_slopes, slopes -> commands
 *
 * C_ss is the covariance of the slopes, C_ps that of the phase (averaged over the optimisation
 * directions) with the slopes, C_n = alpha mean(diag C_ss) diag(1 / flux) the noise, and F the
 * pseudo-inverse of the mirror's influence functions on the phase grid. Slopes are in pixels of
 * lambda / (2 d), lambda the guide stars' wavelength and d the lenslet pitch. */
#ifndef CLTOMO_RECONSTRUCTOR_H
#define CLTOMO_RECONSTRUCTOR_H

#include <cltomo/geometry.h>
#include <cltomo/matrix.h>
#include <cltomo/system.h>

#ifdef __cplusplus
extern "C" {
#endif

/* identifier, bit, name, what it is. Values are frozen. The first list is what
 * cltomo_reconstructor_build gives; R_IM comes from cltomo_reconstructor_build_interaction. */
#define CLTOMO_MODEL_PRODUCT_LIST(X)                                                               \
    X(CLTOMO_PRODUCT_R, 0, "R", "reconstructor, n_phase x n_slopes")                               \
    X(CLTOMO_PRODUCT_FR, 1, "FR", "command matrix, n_actuators x n_slopes")                        \
    X(CLTOMO_PRODUCT_F, 2, "F", "fitting matrix, n_actuators x n_phase")                           \
    X(CLTOMO_PRODUCT_IF, 3, "IF", "influence functions, n_phase x n_actuators")                    \
    X(CLTOMO_PRODUCT_C_SS, 4, "C_ss", "slope covariance, n_slopes x n_slopes")                     \
    X(CLTOMO_PRODUCT_C_PS, 5, "C_ps", "phase-slope covariance, n_phase x n_slopes")                \
    X(CLTOMO_PRODUCT_C_N, 6, "C_n", "diagonal of the noise covariance, 1 x n_slopes")              \
    X(CLTOMO_PRODUCT_R_UNSCALED, 7, "R_unscaled", "R before the factor lambda / 2")                \
    X(CLTOMO_PRODUCT_GRID_MASK, 8, "grid_mask", "valid points of the phase grid, N x N")           \
    X(CLTOMO_PRODUCT_GAMMA, 9, "Gamma", "gradient operator of one sensor, sparse")
#define CLTOMO_PRODUCT_LIST(X)                                                                     \
    CLTOMO_MODEL_PRODUCT_LIST(X)                                                                   \
    X(CLTOMO_PRODUCT_R_IM, 10, "R_IM", "from an interaction matrix, n_actuators x n_slopes")

typedef enum cltomo_product {
#define CLTOMO_PRODUCT_ENUM(name, bit, text, meaning) name = 1 << (bit),
    CLTOMO_PRODUCT_LIST(CLTOMO_PRODUCT_ENUM)
#undef CLTOMO_PRODUCT_ENUM
        CLTOMO_PRODUCT_MAX_ = 0x7fffffff /* fixes the width of the type */
} cltomo_product;

/* The product of that name, exactly as in the list above; 0 if there is none. */
CLTOMO_API uint32_t cltomo_product_from_name(const char *name);

/* The name of one product; NULL if it is not exactly one. */
CLTOMO_API const char *cltomo_product_name(uint32_t product);

/* How covariances are evaluated. */
typedef enum cltomo_evaluation {
    CLTOMO_EVALUATION_AUTO = 0,  /* for each pair of sensors the cheapest exact way */
    CLTOMO_EVALUATION_DIRECT = 1 /* point by point everywhere: slow, to check the others against */
} cltomo_evaluation;

/* What summed a covariance: of the slopes of two sensors DIRECT or TOEPLITZ, of the phase with the
 * slopes of one sensor DIRECT, SEPARABLE or ROTATED. Values are frozen. */
typedef enum cltomo_evaluator {
    CLTOMO_EVALUATOR_NONE = 0,      /* not known */
    CLTOMO_EVALUATOR_DIRECT = 1,    /* point by point; always valid */
    CLTOMO_EVALUATOR_TOEPLITZ = 2,  /* a table of the lags between lenslets */
    CLTOMO_EVALUATOR_SEPARABLE = 3, /* Gaussians, each a product of a factor in x and one in y */
    CLTOMO_EVALUATOR_ROTATED = 4    /* Gaussians for each point of a rotated sensor; on the host,
                                       whatever the backend */
} cltomo_evaluator;

/* "direct", "toeplitz", "separable", "rotated"; NULL for CLTOMO_EVALUATOR_NONE. */
CLTOMO_API const char *cltomo_evaluator_name(cltomo_evaluator evaluator);

/* A built reconstructor: the matrices that were asked for, with the order of their slopes. */
typedef struct cltomo_reconstructor cltomo_reconstructor;

/* Takes rows first_row, first_row + 1, ... of R, R_unscaled, FR or C_ps as they are computed, each
 * product's in ascending order, on the thread that builds. `building` tells the system, the options
 * and the report so far. The rows live until the function returns. Anything but CLTOMO_OK ends the
 * build with that status; fill the error too. */
typedef cltomo_status (*cltomo_row_sink)(void *user, const cltomo_reconstructor *building,
    cltomo_product product, size_t first_row, const cltomo_matrix *rows, cltomo_error *error);

typedef struct cltomo_build_options {
    uint32_t size;     /* sizeof(cltomo_build_options); set by the initialiser, fields only grow */
    uint32_t products; /* what to return: cltomo_product values or-ed together */
    cltomo_precision precision;
    double alpha; /* noise variance over mean slope variance, > 0 */
    cltomo_slope_order slope_order;
    cltomo_lenslet_order lenslet_order;
    double scaling;           /* of commands: FR = -scaling F R; finite, nonzero */
    double stretch;           /* of the actuator positions about the centre, > 0 */
    uint32_t mirror_rotation; /* quarter turns of the influence functions, counter-clockwise seen
                                 with row 0 at the top; 0 to 3 */
    uint32_t mirror_flip;     /* nonzero: then flip them top to bottom */
    const uint32_t *masked_actuators; /* rows of FR to set to zero */
    size_t n_masked_actuators;
    cltomo_evaluation evaluation;
    double accuracy; /* wanted largest error of the covariances, relative to the variance of the
                        phase, 1e-14 to 1e-2. 0: 1e-12 in double, 1e-8 in single precision, or less
                        where lenslets are so small against the outer scale that slopes are tiny
                        beside the phase: no more than 1e-11 (3e-7) of the structure function over
                        one lenslet, but never below 1e-14. Small systems get 1e-14. */
    uint32_t per_direction;   /* nonzero: R, R_unscaled, FR and C_ps have the rows of the first
                                 optimisation direction, then those of the second, ..., in place of
                                 the rows for their mean. Directions of the grid go row by row (y),
                                 from negative to positive angles. */
    cltomo_row_sink row_sink; /* takes those four products, which the reconstructor then does not
                                 hold; NULL: it holds them */
    void *row_sink_user;
    uint64_t max_memory; /* bytes that the build may take at its peak, 0: no limit. With a row_sink
                            the rows are computed in panels that keep to it. Too little even so is
                            CLTOMO_ERROR_MEMORY. */
} cltomo_build_options;

/* R and FR, double, alpha 10, xy by row, scaling 1.65e7, stretch 1.03, no rotation, no flip,
 * automatic evaluation at the default accuracy. */
CLTOMO_API cltomo_build_options cltomo_build_options_init(void);

/* How a build went. */
#define CLTOMO_MAX_STAGES 16
typedef struct cltomo_build_report {
    uint32_t n_stages;
    const char *stage_name[CLTOMO_MAX_STAGES]; /* static strings */
    double stage_seconds[CLTOMO_MAX_STAGES];
    double total_seconds;
    double mean_slope_variance; /* mean(diag C_ss) */
    double noise_variance;      /* alpha times that; of a slope whose lenslet has a flux of 1 */
    double pivot_ratio;         /* smallest over largest diagonal element of the Cholesky factor,
                                   squared. No estimate of the condition number, which may be many
                                   times 1 / pivot_ratio; near 0 means badly conditioned. 0: no
                                   factorisation */
    double condition;          /* upper bound of the condition number of C_ss + C_n; found in single
                                  precision only; 0: unknown */
    double estimated_error;    /* of R, relative, from rounding in single precision; 0: unknown */
    uint32_t n_pairs_toeplitz; /* pairs of sensors whose slope covariance came from a lag table, */
    uint32_t n_pairs_direct;   /* or point by point */
    uint32_t n_sensors_separable; /* sensors whose phase-slope covariance came from Gaussians, */
    uint32_t n_sensors_direct;    /* or point by point */
    uint32_t n_gaussians;         /* terms of the mixture */
    const char *backend; /* that built it, "cpu" or "opencl", a static string: the context's, or the
                            C path where an automatic choice fell back to it for this build */
} cltomo_build_report;

/* options may be NULL for the defaults. Asking for FR without R applies F to C_ps before the
 * solves, so that only n_actuators right-hand sides are solved. */
CLTOMO_API CLTOMO_MUST_CHECK cltomo_status cltomo_reconstructor_build(const cltomo_context *context,
    cltomo_reconstructor **reconstructor, const cltomo_system *system,
    const cltomo_build_options *options, cltomo_error *error);

/* A dense product, owned by the reconstructor; NULL if it was not asked for or is not dense. */
CLTOMO_API const cltomo_matrix *cltomo_reconstructor_matrix(
    const cltomo_reconstructor *reconstructor, cltomo_product product);

/* planes x rows x cols, or rows x cols where planes is 0. */
typedef struct cltomo_shape {
    size_t planes;
    size_t rows;
    size_t cols;
} cltomo_shape;

/* The shape of a product of the reconstructor's system and options, whether or not it was asked for
 * or went to a row_sink. A plane for each direction where per_direction gives the product rows for
 * each; in the matrix above, and for the row_sink, the planes' rows follow each other. All zero if
 * it is not exactly one product. */
CLTOMO_API cltomo_shape cltomo_reconstructor_shape(
    const cltomo_reconstructor *reconstructor, cltomo_product product);

/* Gamma of one sensor (all sensors share it), in the order of the build; NULL if not asked for. */
CLTOMO_API const cltomo_sparse *cltomo_reconstructor_gradient(
    const cltomo_reconstructor *reconstructor);

/* The system, the options (without masked_actuators) and the report; owned by the reconstructor. */
CLTOMO_API const cltomo_system *cltomo_reconstructor_system(
    const cltomo_reconstructor *reconstructor);
CLTOMO_API const cltomo_build_options *cltomo_reconstructor_options(
    const cltomo_reconstructor *reconstructor);
CLTOMO_API const cltomo_build_report *cltomo_reconstructor_report(
    const cltomo_reconstructor *reconstructor);

/* The evaluator chosen for the slope covariance of sensors i and j, in either order, and for the
 * phase-slope covariance of sensor i; sensors count from 0. *reason (which may be NULL: not told)
 * becomes a static string that says why no cheaper one is valid, NULL if there is no cheaper one.
 * CLTOMO_EVALUATOR_NONE where the system has no such sensor. */
CLTOMO_API cltomo_evaluator cltomo_reconstructor_pair_evaluator(
    const cltomo_reconstructor *reconstructor, size_t i, size_t j, const char **reason);
CLTOMO_API cltomo_evaluator cltomo_reconstructor_sensor_evaluator(
    const cltomo_reconstructor *reconstructor, size_t i, const char **reason);

CLTOMO_API void cltomo_reconstructor_destroy(cltomo_reconstructor *reconstructor);

/* Bytes that a build on the C path needs at its peak, the returned matrices included: never less
 * than it takes, and little more where matrices are most of it. Counted are as many threads as the
 * context of the system has. With max_memory and a row_sink it is what the panels need that keep to
 * the limit, or the smallest ones if none do. 0 for options that cltomo_reconstructor_build
 * refuses, which says why. */
CLTOMO_API uint64_t cltomo_build_memory(
    const cltomo_system *system, const cltomo_build_options *options);

#ifdef __cplusplus
}
#endif

#endif
