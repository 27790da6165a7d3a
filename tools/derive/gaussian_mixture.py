#!/usr/bin/env python3
"""Derives src/covariance/gaussian_mixture_table.h: f(u) = u^(5/6) K_{5/6}(u) as a sum of Gaussians.

    f(u) ~ sum_k weight_k exp(-exponent_k u^2),   weight_k > 0

With w = u^2 this is an exponential sum, and f is completely monotone in w: it is the mixture
2^(nu-1) int exp(nu s - e^s - w e^(-s)/4) ds (Abramowitz & Stegun 9.6.24 after a change of variable).
For such functions the best approximation in the maximum norm on [0, inf) with n terms is unique and
its error f - sum takes its extreme values with alternating signs at 2n + 1 points, the first being
w = 0 (Braess, "Nonlinear Approximation Theory", 1986, chapter VI). Remez' algorithm finds it: Newton
steps level the error at the present points, then each point moves to the extremum next to it. The
solution for n - 1 terms, extrapolated, starts the one for n.

The trapezoid rule on the integral, the usual way to such a mixture, needs about twice as many terms
for the same error.

Residuals are computed with 40 digits; the Jacobian needs only double precision, since an inexact
Newton step is corrected by the next one.

Usage: gaussian_mixture.py [--check] [HEADER]
Without --check the header is written; with it, the numbers in the header are compared with those
that the script derives, to the 5 digits that do not depend on the linear algebra's roundings, and a
difference ends in exit status 1. Needs mpmath and numpy; runs for some minutes.
"""

import argparse
import pathlib
import re
import sys

import numpy
from mpmath import mp, mpf

mp.dps = 40

BITS = 320  # of the power series, which loses some 30 digits where f is 1e-15

NU = mpf(5) / 6
F_ZERO = mp.gamma(NU) / 2 ** (mpf(1) / 6)
DECADES = range(4, 15)  # accuracies 1e-4 to 1e-14, relative to f(0)
LEVELLED = mpf("1e-3")  # how far the largest error may exceed the levelled one

HEADER = (
    pathlib.Path(__file__).resolve().parents[2] / "src" / "covariance" / "gaussian_mixture_table.h"
)


class Approximation:
    """log exponents and log weights, from the narrowest Gaussian to the widest; the levelled error
    (with the sign at w = 0); and the other 2n extrema as x = log w."""

    def __init__(self, exponents, weights, error, points):
        self.exponents, self.weights, self.error, self.points = exponents, weights, error, points

    def size(self):
        return len(self.exponents)


def target(x):
    """f at w = e^x and its first two derivatives with respect to x, from the power series that
    von_karman_coefficients.py states: terms w^k and w^(k + 5/6), which d/dx multiplies by their
    exponents. Integers in units of 2^-BITS are much faster than mpmath's numbers here."""
    with mp.workprec(BITS):
        nu = mpf(5) / 6
        w = int(mp.ldexp(mp.exp(x), BITS))
        terms = [
            int(mp.ldexp(mp.pi * 2**nu / mp.gamma(1 - nu), BITS)),
            int(mp.ldexp(-mp.pi / 2**nu * mp.exp(nu * x) / mp.gamma(1 + nu), BITS)),
        ]
    sums = [0, 0, 0]
    k = 0
    while any(terms):
        for i, sixths in enumerate((6 * k, 6 * k + 5)):
            sums[0] += terms[i]
            sums[1] += terms[i] * sixths // 6
            sums[2] += terms[i] * sixths**2 // 36
            # the next coefficient: divided by 4 (k + 1) (k + 1 -+ nu)
            terms[i] = ((terms[i] * w) >> BITS) * 3 // (2 * (k + 1) * (6 * k + 6 + (-5, 5)[i]))
        k += 1
        terms = [t if abs(t) > 1 else 0 for t in terms]
    return [mp.ldexp(mpf(t), -BITS) for t in sums]


def gaussians(approximation, x):
    """For each term at w = e^x: exponent w, and the term's value (0 if it is below 1e-40)."""
    w = mp.exp(x)
    arguments = [mp.exp(t) * w for t in approximation.exponents]
    return [
        (a, mp.exp(o - a) if a < 95 else mpf(0)) for a, o in zip(arguments, approximation.weights)
    ]


def level(approximation):
    """Newton steps until f - sum = (+-)error at w = 0 and at all points, to 8 digits."""
    n = approximation.size()
    values = [target(x)[0] for x in approximation.points]
    for _ in range(60):
        jacobian = numpy.zeros((2 * n + 1, 2 * n + 1))
        residual = []
        for j in range(2 * n + 1):
            sign = 1 - 2 * (j % 2)
            if j == 0:
                terms = [(mpf(0), mp.exp(o)) for o in approximation.weights]
                value = F_ZERO
            else:
                terms = gaussians(approximation, approximation.points[j - 1])
                value = values[j - 1]
            for k, (argument, term) in enumerate(terms):
                jacobian[j, k] = -argument * term
                jacobian[j, n + k] = term
            # the error's own column, scaled so that all unknowns are relative changes
            jacobian[j, 2 * n] = sign * approximation.error
            residual.append(value - mp.fsum(t for _, t in terms) - sign * approximation.error)
        scale = max(abs(r) for r in residual)
        if scale < abs(approximation.error) * mpf(10) ** -8:
            return
        step = numpy.linalg.solve(jacobian, numpy.array([float(r / scale) for r in residual]))
        largest = float(scale) * float(numpy.max(numpy.abs(step)))
        damping = float(scale) * min(1.0, 0.7 / largest)
        for k in range(n):
            approximation.exponents[k] += mpf(damping * step[k])
            approximation.weights[k] += mpf(damping * step[n + k])
        approximation.error *= 1 + mpf(damping * step[2 * n])
    raise ArithmeticError("Newton's method does not converge for %d terms" % n)


def exchange(approximation):
    """Moves each point to the extremum next to it by one Newton step on the error's derivative.
    Returns the largest error found."""
    points = approximation.points
    moved = []
    largest = abs(approximation.error)
    for j, x in enumerate(points):
        sign = 2 * (j % 2) - 1
        f, slope, curvature = target(x)
        for argument, term in gaussians(approximation, x):
            f -= term
            slope += argument * term
            curvature += argument * (1 - argument) * term
        gaps = [abs(points[i] - x) for i in (j - 1, j + 1) if 0 <= i < len(points)]
        step = -slope / curvature if sign * curvature < 0 else sign * slope * mp.inf
        step = max(-min(gaps) / 4, min(min(gaps) / 4, step))
        largest = max(largest, sign * (f + step * slope / 2))
        moved.append(x + step)
    approximation.points = moved
    return largest


def remez(approximation):
    for _ in range(40):
        level(approximation)
        if exchange(approximation) < abs(approximation.error) * (1 + LEVELLED):
            return approximation
    raise ArithmeticError("no alternation for %d terms" % approximation.size())


def extrapolate(history):
    """A guess for the sequence that follows the last three of `history`, each longer than the one
    before by the same number. Counted from the end that it is nearer to, an element hardly changes
    from one sequence to the next, and quadratic extrapolation predicts how."""
    third, second, first = history[-3:]
    length = 2 * len(first) - len(second)
    places = [k if 2 * k < length else k - length for k in range(length)]
    return [3 * first[k] - 3 * second[k] + third[k] for k in places]


def approximations():
    """The best approximations with 5, 6, 7, ... terms; the first few start from rounded results."""
    starts = [
        Approximation(
            [4.4, 2.0, 0.31, -1.1, -2.3],
            [-3.8, -2.3, -1.3, -0.85, -1.7],
            8.7e-04,
            [-6.0, -3.9, -2.5, -1.4, -0.37, 0.51, 1.3, 2.1, 2.9, 3.8],
        ),
        Approximation(
            [5.4, 3.0, 1.3, -0.14, -1.4, -2.5],
            [-4.6, -3.1, -2.0, -1.2, -0.97, -2.1],
            3.9e-04,
            [-6.9, -4.8, -3.5, -2.3, -1.4, -0.48, 0.32, 1.1, 1.8, 2.5, 3.2, 4.0],
        ),
        Approximation(
            [6.3, 3.9, 2.2, 0.76, -0.47, -1.6, -2.6],
            [-5.4, -3.9, -2.7, -1.8, -1.1, -1.1, -2.4],
            1.8e-04,
            [-7.8, -5.7, -4.4, -3.3, -2.3, -1.4, -0.59, 0.14, 0.83, 1.5, 2.1, 2.8, 3.4, 4.2],
        ),
    ]
    history = []
    for start in starts:
        for name in ("exponents", "weights", "points"):
            setattr(start, name, [mpf(v) for v in getattr(start, name)])
        start.error = mpf(start.error)
        history.append(remez(start))
        yield history[-1]
    while True:
        last = history[-3:]
        guess = Approximation(
            extrapolate([a.exponents for a in last]),
            extrapolate([a.weights for a in last]),
            last[2].error ** 2 / last[1].error,
            extrapolate([a.points for a in last]),
        )
        history.append(remez(guess))
        yield history[-1]


def choose():
    """For each decade the approximation with the fewest terms that is accurate enough."""
    chosen = []
    series = approximations()
    current = next(series)
    for decade in DECADES:
        limit = mpf(10) ** -decade * F_ZERO
        while abs(current.error) * (1 + LEVELLED) > limit:
            current = next(series)
            print("%d terms: %s" % (current.size(), mp.nstr(current.error / F_ZERO, 4)), flush=True)
        chosen.append((decade, current))
    return chosen


def header(chosen):
    text = """/* Generated by tools/derive/gaussian_mixture.py, which states the mathematics. Do not edit. */
/* clang-format off */
#ifndef CLTOMO_COVARIANCE_GAUSSIAN_MIXTURE_TABLE_H
#define CLTOMO_COVARIANCE_GAUSSIAN_MIXTURE_TABLE_H

/* From the narrowest to the widest Gaussian */
"""
    for decade, approximation in chosen:
        for name in ("exponents", "weights"):
            text += "static const double %s_%d[] = {\n" % (name, decade)
            for logarithm in getattr(approximation, name):
                text += "    %.17g,\n" % float(mp.exp(logarithm))
            text += "};\n"
    text += """
static const cltomo_gaussian_mixture mixtures[] = {
"""
    for decade, approximation in chosen:
        text += "    {1e-%d, %d, exponents_%d, weights_%d},\n" % (
            decade,
            approximation.size(),
            decade,
            decade,
        )
    return text + "};\n\n#endif\n"


def agree(text, derived):
    """Whether all numbers in the two texts agree."""
    first, second = [
        [float(number) for number in re.findall(r"(?<![\w.])[0-9][0-9.]*(?:e[-+]?[0-9]+)?", t)]
        for t in (text, derived)
    ]
    return len(first) == len(second) and numpy.allclose(first, second, rtol=1e-5, atol=0)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="compare instead of writing")
    parser.add_argument("header", nargs="?", type=pathlib.Path, default=HEADER)
    arguments = parser.parse_args()
    text = header(choose())
    if not arguments.check:
        arguments.header.write_text(text)
    elif not agree(arguments.header.read_text(), text):
        sys.exit("%s differs from what this script derives" % arguments.header)
    return 0


if __name__ == "__main__":
    sys.exit(main())
