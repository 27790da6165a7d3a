#include <criterion/criterion.h>
#include <stdio.h>

#include "support/system_text.h"

static uint64_t hash_of(const char *from, const char *to)
{
    parsed p = parse_edited(from, to);
    (void)parsed_description(&p);
    uint64_t hash = cltomo_system_hash(p.system);
    parsed_clear(&p);
    return hash;
}

static uint64_t original(void)
{
    return hash_of("D: 8.5", "D: 8.5");
}

/* Frozen: files that users keep carry it. */
Test(hash, is_the_same_in_every_version)
{
    cr_assert_eq(original(), UINT64_C(0xaca33c08c434eb93), "%#llx", (unsigned long long)original());
}

Test(hash, depends_on_all_that_a_reconstructor_depends_on)
{
    const char *const edits[][2] = {
        {"D: 8.5", "D: 8.6"},
        {"[0, 1, 1]", "[1, 1, 0]"},
        {"wfsLensletsRotation: [0.1, -0.2]", "wfsLensletsRotation: [0.1, 0.2]"},
        {"[0.01, 0.02]", "[0.02, 0.01]"},
        {"[0.03, 0.04]", "[0.03, 0.05]"},
        {"dmPitch: [2.5]", "dmPitch: [2.4]"},
        {"[0, 1, 1, 0]", "[0, 1, 1, 1]"},
        {"zenithAngleInDeg: 30.0", "zenithAngleInDeg: 30.1"},
        {"altitude: [0, 5.5]", "altitude: [5.5, 0]"},
        {"L0: 25", "L0: 26"},
        {"r0: 0.15", "r0: 0.16"},
        {"fractionnalR0: [0.75, 0.25]", "fractionnalR0: [0.7, 0.3]"},
        {"radiusAst: 20", "radiusAst: 20.001"},
        {"radiusAst: 20", "radiusAst: 20\n  azimuthOffset: 1"},
        {"LGSwavelength: 5.89e-7", "LGSwavelength: 5.90e-7"},
        {"baseLGSHeight: 90000.0", "baseLGSHeight: .inf"},
        {"fovOptimization: 10", "fovOptimization: 11"},
        {"nFitSrc: 3", "nFitSrc: 4"},
    };
    uint64_t before = original();
    for (size_t i = 0; i < sizeof edits / sizeof edits[0]; ++i) {
        cr_assert_neq(hash_of(edits[i][0], edits[i][1]), before, "%s", edits[i][1]);
    }
}

Test(hash, ignores_what_no_reconstructor_depends_on)
{
    const char *const edits[][2] = {
        {"nPx: 8", "nPx: 9"},
        {"fieldStopSize: 4", "fieldStopSize: 5"},
        {"dmHeights: [100.0]", "dmHeights: [0]"},
        {"dmCrossCoupling: 0.15", "dmCrossCoupling: 0.3"},
        {"wavelength: 5.0e-7\n  windDir", "wavelength: 6.0e-7\n  windDir"},
        {"windDirection: [190, 255]", "windDirection: [191, 255]"},
        {"windSpeed: [5.6, 5.77]", "windSpeed: [1, 2]"},
        {"iNoiseVar: 1e14", "iNoiseVar: 1"},
    };
    uint64_t before = original();
    for (size_t i = 0; i < sizeof edits / sizeof edits[0]; ++i) {
        cr_assert_eq(hash_of(edits[i][0], edits[i][1]), before, "%s", edits[i][1]);
    }
}

Test(hash, zero_has_no_sign)
{
    cr_assert_eq(hash_of("wfsLensletsRotation: [0.1, -0.2]", "wfsLensletsRotation: [0, -0.2]"),
        hash_of("wfsLensletsRotation: [0.1, -0.2]", "wfsLensletsRotation: [-0, -0.2]"));
}

Test(hash, layers_of_zero_strength_do_not_count)
{
    const char *from = "nLayer: 2\n  zenithAngleInDeg: 30.0\n  altitude: [0, 5.5]\n  L0: 25\n"
                       "  r0: 0.15\n  fractionnalR0: [0.75, 0.25]\n  wavelength: 5.0e-7\n"
                       "  windDirection: [190, 255]\n  windSpeed: [5.6, 5.77]\n";
    cr_assert_eq(original(),
        hash_of(from, "nLayer: 3\n  zenithAngleInDeg: 30.0\n  altitude: [0, 3, 5.5]\n  L0: 25\n"
                      "  r0: 0.15\n  fractionnalR0: [0.75, 0, 0.25]\n"));
}

Test(hash, a_field_without_directions_does_not_count)
{
    const char *from = "fovOptimization: 10\n  nFitSrc: 3";
    cr_assert_eq(hash_of(from, "fovOptimization: 10\n  nFitSrc: 1"),
        hash_of(from, "fovOptimization: 0\n  nFitSrc: 1"));
}

Test(hash, a_polygon_equals_its_directions)
{
    const char *from = "  radiusAst: 20\n  LGSwavelength: 5.89e-7\n  baseLGSHeight: 90000.0\n"
                       "  nLGS: 2\n";
    cr_assert_eq(
        original(), hash_of(from, "  directions: [[20, 0], [-20, 0]]\n  LGSwavelength: 5.89e-7\n"
                                  "  baseLGSHeight: 90000.0\n  nLGS: 2\n"));
}
