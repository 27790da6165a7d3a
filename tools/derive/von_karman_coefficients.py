#!/usr/bin/env python3
"""Derives kernels/von_karman_coefficients.h: every constant behind f(u) = u^(5/6) K_{5/6}(u).

The von Karman phase covariance is B(rho) = c (L0/r0)^(5/3) f(2 pi rho / L0). Numbers below refer to
Abramowitz & Stegun, "Handbook of Mathematical Functions", chapter 9. With nu = 5/6 and w = u^2:

Near zero.  9.6.2 with sin(5 pi/6) = 1/2 gives K_nu = pi (I_{-nu} - I_nu), and the power series 9.6.10
of I then gives

    f(u) = A(w) + u^(5/3) B(w)
    A(w) =  pi 2^nu    sum_k (w/4)^k / (k! Gamma(k + 1 - nu)),   A(0) = f(0) = 2^(-1/6) Gamma(5/6)
    B(w) = -pi 2^(-nu) sum_k (w/4)^k / (k! Gamma(k + 1 + nu))

A and B are entire, so a polynomial interpolated at Chebyshev nodes is within a small factor of the
minimax one. A(0) is kept apart, A(w) = f(0) + w T(w): then f(0) is the exact value rounded once, and
f(0) - f(u), which the structure function needs, has no cancellation.

Further out.  9.7.2 says that e^u u^(1/2) K_nu(u) tends to sqrt(pi/2), and it is a smooth function of
s = 1/u, so

    f(u) = e^(-u) u^(1/3) sqrt(pi/2) (1 + s Q(s)),   Q(s) rational

Q interpolates at Chebyshev nodes of s^(2/3), denser near s = 0, which levels the error. Multiplied
through by a power of u it becomes N(u) / D(u), which needs one division and no reciprocal. All
coefficients of N and D are positive: no cancellation.

Beside these the header holds the constants of the two elementary functions that the hot loop
evaluates by itself, e^(-u) and u^(-1/3).

Usage: von_karman_coefficients.py [--check] [HEADER]
Without --check the header is written; with it, the header is compared with what the script derives
and a difference ends in exit status 1. Needs mpmath.
"""

import argparse
import pathlib
import struct
import sys

from mpmath import mp, mpf

mp.dps = 60

NU = mpf(5) / 6
F_ZERO = mp.gamma(NU) / 2 ** (mpf(1) / 6)
SQRT_HALF_PI = mp.sqrt(mp.pi / 2)
# c of B(rho) = c (L0/r0)^(5/3) f(u); Conan, "Modelisation des effets de l'echelle externe" (2000), ch. 2
VARIANCE = (
    mp.gamma(mpf(11) / 6)
    / (2 ** NU * mp.pi ** (mpf(8) / 3))
    * (mpf(24) / 5 * mp.gamma(mpf(6) / 5)) ** NU
)

HEADER = pathlib.Path(__file__).resolve().parents[2] / "kernels" / "von_karman_coefficients.h"


class Precision:
    """One floating-point type: how many coefficients it needs and how its literals look."""

    def __init__(self, name, switch, limit, series, rational, exponential, digits, pack):
        self.name = name
        self.switch = mpf(switch)  # u where the expansions meet
        self.limit = mpf(limit)  # u beyond which f(u) is taken as 0
        self.series = series  # coefficients of T and of B
        self.rational = rational  # coefficients of N; D has one more
        self.exponential = exponential  # coefficients of the exponential's remainder
        self.digits = digits
        self.pack = pack

    def round(self, value):
        """The nearest value of this type, as a Python float."""
        return struct.unpack(self.pack, struct.pack(self.pack, float(value)))[0]

    def literal(self, value):
        text = "%.*g" % (self.digits, self.round(value))
        if not any(c in text for c in ".e"):
            text += ".0"
        return text + ("f" if self.pack == "f" else "")


DOUBLE = Precision("DOUBLE", 1, 708, 7, 8, 10, 17, "d")
SINGLE = Precision("SINGLE", "0.5", 87, 3, 4, 5, 9, "f")


def f_reference(u):
    return F_ZERO if u == 0 else u**NU * mp.besselk(NU, u)


def series_a_tail(w):
    """T(w) = (A(w) - A(0)) / w."""
    return mp.pi * 2**NU * mp.nsum(
        lambda k: (w / 4) ** k / (4 * mp.factorial(k + 1) * mp.gamma(k + 2 - NU)), [0, mp.inf]
    )


def series_b(w):
    return -mp.pi / 2**NU * mp.nsum(
        lambda k: (w / 4) ** k / (mp.factorial(k) * mp.gamma(k + 1 + NU)), [0, mp.inf]
    )


def remainder_q(s):
    """Q(s) = (e^u u^(1/2) K_nu(u) / sqrt(pi/2) - 1) / s at u = 1/s."""
    u = 1 / s
    with mp.workdps(90):
        return (mp.exp(u) * mp.sqrt(u) * mp.besselk(NU, u) / SQRT_HALF_PI - 1) / s


def exponential_remainder(r):
    """(e^r - 1 - r) / r^2."""
    return mp.nsum(lambda k: r**k / mp.factorial(k + 2), [0, mp.inf])


def chebyshev_nodes(low, high, count):
    return [
        (low + high) / 2 + (high - low) / 2 * mp.cos(mp.pi * (2 * k + 1) / (2 * count))
        for k in range(count)
    ]


def interpolate(function, low, high, count):
    """Coefficients, lowest first, of the polynomial through `count` Chebyshev nodes."""
    nodes = chebyshev_nodes(low, high, count)
    matrix = mp.matrix([[x**k for k in range(count)] for x in nodes])
    return list(mp.lu_solve(matrix, mp.matrix([function(x) for x in nodes])))


def interpolate_rational(function, high, count):
    """p of degree count-1 and q of degree count with q_0 = 1; p/q interpolates on (0, high]."""
    power = mpf(3) / 2
    nodes = [x**power for x in chebyshev_nodes(mpf(0), high ** (1 / power), 2 * count)]
    values = [function(x) for x in nodes]
    rows = [
        [x**k for k in range(count)] + [-y * x**k for k in range(1, count + 1)]
        for x, y in zip(nodes, values)
    ]
    solution = mp.lu_solve(mp.matrix(rows), mp.matrix(values))
    return list(solution[:count]), [mpf(1)] + list(solution[count:])


def horner(coefficients, x):
    total = mpf(0)
    for c in reversed(coefficients):
        total = total * x + c
    return total


def derive(precision):
    w_max = precision.switch**2
    p, q = interpolate_rational(remainder_q, 1 / precision.switch, precision.rational)
    half_log2 = mp.log(2) / 2
    return {
        "A_TAIL": interpolate(series_a_tail, mpf(0), w_max, precision.series),
        "B": interpolate(series_b, mpf(0), w_max, precision.series + 1),
        "NUMERATOR": [SQRT_HALF_PI * c for c in reversed(p)],
        "DENOMINATOR": list(reversed(q)),
        "EXP": interpolate(exponential_remainder, -half_log2, half_log2, precision.exponential),
    }


def fit_errors(precision, table, rounded):
    """Largest relative errors of the two expansions and of the exponential, in exact arithmetic."""
    if rounded:
        table = {k: [mpf(precision.round(c)) for c in v] for k, v in table.items()}
        f_zero = mpf(precision.round(F_ZERO))
        constant = mpf(precision.round(SQRT_HALF_PI))
    else:
        f_zero, constant = F_ZERO, SQRT_HALF_PI
    near = far = exponential = mpf(0)
    count = 200
    for k in range(1, count + 1):
        u = precision.switch * k / count
        w = u * u
        f = f_zero + w * horner(table["A_TAIL"], w) + u ** (mpf(5) / 3) * horner(table["B"], w)
        near = max(near, abs(f / f_reference(u) - 1))
        u = precision.switch * count / k if k < count else precision.switch
        f = mp.exp(-u) * mp.cbrt(u) * (
            constant + horner(table["NUMERATOR"], u) / horner(table["DENOMINATOR"], u)
        )
        far = max(far, abs(f / f_reference(u) - 1))
        r = mp.log(2) / 2 * (mpf(2 * k) / count - 1)
        exponential = max(exponential, abs((1 + r + r * r * horner(table["EXP"], r)) * mp.exp(-r) - 1))
    return near, far, exponential


def define(name, text):
    return "#define CLTOMO_VK_%s %s\n" % (name, text)


def polynomial(name, precision, coefficients):
    """A macro that evaluates the polynomial by Horner's rule."""
    literals = [precision.literal(c) for c in coefficients]
    lines = ["(%s + (x) *" % c for c in literals[:-1]]
    body = " \\\n    ".join(lines) + " " + literals[-1] + ")" * len(lines)
    return "#define CLTOMO_VK_%s_%s(x) \\\n    %s\n" % (name, precision.name, body)


def split_log2(precision, bits):
    """log 2 in two parts; the first has `bits` significant bits so that n times it is exact."""
    high = mp.floor(mp.log(2) * 2**bits) / 2**bits
    return high, mp.log(2) - high


def section(precision, table):
    log2_high, log2_low = split_log2(precision, 33 if precision is DOUBLE else 16)
    mantissa = 52 if precision is DOUBLE else 23
    constants = {
        "SWITCH": precision.switch,
        "LIMIT": precision.limit,
        "F_ZERO": F_ZERO,
        "SQRT_HALF_PI": SQRT_HALF_PI,
        "LOG2_E": 1 / mp.log(2),
        "LOG2_HIGH": log2_high,
        "LOG2_LOW": log2_low,
        "ROUND": mpf(3) * mpf(2) ** (mantissa - 1),
    }
    # (1 - r)^(-1/3) = sum_k r^k (1/3)(4/3)...(k - 2/3) / k!
    root = [mp.rf(mpf(1) / 3, k) / mp.factorial(k) for k in range(1, 5)]
    text = "\n/* %s precision */\n" % precision.name.lower()
    for name, value in constants.items():
        text += define("%s_%s" % (name, precision.name), precision.literal(value))
    text += polynomial("ROOT_FIRST", precision, root)
    if precision is DOUBLE:
        text += polynomial("ROOT_SECOND", precision, root[:2])
    else:
        text += define("THIRD_SINGLE", precision.literal(mpf(1) / 3))
    for name, coefficients in table.items():
        text += polynomial(name, precision, coefficients)
    return text


def header(tables):
    text = """/* Generated by tools/derive/von_karman_coefficients.py, which states the mathematics. Do not edit.
 *
 * Constants and polynomials for f(u) = u^(5/6) K_{5/6}(u), valid as C11 and as OpenCL C 1.2. A
 * macro with an argument evaluates a polynomial; give it a variable, since the argument is
 * repeated. The single-precision part contains no double-precision literal. */
/* clang-format off */
#ifndef CLTOMO_VON_KARMAN_COEFFICIENTS_H
#define CLTOMO_VON_KARMAN_COEFFICIENTS_H

/* c of B(rho) = c (L0/r0)^(5/3) f(2 pi rho / L0) */
"""
    text += define("VARIANCE_CONSTANT", mp.nstr(VARIANCE, 30))
    text += define("TWO_PI", mp.nstr(2 * mp.pi, 30))
    text += "\n/* First guess of u^(-1/3) from the bits of a float: this minus a third of them */\n"
    text += define("ROOT_BITS", "1419910442")
    for precision, table in tables:
        text += section(precision, table)
    return text + "\n#endif\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="compare instead of writing")
    parser.add_argument("header", nargs="?", type=pathlib.Path, default=HEADER)
    arguments = parser.parse_args()

    tables = [(precision, derive(precision)) for precision in (DOUBLE, SINGLE)]
    for precision, table in tables:
        for rounded in (False, True):
            errors = fit_errors(precision, table, rounded)
            print(
                "%s, %s coefficients: near %s, far %s, exponential %s"
                % ((precision.name.lower(), "rounded" if rounded else "exact")
                   + tuple(mp.nstr(e, 3) for e in errors))
            )
        for name in ("NUMERATOR", "DENOMINATOR"):
            if min(table[name]) <= 0:
                sys.exit("%s %s: a coefficient is not positive" % (precision.name, name))
    text = header(tables)
    if not arguments.check:
        arguments.header.write_text(text)
    elif arguments.header.read_text() != text:
        sys.exit("%s differs from what this script derives" % arguments.header)
    return 0


if __name__ == "__main__":
    sys.exit(main())
