/* The description of an adaptive-optics system: telescope, sensors, guide stars, turbulence,
 * mirror.
 *
 * A cltomo_system is validated and immutable. It comes from a YAML file (files written for pyTomoAO
 * 2.0 load unchanged; cltomo_example_text shows commented ones), from YAML text in memory, from a
 * built-in example, or from a filled cltomo_system_description. To change something (a new r0,
 * say), copy the description of an existing system, change the field, and create a new system from
 * it.
 *
 * Each number has a wide but finite range, which the error for it names. YAML keys that pyTomoAO
 * does not have:
 *
 *   validLLMap, validActuators: {shape: annulus, outer: R, inner: R}    instead of rows of 0 and 1:
 *       radii in cells; a cell is valid when its centre lies within; inner is 0 if left out
 *   lgs_asterism: azimuthOffset: DEGREES              turns the regular polygon of guide stars
 *   lgs_asterism: directions: [[X, Y], ...]           in arcsec, replaces the polygon
 *   lgs_asterism: baseLGSHeight: .inf                 natural guide stars
 *   validLLMap: [MAP, MAP, ...]                       one map per sensor instead of one for all
 *   lensletFlux: MAP or [MAP, MAP, ...]               relative flux of the lenslets, numbers > 0
 *   tomography_parameters: directions: [[X, Y], ...]  in arcsec, replaces the grid of directions;
 *       directionWeights: [W, ...] and directionHeights: [H, ...] (m, or .inf) go with it
 *
 * dm_parameters, noise_parameters, and keys that no reconstructor depends on may be left out. */
#ifndef CLTOMO_SYSTEM_H
#define CLTOMO_SYSTEM_H

#include <cltomo/context.h>
#include <cltomo/diagnostics.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cltomo_system cltomo_system;

/* SI units and radians throughout. Arrays are read during cltomo_system_create only, which copies
 * them. The fields marked (descriptive) are checked and kept, but no reconstructor depends on them;
 * zero or NULL means not given. */
/* NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding): fields are grouped by what they mean */
typedef struct cltomo_system_description {
    uint32_t size; /* sizeof(cltomo_system_description); set by the initialiser, fields only grow */

    /* Telescope and Shack-Hartmann sensors: n_lenslets x n_lenslets lenslets across the diameter.
     */
    double telescope_diameter;     /* m, > 0 */
    uint32_t n_lenslets;           /* across, 1 to 1024 */
    const uint8_t *valid_lenslets; /* n_lenslets^2, row-major; nonzero: valid */
    uint32_t n_wfs;                /* sensors = guide stars, 1 to 64 */
    const double *wfs_rotation;    /* n_wfs, rad; NULL: all zero */
    const double *wfs_offset_x;    /* n_wfs, fraction of the padded diameter; NULL: all zero */
    const double *wfs_offset_y;    /* n_wfs, likewise */
    uint32_t pixels_per_lenslet;   /* (descriptive) */
    double field_stop;             /* rad (descriptive) */

    /* Guide stars. Direction i is (guide_star_x[i], guide_star_y[i]), tangents of the angles from
     * the optical axis. */
    const double *guide_star_x;   /* n_wfs */
    const double *guide_star_y;   /* n_wfs */
    double guide_star_wavelength; /* m, > 0 */
    double guide_star_height; /* m above the telescope at zenith, > 0; INFINITY: natural stars */

    /* Turbulence at zenith. */
    double zenith_angle;          /* rad, 0 <= z < pi/2 */
    double r0;                    /* Fried parameter at zenith, m, > 0 */
    double L0;                    /* outer scale, m, > 0 */
    double turbulence_wavelength; /* m, at which r0 holds (descriptive) */
    uint32_t n_layers;            /* 1 to 1024 */
    const double *layer_altitude; /* n_layers, m at zenith, >= 0, in any order */
    const double *layer_fraction; /* n_layers, >= 0, sum 1; layers of strength 0 are skipped */
    const double *wind_speed;     /* n_layers, m/s (descriptive) */
    const double *wind_direction; /* n_layers, rad (descriptive) */

    /* Optimisation directions: a square grid, endpoints included, each weighted alike; or one by
     * one, see the end. */
    uint32_t n_directions_across; /* 1 to 128; 1: on axis */
    uint32_t n_directions;        /* up to 1024 listed ones, which replace the grid; 0: the grid */
    double field_of_view;         /* side of the square, rad, >= 0 */

    /* Deformable mirror; n_actuators 0: none, then only wavefront products can be built. */
    uint32_t n_actuators;           /* across, up to 1024 */
    const uint8_t *valid_actuators; /* n_actuators^2, row-major; nonzero: valid */
    double actuator_pitch;          /* m, > 0 */
    double mirror_height;           /* m (descriptive) */
    double mirror_coupling;         /* 0 to 1 (descriptive) */

    /* Sensors that do not all use the same lenslets: n_wfs maps of n_lenslets^2 each.
     * valid_lenslets is not read then, and holds their union in the description of a system. NULL:
     * it serves every sensor. */
    const uint8_t *valid_lenslets_per_wfs;
    /* The relative flux of each lenslet, n_wfs maps of n_lenslets^2, > 0 where valid: the noise
     * variance of its slopes is divided by it. NULL: 1 everywhere. */
    const double *lenslet_flux;

    /* Optimisation directions one by one. */
    const double *direction_x;      /* n_directions, tangents of the angles from the axis */
    const double *direction_y;      /* n_directions */
    const double *direction_weight; /* n_directions, >= 0, normalised to sum 1; NULL: equal */
    const double *direction_height; /* n_directions, of the source, m above the telescope at zenith,
                                       above every layer; NULL: all INFINITY */
} cltomo_system_description;

/* A description with the size set, one direction on axis, and everything else zero. */
CLTOMO_API cltomo_system_description cltomo_system_description_init(void);

/* Creators. On failure *system is NULL. If diagnostics is not NULL, *diagnostics receives all
 * errors and warnings (a list to destroy, also on success; NULL if there are none), and error the
 * first error. Warnings go to the context's log too. */

/* From a YAML file of at most 16 MiB. */
CLTOMO_API CLTOMO_MUST_CHECK cltomo_status cltomo_system_load(const cltomo_context *context,
    cltomo_system **system, cltomo_diagnostics **diagnostics, const char *path,
    cltomo_error *error);

/* From YAML text; name stands for the file name in messages and may be NULL. */
CLTOMO_API CLTOMO_MUST_CHECK cltomo_status cltomo_system_parse(const cltomo_context *context,
    cltomo_system **system, cltomo_diagnostics **diagnostics, const char *text, size_t length,
    const char *name, cltomo_error *error);

/* From a filled description. The keys in diagnostics are the field names. */
CLTOMO_API CLTOMO_MUST_CHECK cltomo_status cltomo_system_create(const cltomo_context *context,
    cltomo_system **system, cltomo_diagnostics **diagnostics,
    const cltomo_system_description *description, cltomo_error *error);

/* A system with only some of the sensors of another and their guide stars: sensors holds
 * n_sensors (1 to n_wfs) of their numbers, from 0, in ascending order, each once. Slopes come
 * sensor by sensor in the same order. Turbulence, mirror and optimisation directions stay as they
 * are, and the system equals, in hash too, one that was described with just those sensors. A subset
 * keeps what it needs of the other system, which may be destroyed before it; all sensors make an
 * equal system that is no subset.
 *
 * Errors: CLTOMO_ERROR_ARGUMENT for a number that is out of range or not above the one before. */
CLTOMO_API CLTOMO_MUST_CHECK cltomo_status cltomo_system_subset(const cltomo_context *context,
    cltomo_system **subset, const cltomo_system *system, const uint32_t *sensors, size_t n_sensors,
    cltomo_error *error);

/* The built-in examples: their number, the name of number i (NULL if out of range), and the YAML
 * text for a name (NULL if there is none of that name). All static. */
CLTOMO_API size_t cltomo_example_count(void);
CLTOMO_API const char *cltomo_example_name(size_t i);
CLTOMO_API const char *cltomo_example_text(const char *name);

/* What the system holds, fractions normalised to a sum of 1; owned by the system. */
CLTOMO_API const cltomo_system_description *cltomo_system_get_description(
    const cltomo_system *system);

/* Of a subset: the number, from 0, of each of its n_wfs sensors in the system that it was taken
 * from, the first one where subsets were taken of subsets; owned by the system. NULL if it is no
 * subset. A system that is created from a subset's description is none. */
CLTOMO_API const uint32_t *cltomo_system_wfs_numbers(const cltomo_system *system);

/* A 64-bit hash of everything that a reconstructor depends on: equal for descriptions that are
 * equal in value, however they were written. Stable across platforms of the same byte order and
 * versions. */
CLTOMO_API uint64_t cltomo_system_hash(const cltomo_system *system);

CLTOMO_API void cltomo_system_destroy(cltomo_system *system);

#ifdef __cplusplus
}
#endif

#endif
