"""References for the reconstructor from an interaction matrix, in 40-digit arithmetic.

    python3 tests/golden/generate_interaction.py [SYSTEM ...]

Reads tests/golden/small_*.yaml and writes into the folder of the same name

    im             n_slopes x n_actuators   an interaction matrix, a block per sensor, made up here
    r_im           n_actuators x n_slopes   C_oa D^T (D C_aa D^T + 10 I)^-1, actuators dmPitch apart
    r_im_spread    the same, with the map of actuators over the padded diameter
    r_im_shared    as r_im, with the block of the first sensor for all of them

or, with --peer, r_im_peer: what pyTomoAO 2.0.0 gives for r_im_spread, within 1e-6. The orders are those of
generate_mpmath.py, which the evaluation of covariances comes from. Nothing in the made-up matrix is
symmetric, no two blocks are equal, and each actuator reaches each lenslet.

Needs: mpmath, numpy, pyyaml; pytomoao 2.0.0 for --peer.
"""

import sys

import mpmath as mp
import numpy as np

import generate_mpmath as model
import probes

ALPHA = 10


def actuators(system, spacing):
    centre = mp.mpf(len(system.actuators) - 1) / 2
    return [((column - centre) * spacing, (row - centre) * spacing)
            for row, column in model.valid(system.actuators)]


def project(points, sensor, height):
    x, y, star_height, rotation, offset = sensor
    scale = 1 - height / star_height
    cos, sin = mp.cos(rotation), mp.sin(rotation)
    return [(scale * (px * cos - py * sin - offset[0]) + x * height,
             scale * (py * cos + px * sin - offset[1]) + y * height) for px, py in points]


def interaction_matrix(system, pitch):
    """Gradients of Gaussians about the actuators, unequal in width and height, plus a little of
    everything; rounded to float64, in which the test reads it."""
    lenslets = np.array(model.valid(system.lenslets), dtype=float) - (system.n - 1) / 2
    lenslets *= float(2 * system.spacing)
    places = np.array(actuators(system, pitch), dtype=float)
    signs = probes.signs(7, 2 * len(lenslets) * len(system.sensors), len(places))
    blocks = []
    for sensor, (_, _, _, rotation, offset) in enumerate(system.sensors):
        turn = complex(mp.cos(rotation), mp.sin(rotation))
        seen = (lenslets[:, 1] + 1j * lenslets[:, 0]) * turn - complex(*offset)
        far = (seen[:, None] - (places[:, 0] + 1j * places[:, 1])[None, :]) / float(pitch)
        width = 0.8 + 0.05 * sensor + 0.002 * np.arange(len(places))
        gain = (1 + 0.1 * sensor) / width**2 * np.exp(-abs(far) ** 2 / (2 * width**2))
        blocks += [-far.real * gain, -far.imag * gain]
    wiggle = np.cumsum(signs, axis=0) % 5 - 2
    return np.vstack(blocks) + 0.003 * wiggle


def evaluate(system, blocks, spacing):
    """R from its definition, pair by pair of actuators and layer by layer."""
    points = actuators(system, spacing)

    def all_layers(sensor):
        return [project(points, sensor, height) for height in system.heights]

    seen = [all_layers(sensor) for sensor in system.sensors]
    transposed = [model.transpose(block) for block in blocks]
    noisy = []
    for block, first in zip(blocks, seen):
        row = [model.multiply(model.multiply(block, model.phase_covariance(system, first, second)),
                              other) for second, other in zip(seen, transposed)]
        noisy += [sum((part[i] for part in row), []) for i in range(len(block))]
    for i, row in enumerate(noisy):
        row[i] += ALPHA
    c_oa = [[] for _ in points]
    for second, other in zip(seen, transposed):
        total = [[mp.mpf(0)] * len(points) for _ in points]
        for direction in system.directions:
            block = model.phase_covariance(system, all_layers(direction), second)
            total = [[a + b for a, b in zip(*pair)] for pair in zip(total, block)]
        mean = model.multiply(model.scaled(mp.mpf(1) / len(system.directions), total), other)
        c_oa = [old + new for old, new in zip(c_oa, mean)]
    return model.transpose(model.solve_positive(noisy, model.transpose(c_oa)))


def as_mp(block):
    return [[mp.mpf(float(value)) for value in row] for row in block]


def generate(name):
    path = probes.HERE / f"{name}.yaml"
    system = model.System(path)
    system.covariance.check()
    pitch = mp.mpf(model.yaml.safe_load(path.read_text(encoding="utf-8"))
                   ["dm_parameters"]["dmPitch"][0])
    matrix = interaction_matrix(system, pitch)
    blocks = [as_mp(block) for block in np.split(matrix, len(system.sensors))]
    spread = system.padded_diameter / (len(system.actuators) - 1)
    results = {"im": matrix, "r_im": evaluate(system, blocks, pitch),
               "r_im_spread": evaluate(system, blocks, spread)}
    if len(blocks) > 1:
        results["r_im_shared"] = evaluate(system, blocks[:1] * len(blocks), pitch)
    for key, value in results.items():
        probes.save(name, key, np.array(value, dtype=object).astype(float))
    print(f"{name}: {len(matrix)} slopes, {len(matrix[0])} actuators")


def build_peer(peer, matrix):
    """R of pyTomoAO, which takes the blocks on the diagonal of one matrix. With several directions
    its own solve fails; then it gets their mean."""
    import scipy.linalg
    from pyTomoAO import tomographyUtilsCPU as peer_functions

    diagonal = scipy.linalg.block_diag(*np.split(matrix, peer.nLGS))
    if peer.tomoParams.nFitSrc == 1:
        return peer.build_reconstructor(IM=diagonal, alpha=float(ALPHA))
    arguments = (peer.tomoParams, peer.lgsWfsParams, peer.atmParams, peer.lgsAsterismParams,
                 peer.dmParams.validActuators)
    c_oa = peer_functions._cross_correlation(*arguments).mean(axis=0)
    c_aa = peer_functions._auto_correlation(*arguments)
    noise = float(ALPHA) * np.eye(len(matrix))
    return peer_functions._solve_spd_from_right(
        c_oa @ diagonal.T, diagonal @ c_aa @ diagonal.T + noise)


def check_peer(name):
    import pyTomoAO

    assert pyTomoAO.__version__ == "2.0.0", pyTomoAO.__version__
    config = model.yaml.safe_load((probes.HERE / f"{name}.yaml").read_text(encoding="utf-8"))
    if "directions" in config["lgs_asterism"]:
        return
    peer = pyTomoAO.tomographicReconstructor(str(probes.HERE / f"{name}.yaml"), force_cpu=True)
    found = build_peer(peer, np.load(probes.HERE / name / "im.npy"))
    reference = np.load(probes.HERE / name / "r_im_spread.npy")
    error = np.linalg.norm(found - reference) / np.linalg.norm(reference)
    print(f"{name}: pyTomoAO differs by {error:.1e}")
    assert error < 1e-6
    probes.save(name, "r_im_peer", found)


if __name__ == "__main__":
    arguments = [argument for argument in sys.argv[1:] if argument != "--peer"]
    for chosen in arguments or sorted(path.stem for path in probes.HERE.glob("small_*.yaml")):
        if "--peer" in sys.argv:
            check_peer(chosen)
        else:
            generate(chosen)
