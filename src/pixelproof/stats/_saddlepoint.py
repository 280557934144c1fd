"""Tail probabilities of exponentially weighted sums, and the roots that interval ends are.

With weights E_i drawn from the standard exponential distribution, the sign of Σ E_i z_i says on which side of a
candidate value one draw of the Bayesian bootstrap lies. Its probability needs no draws: the saddle-point
approximation r* of Barndorff-Nielsen is within 0.003 of the exact value, and exact for two terms.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from scipy.special import ndtri

from ._clusters import FloatArray

_STEPS = 200
_EXPANSIONS = 200


def tail_score(z: FloatArray) -> float:
    """Normal score of P(Σ E_i z_i ≤ 0) for independent standard exponential E_i; ±inf where it is 1 or 0.

    >>> from scipy.special import ndtr
    >>> round(float(ndtr(tail_score(np.array([3.0, -1.0])))), 6)  # exactly 1 / (3 + 1)
    0.25
    """
    top, bottom = float(z.max()), float(z.min())
    if top <= 0:
        return math.inf
    if bottom >= 0:
        return -math.inf
    if len(z) == 2:
        return float(ndtri(-bottom / (top - bottom)))
    z = z / max(top, -bottom)
    t, second, terms = _saddlepoint(z)
    r = math.copysign(math.sqrt(max(0.0, 2.0 * float(np.log1p(-t * z).sum()))), t)
    if abs(r) < 1e-4:  # the limit of log(v / r) / r, which is 0 / 0 here
        return r + float((terms**3).sum()) / (3.0 * math.pow(second, 1.5))
    return r + math.log(t * math.sqrt(second) / r) / r


def _saddlepoint(z: FloatArray) -> tuple[float, float, FloatArray]:
    """The root t of K'(t) = Σ z / (1 − t z), with K''(t) and the terms of the sum.

    K is self-concordant, so damped Newton steps stay inside its domain and converge from 0.
    """
    t = 0.0
    for _ in range(_STEPS):
        terms = z / (1.0 - t * z)
        first = float(terms.sum())
        second = float(np.square(terms).sum())  # no dot product: the threads of BLAS cost more than they save
        decrement = abs(first) / math.sqrt(second)
        if decrement < 1e-11:
            break
        damping = 1.0 if decrement < 0.25 else 1.0 / (1.0 + decrement)
        t -= damping * first / second
    return t, second, terms


def outward_root(score: Callable[[float], float], start: float, step: float, target: float) -> float:
    """The first point from `start` in the direction of `step` where the score crosses `target`.

    Going down (a negative step) the score must fall below the target, going up it must rise above it. Steps double
    until it does; the root between the last two points is found by the Illinois variant of the regula falsi.

    Returns:
        The root; `start` if the score is beyond the target there already; ±inf, with the sign of `step`, if the score
        never crosses.

    >>> round(outward_root(lambda x: x, 0.0, -0.1, -1.96), 9)
    -1.96
    """
    side = 1.0 if step < 0 else -1.0

    def excess(x: float) -> float:
        return side * (_clipped(score(x)) - target)

    inner, f_inner = start, excess(start)
    if f_inner <= 0:
        return start
    for _ in range(_EXPANSIONS):
        outer = inner + step
        f_outer = excess(outer)
        if f_outer <= 0:
            return _illinois(excess, inner, f_inner, outer, f_outer)
        inner, f_inner, step = outer, f_outer, 2.0 * step
        if not math.isfinite(inner + step):
            break
    return math.copysign(math.inf, step)


def _illinois(f: Callable[[float], float], a: float, fa: float, b: float, fb: float) -> float:
    """A root of f between a and b, where fa ≥ 0 ≥ fb; bisection where the values are clipped."""
    last = 0
    for _ in range(_STEPS):
        if abs(b - a) <= 1e-12 * max(abs(a), abs(b)) + 1e-300 or fa == 0 or fb == 0:
            break
        steep = max(abs(fa), abs(fb)) > 20
        middle = (a + b) / 2 if steep else (a * fb - b * fa) / (fb - fa)
        if not min(a, b) < middle < max(a, b):
            middle = (a + b) / 2
        value = f(middle)
        if abs(value) < 1e-11:
            return middle
        if value > 0:
            a, fa = middle, value
            fb, last = (fb / 2 if last > 0 else fb), 1
        else:
            b, fb = middle, value
            fa, last = (fa / 2 if last < 0 else fa), -1
    return a if abs(fa) < abs(fb) else b


def _clipped(score: float) -> float:
    return min(40.0, max(-40.0, score))
