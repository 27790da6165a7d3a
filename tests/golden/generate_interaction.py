"""References for the reconstructor from an interaction matrix, in 40-digit arithmetic.

    python3 tests/golden/generate_interaction.py [SYSTEM ...]

Reads tests/golden/small_*.yaml and interaction_*.yaml and writes into the folder of the same name

    im             n_slopes x n_actuators   an interaction matrix, a block per sensor, made up here
    r_im           n_actuators x n_slopes   C_oa D^T (D C_aa D^T + 10 I)^-1, actuators dmPitch apart
    r_im_spread    the same, with the map of actuators over the padded diameter
    r_im_shared    as r_im, with the block of the first sensor for all of them; small_* only

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


class Details(model.System):
    """Also what the model's references do without: lenslet maps per sensor, flux, and directions one
    by one."""

    def __init__(self, path):
        super().__init__(path)
        config = model.yaml.safe_load(path.read_text(encoding="utf-8"))
        wfs, tomography = config["lgs_wfs_parameters"], config["tomography_parameters"]
        one = not isinstance(self.lenslets[0][0], list)
        self.maps = [self.lenslets] * len(self.sensors) if one else self.lenslets
        ones = [[[1] * self.n for _ in range(self.n)] for _ in self.sensors]
        self.flux = [[mp.mpf(flux[r][c]) for r, c in model.valid(flags)] * 2
                     for flux, flags in zip(wfs.get("lensletFlux", ones), self.maps)]
        self.direction_weights = [mp.mpf(1) / len(self.directions)] * len(self.directions)
        self.pitch = mp.mpf(config["dm_parameters"]["dmPitch"][0])
        if "directions" in tomography:
            total = mp.fsum(tomography["directionWeights"])
            airmass = 1 / mp.cos(mp.radians(mp.mpf(config["atmosphere_parameters"]["zenithAngleInDeg"])))
            self.direction_weights = [mp.mpf(weight) / total for weight in tomography["directionWeights"]]
            self.directions = [
                (mp.tan(mp.mpf(x) * model.ARCSEC), mp.tan(mp.mpf(y) * model.ARCSEC),
                 airmass * mp.mpf(height), mp.mpf(0), (0, 0))
                for (x, y), height in zip(tomography["directions"], tomography["directionHeights"])]


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


def interaction_matrix(system):
    """A block per sensor: gradients of Gaussians about the actuators, unequal in width and height,
    plus a little of everything; rounded to float64, in which the test reads it."""
    places = np.array(actuators(system, system.pitch), dtype=float)
    places = places[:, 0] + 1j * places[:, 1]
    blocks = []
    for number, (flags, sensor) in enumerate(zip(system.maps, system.sensors)):
        lenslets = np.array(model.valid(flags), dtype=float) - (system.n - 1) / 2
        lenslets *= float(2 * system.spacing)
        turn = complex(mp.cos(sensor[3]), mp.sin(sensor[3]))
        seen = (lenslets[:, 1] + 1j * lenslets[:, 0]) * turn - complex(*sensor[4])
        far = (seen[:, None] - places[None, :]) / float(system.pitch)
        width = 0.8 + 0.05 * number + 0.002 * np.arange(len(places))
        gain = (1 + 0.1 * number) / width**2 * np.exp(-abs(far) ** 2 / (2 * width**2))
        blocks += [-far.real * gain, -far.imag * gain]
    matrix = np.vstack(blocks)
    wiggle = np.cumsum(probes.signs(7, *matrix.shape), axis=0) % 5 - 2
    first = np.cumsum([2 * len(model.valid(flags)) for flags in system.maps])
    return np.split(matrix + 0.003 * wiggle, first[:-1])


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
    for i, (row, flux) in enumerate(zip(noisy, sum(system.flux, []))):
        row[i] += ALPHA / flux
    c_oa = [[] for _ in points]
    for second, other in zip(seen, transposed):
        total = [[mp.mpf(0)] * len(points) for _ in points]
        for direction, weight in zip(system.directions, system.direction_weights):
            block = model.phase_covariance(system, all_layers(direction), second)
            total = [[a + weight * b for a, b in zip(*pair)] for pair in zip(total, block)]
        c_oa = [old + new for old, new in zip(c_oa, model.multiply(total, other))]
    return model.transpose(model.solve_positive(noisy, model.transpose(c_oa)))


def as_mp(block):
    return [[mp.mpf(float(value)) for value in row] for row in block]


def generate(name):
    system = Details(probes.HERE / f"{name}.yaml")
    system.covariance.check()
    matrix = interaction_matrix(system)
    blocks = [as_mp(block) for block in matrix]
    spread = system.padded_diameter / (len(system.actuators) - 1)
    results = {"im": np.vstack(matrix), "r_im": evaluate(system, blocks, system.pitch),
               "r_im_spread": evaluate(system, blocks, spread)}
    if name.startswith("small_") and len(blocks) > 1:
        results["r_im_shared"] = evaluate(system, blocks[:1] * len(blocks), system.pitch)
    for key, value in results.items():
        probes.save(name, key, np.array(value, dtype=object).astype(float))
    print(f"{name}: {len(results['im'])} slopes, {len(results['r_im'])} actuators")


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
        return  # not in pyTomoAO
    peer = pyTomoAO.tomographicReconstructor(str(probes.HERE / f"{name}.yaml"), force_cpu=True)
    found = build_peer(peer, np.load(probes.HERE / name / "im.npy"))
    reference = np.load(probes.HERE / name / "r_im_spread.npy")
    error = np.linalg.norm(found - reference) / np.linalg.norm(reference)
    print(f"{name}: pyTomoAO differs by {error:.1e}")
    assert error < 1e-6
    probes.save(name, "r_im_peer", found)


if __name__ == "__main__":
    arguments = [argument for argument in sys.argv[1:] if argument != "--peer"]
    every = sorted([*probes.HERE.glob("small_*.yaml"), *probes.HERE.glob("interaction_*.yaml")])
    for chosen in arguments or [path.stem for path in every]:
        if "--peer" in sys.argv:
            check_peer(chosen)
        else:
            generate(chosen)
