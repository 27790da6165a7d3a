"""What the generators share: random signs, probes of large matrices, and storage.

Instead of a large matrix A (m x n) a test reads

    NAME_right.npy   A V         (m x k), V (n x k) of signs from seed 1
    NAME_left.npy    U^T A       (k x n), U (m x k) of signs from seed 2
    NAME_rows.npy    whole rows  (k x n), row i of these is row i (m - 1) // (k - 1) of A

A sign is the top bit of an output of splitmix64, +1 for 0 and -1 for 1; outputs fill the matrix of
signs row by row. For such a random v the mean of ||D v||^2 is ||D||_F^2. tests/support/golden.c has
the same generator in C.

Needs: numpy.
"""

import pathlib

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
SEED_RIGHT = 1
SEED_LEFT = 2
MASK = (1 << 64) - 1


def splitmix64(seed):
    """Outputs of Vigna's splitmix64, https://prng.di.unimi.it/splitmix64.c."""
    state = seed
    while True:
        state = (state + 0x9E3779B97F4A7C15) & MASK
        z = state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        yield z ^ (z >> 31)


def signs(seed, rows, columns):
    outputs = splitmix64(seed)
    values = [-1.0 if next(outputs) >> 63 else 1.0 for _ in range(rows * columns)]
    return np.array(values).reshape(rows, columns)


def save(system, name, array):
    """Stores tests/golden/SYSTEM/NAME.npy: float64, little-endian, C order, format 1."""
    folder = HERE / system
    folder.mkdir(exist_ok=True)
    with open(folder / f"{name}.npy", "wb") as file:
        np.lib.format.write_array(file, np.ascontiguousarray(array, dtype="<f8"), version=(1, 0))


def save_probes(system, name, matrix, right=0, left=0, rows=0):
    """Stores NAME_right, NAME_left, NAME_rows with this many probes and rows."""
    height, width = matrix.shape
    if right:
        save(system, f"{name}_right", matrix @ signs(SEED_RIGHT, width, right))
    if left:
        save(system, f"{name}_left", signs(SEED_LEFT, height, left).T @ matrix)
    if rows:
        save(system, f"{name}_rows", matrix[[i * (height - 1) // (rows - 1) for i in range(rows)]])
