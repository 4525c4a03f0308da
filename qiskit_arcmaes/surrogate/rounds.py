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

_ROUNDING = 1e-15  # by so much of the largest coordinate the middles of pairs differ by rounding


@dataclass
class Round:
    """The pairs of one round and their values.

    Attributes:
        middles: Middle of each pair, shape (n, d); shape (1, d) where it is the same for all.
        offsets: Half the difference of its two points, shape (n, d).
        odd: Half the difference of its two values, shape (n,).
        even: Half their sum, shape (n,).
        variance: Variance of each entry of ``odd`` and ``even`` that the noise causes.
        noise: Variance of one shot in this round.
        shape: Matrix D of the cloud that it was drawn from.
        number: Its number in the run.
        unused: Fits since it was last used.
        misfit: Variance that the model left unexplained in ``odd`` when it was last fitted.
    """

    middles: Array
    offsets: Array
    odd: Array
    even: Array
    variance: float
    noise: float
    shape: Array
    number: int
    unused: int = 0
    misfit: float = 0.0

    @property
    def whole(self) -> bool:
        """Whether all pairs have the same middle: no wall has bent one."""
        return len(self.middles) == 1


def make_round(
    above: Array, below: Array, values: Array, noise: float, shots: int, shape: Array, number: int
) -> Round:
    """Put the values of pairs together; pairs with a failed value are left out.

    Args:
        above: First point of each pair, shape (n, d).
        below: Second point of each pair.
        values: Values of the first points, then of the second, shape (2n,).
        noise: Variance of one shot.
        shots: Shots behind each value.
        shape: Matrix D of the cloud.
        number: The round's number in the run.
    """
    first, second = np.split(values, 2)
    good = np.isfinite(first) & np.isfinite(second)
    above, below, first, second = above[good], below[good], first[good], second[good]
    middles = (above + below) / 2
    if len(middles) > 1 and np.ptp(middles, axis=0).max() <= _ROUNDING * np.abs(above).max():
        middles = middles[:1]
    return Round(
        middles=middles,
        offsets=(above - below) / 2,
        odd=(first - second) / 2,
        even=(first + second) / 2,
        variance=noise / shots / 2,
        noise=noise,
        shape=shape,
        number=number,
    )


def directions(rng: np.random.Generator, count: int, dim: int) -> Array:
    """Directions that look standard normal one by one, but spread evenly: shape (count, dim).

    They come in orthogonal blocks with chi-distributed lengths, so that their second moments are
    close to those of a normal cloud already for ``count`` = ``dim``.
    """
    blocks = -(-count // dim)
    rotations = np.linalg.qr(rng.standard_normal((blocks, dim, dim)))[0]
    lengths = np.sqrt(rng.chisquare(dim, (blocks, dim, 1)))
    return np.asarray((rotations * lengths).reshape(-1, dim)[:count])
