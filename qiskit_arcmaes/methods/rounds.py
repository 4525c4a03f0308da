"""Rounds of mirrored pairs: where the local model looks, and what it saw there.

A pair is two points middle ± offset. Half the difference of their values is odd in the offset:
whatever the loss does that is even (curvature, ripples that are symmetric) drops out of it, so that
it gives the slope without bias. Half the sum gives the curvature.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass
class Round:
    """The pairs of one round and their values.

    Attributes:
        middles: Middle of each pair, shape (n, d).
        offsets: Half the difference of its two points, shape (n, d).
        odd: Half the difference of its two values, shape (n,).
        even: Half their sum, shape (n,).
        variance: Variance of each entry of ``odd`` and ``even`` that the noise causes.
        noise: Variance of one shot in this round.
        misfit: Variance that the model left unexplained in ``odd`` when it was last fitted.
    """

    middles: Array
    offsets: Array
    odd: Array
    even: Array
    variance: float
    noise: float
    misfit: float = 0.0


def make_round(above: Array, below: Array, values: Array, noise: float, shots: int) -> Round:
    """Put the values of pairs together; pairs with a failed value are left out.

    Args:
        above: First point of each pair, shape (n, d).
        below: Second point of each pair.
        values: Values of the first points, then of the second, shape (2n,).
        noise: Variance of one shot.
        shots: Shots behind each value.
    """
    first, second = np.split(values, 2)
    good = np.isfinite(first) & np.isfinite(second)
    above, below, first, second = above[good], below[good], first[good], second[good]
    return Round(
        middles=(above + below) / 2,
        offsets=(above - below) / 2,
        odd=(first - second) / 2,
        even=(first + second) / 2,
        variance=noise / shots / 2,
        noise=noise,
    )


def directions(rng: np.random.Generator, count: int, dim: int) -> Array:
    """Directions that look standard normal one by one, but spread evenly: shape (count, dim).

    They come in orthogonal blocks with chi-distributed lengths, so that their second moments are
    close to those of a normal cloud already for ``count`` = ``dim``.
    """
    blocks = []
    for _ in range(-(-count // dim)):
        rotation = np.linalg.qr(rng.standard_normal((dim, dim)))[0]
        blocks.append(rotation * np.sqrt(rng.chisquare(dim, dim))[:, None])
    return np.concatenate(blocks)[:count]
