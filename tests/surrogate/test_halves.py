"""Sums over a round, carried into another cloud, are the sums over its features there."""

import numpy as np
import pytest

from qiskit_arcmaes.surrogate.halves import NEAR, Terms, gather
from qiskit_arcmaes.surrogate.rounds import directions, make_round


def some_round(dim, count, shape, seed):
    rng = np.random.default_rng(seed)
    offsets = directions(rng, count, dim) @ shape
    centre = rng.normal(size=dim)
    values = 3.0 + rng.normal(size=2 * count)
    return make_round(centre + offsets, centre - offsets, values, 1.0, 1, shape, seed)


def directly(each, centre, shape, terms, origin):
    """The same sums, feature by feature."""
    inverse = np.linalg.inv(shape)
    offsets = each.offsets @ inverse.T
    middles = np.tile((each.middles - centre) @ inverse.T, (len(offsets), 1))
    above, below = (
        np.mean((middles + offsets) ** 2, axis=1),
        np.mean((middles - offsets) ** 2, axis=1),
    )
    near = np.maximum(above, below) < NEAR
    halves = (terms.odd, each.odd), (terms.even, each.even - origin)
    return [(features(middles[near], offsets[near]), values[near]) for features, values in halves]


@pytest.mark.parametrize("dim", [3, 45])  # above 40 only squares are kept, and clouds are diagonal
@pytest.mark.parametrize("wider", [1.0, 0.8])  # the narrower cloud loses some of the pairs
def test_carried_sums(dim, wider):
    terms = Terms(dim)
    rng = np.random.default_rng(dim)
    widths = rng.uniform(0.5, 2, dim)
    axes = np.linalg.qr(rng.normal(size=(dim, dim)))[0] if terms.full else np.eye(dim)
    shape = (axes * widths) @ axes.T
    each = some_round(dim, 4 * terms.count, shape, 1)
    now = (axes * (wider * widths * rng.uniform(0.9, 1.1, dim))) @ axes.T
    centre = each.middles[0] + 0.1 * now[0]
    origin = float(np.median(each.even))
    newest = some_round(dim, 10, shape, 2)
    newest.even[:] = origin
    known = {}
    for _ in range(2):  # the second time the round's own sums are known
        halves = gather([each, newest], centre, now, terms, origin, known)[2:]
        for half, (features, values) in zip(
            halves, directly(each, centre, now, terms, origin), strict=True
        ):
            np.testing.assert_allclose(half.sums.products, features.T @ features, atol=1e-6)
            np.testing.assert_allclose(half.sums.moments, features.T @ values, atol=1e-6)
            assert half.sums.square == pytest.approx(values @ values)
            assert half.sums.count == len(values) > 2 * terms.count
