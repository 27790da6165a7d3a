"""References from pyTomoAO 2.0.0, a peer, where its results are right.

    python3 tests/golden/generate_pytomoao.py [SYSTEM ...]

SYSTEM is one of pyTomoAO's four example configurations, reduced_kapa or a small_*; all of them by
default. For each but the small ones it writes probes (see probes.py) into tests/golden/SYSTEM

    mask                         N x N, 1 where a point of the phase grid is valid
    gamma_right                  gradient operator of one sensor
    c_ss_right                   slope covariance
    c_ps_right, c_ps_left        phase-slope covariance, mean over directions
    r_right, r_left, r_rows      reconstructor [m]
    modes_right, modes_left      influence functions, n_phase x n_actuators
    f_right, f_left              their pseudo-inverse
    fr_right, fr_left            command matrix -1.65e7 F R
    f_rotated_*, fr_rotated_*                   with influence-function maps turned by 90 degrees
    f_rotated_flipped_*, fr_rotated_flipped_*   with maps then also flipped top to bottom

and pytomoao_systems.h with the derived numbers of these systems and the norms of the matrices.
small_*.yaml are not stored but checked against the results of generate_mpmath.py.

Slopes are in pyTomoAO's order: per sensor all x, then all y, lenslets column by column. Phase
points and actuators: row by row. FR is taken with slopesOrder="inverted", the one order in which
pyTomoAO leaves its columns alone; the others give commands for a transposed mirror. Expect 1e-7 of
R and FR, not more: its Bessel function is good to 4e-8.

Needs: pytomoao 2.0.0, numpy, scipy, pyyaml. Raw results are kept in ~/.cache/cltomo-golden, or in
the folder that CLTOMO_GOLDEN_CACHE names; without them keck takes some ten minutes.
"""

import os
import pathlib
import sys

import numpy as np
import scipy.sparse
import yaml

import probes

EXAMPLES = ("kapa", "kapa-single-channel", "keck", "revolt")
COMMANDS = ("kapa", "revolt")  # whose command matrices are stored
ROTATED = ("revolt", "reduced_kapa")  # and those with turned mirrors
TURNED = ("f_rotated", "f_rotated_flipped", "fr_rotated", "fr_rotated_flipped")
CACHE = pathlib.Path(os.environ.get("CLTOMO_GOLDEN_CACHE", "~/.cache/cltomo-golden")).expanduser()


def open_peer(name):
    import pyTomoAO

    assert pyTomoAO.__version__ == "2.0.0", pyTomoAO.__version__
    path = pyTomoAO.example_config(name) if name in EXAMPLES else probes.HERE / f"{name}.yaml"
    return pyTomoAO.tomographicReconstructor(str(path), force_cpu=True)


def compute(peer):
    """Everything large that a build gives, as dense matrices by our names."""
    peer.build_reconstructor()
    gamma = scipy.sparse.csr_matrix(peer.Gamma)
    c_ox = np.asarray(peer.Cox)
    c_ox = c_ox.mean(axis=0) if c_ox.ndim == 3 else c_ox
    result = {"mask": np.asarray(peer.gridMask, dtype=float), "r": np.asarray(peer.R),
              "c_ss": gamma @ (gamma @ np.asarray(peer.Cxx).T).T, "c_ps": (gamma @ c_ox.T).T}
    sensors = peer.nLGS
    result["gamma"] = gamma[: gamma.shape[0] // sensors, : gamma.shape[1] // sensors].toarray()
    for suffix, options in (("", {}), ("_rotated", {"rotation": 1}),
                            ("_rotated_flipped", {"rotation": 1, "flip": True})):
        result[f"fr{suffix}"] = peer.assemble_reconstructor_and_fitting(
            nChannels=sensors, slopesOrder="inverted", **options)
        result[f"f{suffix}"] = np.array(peer.fit.F)
        if not suffix:
            result["modes"] = np.array(peer.modes)
    return result


def cached(name, peer):
    path = CACHE / f"{name}.npz"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        np.savez(path, **compute(peer))
    with np.load(path) as stored:
        return dict(stored)


def relative(candidate, reference):
    return np.linalg.norm(candidate - reference) / np.linalg.norm(reference)


def our_order(lenslet_map, sensors):
    """Index into pyTomoAO's columns for each of ours (lenslets row by row)."""
    flags = np.array(lenslet_map, dtype=bool)
    numbers = np.zeros(flags.shape, dtype=int)
    numbers.T[flags.T] = np.arange(flags.sum())
    one = numbers[flags]
    return np.concatenate([block * len(one) + one for block in range(2 * sensors)])


def check_small(name):
    config = yaml.safe_load((probes.HERE / f"{name}.yaml").read_text(encoding="utf-8"))
    if "directions" in config["lgs_asterism"]:
        return
    peer = open_peer(name)
    found = compute(peer)
    order = our_order(config["lgs_wfs_parameters"]["validLLMap"], peer.nLGS)
    found["gamma"] = found["gamma"][order[: len(found["gamma"])]]
    found["c_ss"] = found["c_ss"][np.ix_(order, order)]
    for key in ("c_ps", "r", "fr"):
        found[key] = found[key][:, order]
    for key in ("mask", "gamma", "c_ss", "c_ps", "r", "modes", "f", "fr", *TURNED[:2]):
        error = relative(found[key], np.load(probes.HERE / name / f"{key}.npy"))
        print(f"{name}: {key} differs by {error:.1e}")
        assert error < 1e-6


def store(name, matrices):
    def save(key, **counts):
        probes.save_probes(name, key, matrices[key], **counts)

    probes.save(name, "mask", matrices["mask"])
    save("gamma", right=3)
    save("c_ss", right=3)
    save("c_ps", right=3, left=1)
    save("r", right=6, left=3, rows=4)
    if name in EXAMPLES and name not in COMMANDS:
        return
    save("modes", right=3, left=3)
    save("f", right=3, left=3)
    save("fr", right=3, left=1)
    if name in ROTATED:
        for key in TURNED:
            save(key, right=2, left=1)


def text_hash(flags):
    """FNV-1a, 64 bits, over the rows of a map written as lines of 0 and 1."""
    value = 0xCBF29CE484222325
    for row in flags:
        for byte in ("".join("1" if flag else "0" for flag in row) + "\n").encode():
            value = ((value ^ byte) * 0x100000001B3) & probes.MASK
    return value


NORMS = ("gamma", "c_ss", "c_ps", "r", "modes", "f", "fr")


def system_facts(name, peer, matrices):
    """One initialiser of struct golden_system."""
    wfs, dm, atmosphere = peer.lgsWfsParams, peer.dmParams, peer.atmParams
    stars, sources = peer.lgsAsterismParams, peer.tomoParams.directionVectorSrc
    lenslets = np.asarray(wfs.validLLMap, dtype=bool)
    actuators = np.asarray(dm.validActuators, dtype=bool)

    def numbers(values):
        return "{" + ", ".join(repr(float(value) + 0.0) for value in values) + "}"

    diagonal = matrices["c_ss"].diagonal()
    fields = {
        "name": f'"{name}"', "diameter": repr(float(wfs.D)),
        "airmass": repr(float(atmosphere.airmass)), "r0": repr(float(atmosphere.r0)),
        "outer_scale": repr(float(atmosphere.L0)), "n_layers": len(atmosphere.altitude),
        "layer_heights": numbers(atmosphere.altitude),
        "layer_weights": numbers(atmosphere.fractionnalR0),
        "star_height": repr(float(stars.LGSheight)),
        "star_wavelength": repr(float(stars.LGSwavelength)), "n_sensors": peer.nLGS,
        "star_x": numbers(stars.directionVectorLGS[0]),
        "star_y": numbers(stars.directionVectorLGS[1]),
        "sensor_rotation": numbers(np.ravel(wfs.wfsLensletsRotation)),
        "sensor_offset_x": numbers(wfs.wfsLensletsOffset[0]),
        "sensor_offset_y": numbers(wfs.wfsLensletsOffset[1]),
        "n_directions": sources.shape[1], "direction_x_min": repr(float(sources[0].min())),
        "direction_x_max": repr(float(sources[0].max())),
        "n_lenslets_across": wfs.nLenslet, "n_valid_lenslets": int(lenslets.sum()),
        "lenslet_hash": f"UINT64_C({text_hash(lenslets):#018x})",
        "n_actuators_across": int(np.ravel(dm.nActuators)[0]),
        "n_valid_actuators": int(actuators.sum()),
        "actuator_hash": f"UINT64_C({text_hash(actuators):#018x})",
        "actuator_pitch": repr(float(np.ravel(dm.dmPitch)[0])),
        "n_phase": matrices["r"].shape[0], "n_slopes": matrices["r"].shape[1],
        "c_ss_trace": repr(float(diagonal.sum())),
        "c_ss_diagonal_mean": repr(float(diagonal.mean())),
    }
    fields |= {f"{key}_norm": repr(float(np.linalg.norm(matrices[key]))) for key in NORMS}
    if name in ROTATED:
        fields |= {f"{key}_norm": repr(float(np.linalg.norm(matrices[key]))) for key in TURNED}
    lines = [f"        .{key} = {value},\n" for key, value in fields.items()]
    return "    {\n" + "".join(lines) + "    },\n"


HEADER = """\
/* Written by generate_pytomoao.py: what pyTomoAO 2.0.0 makes of its four example configurations and
 * of reduced_kapa.yaml. SI units and radians; directions are tangents; the norms are the Frobenius
 * ones of the matrices whose probes lie in the folder of the same name. */
#ifndef GOLDEN_PYTOMOAO_SYSTEMS_H
#define GOLDEN_PYTOMOAO_SYSTEMS_H

#include <stddef.h>
#include <stdint.h>

enum { golden_max_layers = 7, golden_max_sensors = 4 };

typedef struct golden_system {
    const char *name;
    double diameter, airmass, r0, outer_scale;
    size_t n_layers;
    double layer_heights[golden_max_layers], layer_weights[golden_max_layers];
    double star_height, star_wavelength;
    size_t n_sensors;
    double star_x[golden_max_sensors], star_y[golden_max_sensors];
    double sensor_rotation[golden_max_sensors];
    double sensor_offset_x[golden_max_sensors], sensor_offset_y[golden_max_sensors];
    size_t n_directions;
    double direction_x_min, direction_x_max;
    size_t n_lenslets_across, n_valid_lenslets;
    uint64_t lenslet_hash; /* golden_map_hash() */
    size_t n_actuators_across, n_valid_actuators;
    uint64_t actuator_hash;
    double actuator_pitch;
    size_t n_phase, n_slopes;
    double c_ss_trace, c_ss_diagonal_mean;
    double gamma_norm; /* of one sensor */
    double c_ss_norm, c_ps_norm, r_norm, modes_norm, f_norm, fr_norm;
    /* Of revolt and reduced_kapa only: mirrors turned by 90 degrees, and then flipped. */
    double f_rotated_norm, f_rotated_flipped_norm, fr_rotated_norm, fr_rotated_flipped_norm;
} golden_system;

/* clang-format off */
static const golden_system golden_systems[] = {
"""

FOOTER = """\
};
/* clang-format on */

#endif
"""


def main(names):
    systems = [*EXAMPLES, "reduced_kapa"]
    chosen = names or [*systems, *sorted(path.stem for path in probes.HERE.glob("small_*.yaml"))]
    for name in chosen:
        if name in systems:
            store(name, cached(name, open_peer(name)))
        else:
            check_small(name)
    if all((CACHE / f"{name}.npz").exists() for name in systems):
        facts = "".join(system_facts(name, peer, cached(name, peer))
                        for name, peer in ((name, open_peer(name)) for name in systems))
        (probes.HERE / "pytomoao_systems.h").write_text(HEADER + facts + FOOTER, encoding="utf-8")
    else:
        print("pytomoao_systems.h needs every system: left as it was")


if __name__ == "__main__":
    main(sys.argv[1:])
