"""Row by row the updates are those of ``cma``, and no row knows of the others."""

from dataclasses import fields

import numpy as np
import pytest

from qiskit_arcmaes.bench.lockstep.rows import Proposals, Rows, propose, put, settle, stack
from qiskit_arcmaes.strategies import cma

DIM, PARENTS = 7, 10
WEIGHTS = cma.rank_weights(2 * PARENTS)
RATES = cma.parameters(DIM, cma.effective_parents(WEIGHTS))
NAMES = [item.name for item in fields(Rows) if item.name != "generation"]


def aged(count, generations=30, seed=0):
    """Distributions that have lost their round shape, by updates with random steps."""
    rng = np.random.default_rng(seed)
    made = [cma.start(rng.standard_normal(DIM), 0.5) for _ in range(count)]
    for _ in range(generations):
        made = [
            cma.update(each, RATES, cma.sample(each, PARENTS, rng) * rng.uniform(0.1, 2), WEIGHTS)
            for each in made
        ]
    return made


def steps_of(distributions, seed=1):
    rng = np.random.default_rng(seed)
    return np.array([cma.sample(each, PARENTS, rng) for each in distributions])


def test_an_update_is_that_of_every_row_alone():
    old = aged(6)
    steps = steps_of(old)
    steps[2] *= 100  # this one's step-size path is too long: the covariance path stalls
    proposals = propose(stack(old), RATES, steps.copy(), WEIGHTS)
    moved = settle(proposals)
    singles = [
        cma.propose(each, RATES, part, WEIGHTS) for each, part in zip(old, steps, strict=True)
    ]
    assert [single.stalled for single in singles] == [False, False, True, False, False, False]
    for index, single in enumerate(singles):
        alone = cma.settle(single)
        for name in set(NAMES) - {"basis"}:
            ours = getattr(moved.row(index), name)
            np.testing.assert_allclose(ours, getattr(alone, name), rtol=1e-10, atol=1e-13)
        np.testing.assert_allclose(moved.row(index).basis, alone.basis, rtol=0, atol=1e-8)
        assert moved.row(index).generation == alone.generation == 31


@pytest.mark.parametrize("chosen", [[0], [4], [5, 1], [3, 2, 0, 5]])
def test_a_row_does_not_depend_on_the_rows_beside_it(chosen):
    old = aged(6)
    steps = steps_of(old)
    whole = settle(propose(stack(old), RATES, steps.copy(), WEIGHTS))
    part = settle(propose(stack([old[i] for i in chosen]), RATES, steps[chosen], WEIGHTS))
    for name in NAMES:
        assert np.array_equal(getattr(part, name), getattr(whole, name)[chosen]), name


def test_what_is_unusual_is_settled_as_alone_and_harms_nobody():
    """Vanishing and exploding widths, lost conditions, NaN, nothing: as ``cma.settle`` does."""
    old = aged(7)
    rows = stack(old)
    covariance = rows.covariance.copy()
    covariance[1] *= 1e9
    covariance[2] = np.diag(10.0 ** -np.arange(0, 3 * DIM, 3))
    covariance[3] = np.nan
    covariance[4] = 0.0
    step_size = rows.step_size.copy()
    step_size[5] = 1e-170
    proposals = Proposals(rows.mean, step_size, covariance, rows.path_sigma, rows.path_c, 31)
    alone = [cma.settle(proposals.row(index)) for index in range(len(old))]
    moved = settle(proposals)
    for index, single in enumerate(alone):
        for name in NAMES:
            assert np.array_equal(getattr(moved, name)[index], getattr(single, name)), (index, name)
    assert moved.scales[2].max() / moved.scales[2].min() < 1.01e7
    assert np.array_equal(moved.covariance[3], np.eye(DIM))


def test_rows_can_be_taken_out_and_put_back():
    old = aged(3)
    rows = stack(old)
    put(rows, 1, rows.row(2))
    for name in NAMES:
        assert np.array_equal(getattr(rows, name)[1], getattr(old[2], name))
        assert np.array_equal(getattr(rows, name)[0], getattr(old[0], name))
