"""References for small systems in 40-digit arithmetic, rounded to float64 at the end.

    python3 tests/golden/generate_mpmath.py [SYSTEM ...]

Reads tests/golden/small_*.yaml and writes into the folder of the same name

    mask         N x N          1 where a point of the phase grid is valid
    projected    (sensors layers n_phase) x 2   x and y of each valid point in each layer [m]
    gamma        2 n_lenslets x n_phase         the gradient operator of one sensor
    c_ss         n_slopes x n_slopes            slope covariance
    c_ps         n_phase x n_slopes             phase-slope covariance, mean over directions
    r_unscaled   n_phase x n_slopes             C_ps (C_ss + 10 mean(diag C_ss) I)^-1
    r            n_phase x n_slopes             (lambda / 2) r_unscaled
    modes        n_phase x n_actuators          influence functions
    f            n_actuators x n_phase          their pseudo-inverse
    f_rotated    as f, with influence-function maps turned by 90 degrees counter-clockwise, seen
                 with row 0 at the top
    f_flipped    as f, with maps flipped top to bottom
    f_rotated_flipped                           as f, with maps turned, then flipped
    fr           n_actuators x n_slopes         -1.65e7 F R
    r_right, r_left, r_rows                     probes of r, see probes.py

Slopes: per sensor all x, then all y, lenslets row by row. Phase points and actuators: row by row.
Everything is evaluated from its definition, pair by pair and layer by layer: no symmetry, no table,
no approximation; nothing is shared with the library.

Needs: mpmath, numpy, pyyaml. Takes some minutes on one core.
"""

import sys

import mpmath as mp
import numpy as np
import yaml

import probes

mp.mp.dps = 40
ALPHA = 10
SCALING = mp.mpf(16500000)
STRETCH = mp.mpf("1.03")
ARCSEC = mp.pi / 180 / 3600


class VonKarman:
    """B(rho) = c (L0 / r0)^(5/3) u^(5/6) K_{5/6}(u), u = 2 pi rho / L0, as a function of rho^2.

    With 1 / sin(5 pi / 6) = 2, K = pi (I_{-5/6} - I_{5/6}); the two power series in u^2 / 4 are
    summed in fixed point, with enough guard bits for their cancellation below u = 20.
    """

    BITS = 260

    def __init__(self, r0, L0):
        nu = mp.mpf(5) / 6
        c = mp.gamma(mp.mpf(11) / 6) / (mp.mpf(2) ** nu * mp.pi ** (mp.mpf(8) / 3))
        c *= (mp.mpf(24) / 5 * mp.gamma(mp.mpf(6) / 5)) ** nu
        self.scale = c * (L0 / r0) ** (mp.mpf(5) / 3)
        self.quarter = (2 * mp.pi / L0) ** 2 / 4  # u^2 / 4 per rho^2
        with mp.workdps(80):
            front = mp.pi * mp.mpf(2) ** (mp.mpf(5) / 6)
            self.first_terms = [(sign, self._fixed(front / mp.gamma(1 + mp.mpf(sign * 5) / 6)))
                                for sign in (-1, 1)]

    def _fixed(self, value):
        return int(mp.nint(mp.ldexp(value, self.BITS)))

    def _series(self, sign, term, t):
        """Sum of pi 2^(5/6) t^k / (k! Gamma(k + 1 + sign 5/6)), in units of 2^-BITS."""
        total, k = 0, 0
        while term:
            total += term
            k += 1
            term = (6 * term * t // (k * (6 * k + sign * 5))) >> self.BITS
        return total

    def f(self, quarter):
        """u^(5/6) K_{5/6}(u) at u^2 / 4: the second series carries (u^2 / 4)^(5/6)."""
        assert quarter < 100
        with mp.workdps(75):
            t = self._fixed(quarter)
            first, second = (self._series(*start, t) for start in self.first_terms)
            carried = quarter ** (mp.mpf(5) / 6) * second if quarter else 0
            return mp.ldexp(first - carried, -self.BITS)

    def __call__(self, rho_squared):
        return self.scale * self.f(self.quarter * rho_squared)

    def check(self):
        for u in ("1e-9", "0.003", "0.7", "1.9", "4.2", "9", "15"):
            with mp.workdps(60):
                u, nu = mp.mpf(u), mp.mpf(5) / 6
                error = self.f(u * u / 4) / (u**nu * mp.besselk(nu, u)) - 1
            assert abs(error) < 1e-38, (u, error)
        at_zero = mp.gamma(mp.mpf(5) / 6) / mp.mpf(2) ** (mp.mpf(1) / 6)
        assert abs(self.f(mp.mpf(0)) / at_zero - 1) < 1e-38


class System:
    """The configuration in metres and radians."""

    def __init__(self, path):
        config = yaml.safe_load(open(path, encoding="utf-8"))
        wfs, dm = config["lgs_wfs_parameters"], config["dm_parameters"]
        atmosphere, asterism = config["atmosphere_parameters"], config["lgs_asterism"]
        tomography = config["tomography_parameters"]

        self.lenslets = wfs["validLLMap"]
        self.n = wfs["nLenslet"]
        self.across = 2 * (self.n + 4) + 1
        self.spacing = mp.mpf(wfs["D"]) / self.n / 2
        self.padded_diameter = mp.mpf(wfs["D"]) * (self.n + 4) / self.n
        self.actuators = dm["validActuators"]

        zenith = mp.radians(mp.mpf(atmosphere["zenithAngleInDeg"]))
        airmass = 1 / mp.cos(zenith)
        self.heights = [1000 * airmass * mp.mpf(a) for a in atmosphere["altitude"]]
        self.weights = [mp.mpf(w) for w in atmosphere["fractionnalR0"]]
        assert abs(sum(self.weights) - 1) < 1e-15
        r0 = mp.mpf(atmosphere["r0"]) * mp.cos(zenith) ** (mp.mpf(3) / 5)
        self.covariance = VonKarman(r0, mp.mpf(atmosphere["L0"]))
        self.wavelength = mp.mpf(asterism["LGSwavelength"])

        star_height = airmass * mp.mpf(asterism["baseLGSHeight"])
        self.sensors = []
        for i, (x, y) in enumerate(self.stars(asterism)):
            offset = [mp.mpf(axis[i]) * self.padded_diameter for axis in wfs["wfsLensletsOffset"]]
            self.sensors.append(
                (x, y, star_height, mp.mpf(wfs["wfsLensletsRotation"][i]), offset))

        count = tomography.get("nFitSrc", 1)
        side = mp.mpf(tomography.get("fovOptimization", 0)) * ARCSEC
        axis = [mp.tan(side * (mp.mpf(i) / (count - 1) - mp.mpf(1) / 2)) if count > 1 else mp.mpf(0)
                for i in range(count)]
        self.directions = [(x, y, mp.inf, mp.mpf(0), (0, 0)) for y in axis for x in axis]

    @staticmethod
    def stars(asterism):
        if "directions" in asterism:
            return [[mp.tan(mp.mpf(angle) * ARCSEC) for angle in pair]
                    for pair in asterism["directions"]]
        radius = mp.tan(mp.mpf(asterism["radiusAst"]) * ARCSEC)
        count = asterism["nLGS"]
        azimuths = [2 * mp.pi * i / count for i in range(count)]
        return [(radius * mp.cos(azimuth), radius * mp.sin(azimuth)) for azimuth in azimuths]


def valid(flags):
    """(row, column) of each 1 of a map, row by row."""
    return [(r, c) for r, row in enumerate(flags) for c, flag in enumerate(row) if flag]


def stencils(system):
    """Per slope {(grid row, grid column): weight}: x of every lenslet, then y of every lenslet."""
    edge = {0: mp.mpf(1) / 4, 1: mp.mpf(1) / 2, 2: mp.mpf(1) / 4}
    ends = {0: -1, 2: 1}
    corners = [(2 * (r + 2), 2 * (c + 2)) for r, c in valid(system.lenslets)]
    x = [{(r + i, c + j): edge[i] * ends[j] for i in edge for j in ends} for r, c in corners]
    y = [{(r + i, c + j): ends[i] * edge[j] for i in ends for j in edge} for r, c in corners]
    return x + y


def phase_points(system):
    """(row, column) of the grid points in some valid lenslet's 3 x 3 stencil."""
    points = {(2 * (r + 2) + i, 2 * (c + 2) + j)
              for r, c in valid(system.lenslets) for i in range(3) for j in range(3)}
    return sorted(points)


def project(system, points, sensor, height):
    """Where the lines of sight from the grid points to the star cross a layer."""
    x, y, star_height, rotation, offset = sensor
    scale = 1 - height / star_height
    cos, sin = mp.cos(rotation), mp.sin(rotation)
    centre = system.across // 2
    result = []
    for row, column in points:
        px, py = (column - centre) * system.spacing, (row - centre) * system.spacing
        result.append((scale * (px * cos - py * sin - offset[0]) + x * height,
                       scale * (py * cos + px * sin - offset[1]) + y * height))
    return result


def phase_covariance(system, first, second):
    """Between two lists (per layer) of projected points."""
    rows = len(first[0])
    result = [[mp.mpf(0)] * len(second[0]) for _ in range(rows)]
    for weight, p, q in zip(system.weights, first, second):
        for i in range(rows):
            for j, (x, y) in enumerate(q):
                rho_squared = (p[i][0] - x) ** 2 + (p[i][1] - y) ** 2
                result[i][j] += weight * system.covariance(rho_squared)
    return result


def apply_transposed(gamma, matrix):
    """matrix gamma^T, gamma as a list of {column: weight}."""
    return [[mp.fsum(weight * row[j] for j, weight in slope.items()) for slope in gamma]
            for row in matrix]


def transpose(matrix):
    return [list(row) for row in zip(*matrix)]


def solve_positive(matrix, right):
    """X with matrix X = right, by Cholesky."""
    n = len(matrix)
    lower = [[mp.mpf(0)] * n for _ in range(n)]
    for i in range(n):
        for j in range(i + 1):
            rest = matrix[i][j] - mp.fdot(lower[i][:j], lower[j][:j])
            lower[i][j] = mp.sqrt(rest) if i == j else rest / lower[j][j]
    upper = transpose(lower)
    columns = []
    for b in transpose(right):
        y = []
        for i in range(n):
            y.append((b[i] - mp.fdot(lower[i][:i], y)) / lower[i][i])
        x = [mp.mpf(0)] * n
        for i in reversed(range(n)):
            x[i] = (y[i] - mp.fdot(upper[i][i + 1:], x[i + 1:])) / lower[i][i]
        columns.append(x)
    return transpose(columns)


def multiply(first, second):
    columns = transpose(second)
    return [[mp.fdot(row, column) for column in columns] for row in first]


def scaled(factor, matrix):
    return [[factor * value for value in row] for row in matrix]


def influence_functions(system, points):
    """The map padded by 2 spans the grid, stretched about its centre; distances in grid points."""
    last = len(system.actuators) + 3
    centre = mp.mpf(system.across - 1) / 2

    def place(index):
        return centre + STRETCH * (index + 2 - mp.mpf(last) / 2) * (system.across - 1) / last

    def value(squared):
        narrow, wide = mp.mpf(1), mp.mpf("1.7") ** 2
        return (2 / (2 * mp.pi * narrow) * mp.exp(-squared / (2 * narrow))
                - 1 / (2 * mp.pi * wide) * mp.exp(-squared / (2 * wide)))

    centres = [(place(r), place(c)) for r, c in valid(system.actuators)]
    return [[value((row - r) ** 2 + (column - c) ** 2) for r, c in centres]
            for row, column in points]


def pseudo_inverse(modes):
    """(M^T M)^-1 M^T; M has full column rank."""
    with mp.workdps(70):
        across = transpose(modes)
        return solve_positive(multiply(across, modes), across)


def generate(name):
    system = System(probes.HERE / f"{name}.yaml")
    system.covariance.check()
    points = phase_points(system)
    index = {point: i for i, point in enumerate(points)}
    gamma = [{index[point]: weight for point, weight in slope.items()}
             for slope in stencils(system)]

    def all_layers(sensor):
        return [project(system, points, sensor, height) for height in system.heights]

    seen = [all_layers(sensor) for sensor in system.sensors]
    c_ss = []
    for first in seen:
        blocks = [
            transpose(apply_transposed(gamma, transpose(apply_transposed(
                gamma, phase_covariance(system, first, second)))))
            for second in seen]
        # Gamma C Gamma^T from the inside out: (Gamma (C Gamma^T)) is ((C Gamma^T)^T Gamma^T)^T.
        c_ss += [sum((block[i] for block in blocks), []) for i in range(len(gamma))]

    c_ps = [[] for _ in points]
    for second in seen:
        total = [[mp.mpf(0)] * len(points) for _ in points]
        for direction in system.directions:
            block = phase_covariance(system, all_layers(direction), second)
            total = [[a + b for a, b in zip(*pair)] for pair in zip(total, block)]
        mean = scaled(mp.mpf(1) / len(system.directions), total)
        c_ps = [old + new for old, new in zip(c_ps, apply_transposed(gamma, mean))]

    noise = ALPHA * mp.fsum(c_ss[i][i] for i in range(len(c_ss))) / len(c_ss)
    noisy = [[value + (noise if i == j else 0) for j, value in enumerate(row)]
             for i, row in enumerate(c_ss)]
    r_unscaled = transpose(solve_positive(noisy, transpose(c_ps)))
    r = scaled(system.wavelength / 2, r_unscaled)
    modes = influence_functions(system, points)
    f = pseudo_inverse(modes)
    last = system.across - 1
    # Which point of the original maps each point of the turned ones shows.
    turned = {"f_rotated": [(c, last - r) for r, c in points],
              "f_flipped": [(last - r, c) for r, c in points],
              "f_rotated_flipped": [(c, r) for r, c in points]}

    mask = np.zeros((system.across, system.across))
    mask[tuple(zip(*points))] = 1
    dense_gamma = np.zeros((len(gamma), len(points)))
    for i, slope in enumerate(gamma):
        for j, weight in slope.items():
            dense_gamma[i, j] = weight
    projected = [point for layers in seen for layer in layers for point in layer]
    results = {"mask": mask, "projected": projected, "gamma": dense_gamma, "c_ss": c_ss,
               "c_ps": c_ps, "r_unscaled": r_unscaled, "r": r, "modes": modes, "f": f,
               "fr": scaled(-SCALING, multiply(f, r))}
    for key, sources in turned.items():
        results[key] = pseudo_inverse(influence_functions(system, sources))
    for key, value in results.items():
        rounded = np.array(value, dtype=object).astype(float)
        probes.save(name, key, rounded)
        if key == "r":  # so that the C side's probes are tested against the same matrix in full
            probes.save_probes(name, key, rounded, right=2, left=2, rows=3)
    print(f"{name}: {len(points)} phase points, {len(c_ss)} slopes, {len(f)} actuators")


if __name__ == "__main__":
    for chosen in sys.argv[1:] or sorted(path.stem for path in probes.HERE.glob("small_*.yaml")):
        generate(chosen)
