"""Numbers as linear functions of a point."""

from __future__ import annotations

import numpy as np
import pytest

from qiskit_arcmaes.primitives.linear_map import UnknownLossError, find_linear_map

X0 = np.random.default_rng(2).uniform(-3, 3, 4)


def test_the_point_itself_takes_two_points():
    looked = []

    def numbers(points):
        looked.append(len(points))
        return points

    found = find_linear_map(numbers, X0, 0)
    assert looked == [2]
    assert np.array_equal(found.matrix.toarray(), np.eye(4))
    assert not found.offset.any()


def test_a_linear_map_is_found():
    rng = np.random.default_rng(3)
    matrix, offset = np.round(rng.normal(size=(7, 4)), 3), rng.normal(size=7)
    matrix[3] = 0
    found = find_linear_map(lambda points: points @ matrix.T + offset, X0, 4)
    assert np.array_equal(found.matrix.toarray(), matrix)
    assert np.allclose(found.offset, offset, atol=1e-13)


@pytest.mark.parametrize(
    "numbers",
    [
        lambda points: points[:, :1] * points[:, 1:2],
        lambda points: np.mod(3 * points, 2 * np.pi),
        lambda points: points + 1e-7 * np.sin(points),
    ],
    ids=["product", "wrapped", "nearly"],
)
def test_what_is_not_linear_is_refused(numbers):
    with pytest.raises(UnknownLossError, match="not linear"):
        find_linear_map(numbers, X0, 4)


def test_too_many_parameters_are_refused():
    with pytest.raises(UnknownLossError, match="4 parameters, more than 3"):
        find_linear_map(lambda points: points[:, :2], X0, 3)
