"""Generations as designs: remembered, joined, and fitted where a quadratic can lead."""

from dataclasses import replace

import numpy as np
import pytest

from qiskit_arcmaes.numerics.noise import NoiseLevel
from qiskit_arcmaes.strategies import cma
from qiskit_arcmaes.strategies.base import Population
from qiskit_arcmaes.surrogate.basis import QuadraticBasis
from qiskit_arcmaes.surrogate.generation_fit import GenerationFitter
from qiskit_arcmaes.surrogate.generations import (
    design_of,
    joined,
    remember,
    sampling_distribution,
)
from qiskit_arcmaes.surrogate.local_search import LocalSearcher
from qiskit_arcmaes.surrogate.params import DEFAULTS

from .problems import DIM, Quadratic, around, measured, some_setup

LOSS = Quadratic()
KNOWN = NoiseLevel.known(1e-4)


def fitter():
    basis = QuadraticBasis(DIM, DEFAULTS.regression.full_dimension)
    searcher = LocalSearcher(some_setup(sigma0=1.0), basis, DEFAULTS)
    return GenerationFitter(searcher, 20, DEFAULTS.assistance)


def generations(loss, centre, radius=0.5, count=6, noise=1e-4):
    where = around(centre, radius)
    return [measured(loss, where, 20, noise, seed) for seed in range(count)], where


def test_the_distribution_of_a_strategy_is_one_of_a_design():
    scale = np.diag([0.5, 2.0])
    distribution = cma.start_with(np.ones(2), scale)
    np.testing.assert_allclose(sampling_distribution(distribution).scale, scale)
    np.testing.assert_array_equal(sampling_distribution(distribution).centre, np.ones(2))


def test_a_generation_is_a_design_of_its_mirrored_pairs():
    distribution = cma.start(np.full(DIM, 0.3), 0.5)
    half = np.random.default_rng(1).standard_normal((4, DIM))
    steps = np.concatenate([half, -half])
    values = LOSS(distribution.mean + 0.5 * steps)
    design = design_of(Population(steps, steps), distribution, values, 0.01, 4, 7, DEFAULTS.noise)
    np.testing.assert_allclose(design.offsets, 0.5 * half)
    np.testing.assert_allclose(design.middles, [np.full(DIM, 0.3)])
    assert (design.noise, design.variance, design.number) == (0.01, 0.01 / 8, 7)


def test_small_generations_are_joined_and_old_ones_forgotten():
    designs, _ = generations(LOSS, np.zeros(DIM), count=5)
    known = ()
    for each in designs:
        known = remember(known, each, enough=40, most=60)
    assert [len(each.offsets) for each in known] == [40, 20]
    np.testing.assert_array_equal(known[-1].offsets, designs[-1].offsets)


def test_joining_keeps_every_pair_and_the_mean_noise():
    one, other = generations(LOSS, np.zeros(DIM), count=2)[0]
    both = joined(one, replace(other, noise=3e-4, variance=3 * other.variance))
    np.testing.assert_array_equal(both.offsets, np.concatenate([one.offsets, other.offsets]))
    assert both.middles.shape == both.offsets.shape
    assert both.noise == pytest.approx(2e-4)
    assert both.variance == pytest.approx(2 * one.variance)


def test_a_quadratic_that_fits_may_lead():
    designs, where = generations(LOSS, LOSS.minimiser + 0.1)
    attempt = fitter().find(designs, where, KNOWN, noise_dominates=False)
    assert attempt is not None
    assert not attempt.refuted
    np.testing.assert_array_equal(attempt.search.centre, where.centre)
    assert len(attempt.search.designs) == len(designs) - 1


def test_a_quadratic_that_fits_may_lead_to_a_minimiser_far_outside():
    designs, where = generations(LOSS, LOSS.minimiser + 5.0)
    attempt = fitter().find(designs, where, KNOWN, noise_dominates=False)
    assert attempt is not None
    assert attempt.step.step_fraction < 1


def rugged(points):
    return LOSS(points) + 3 * np.sum(np.sin(9 * points), axis=1)


def test_no_quadratic_leads_on_a_rugged_loss():
    designs, where = generations(rugged, LOSS.minimiser)
    assert fitter().find(designs, where, KNOWN, noise_dominates=True) is None


def slightly_bent(points):
    return LOSS(points) + 0.02 * np.sum((points - LOSS.minimiser) ** 4, axis=1)


def test_a_refuted_quadratic_leads_only_to_a_minimiser_inside():
    """Without noise every quadratic is refuted: what it does not explain must be little."""
    exact = NoiseLevel.known(0.0)
    near, where = generations(slightly_bent, LOSS.minimiser + 0.1, noise=1e-12)
    attempt = fitter().find(near, where, exact, noise_dominates=False)
    assert attempt is not None
    assert attempt.refuted
    far, elsewhere = generations(slightly_bent, LOSS.minimiser + 3.0, noise=1e-12)
    assert fitter().find(far, elsewhere, exact, noise_dominates=False) is None


def test_where_noise_dominates_a_quadratic_leads_that_nothing_refutes():
    designs, where = generations(LOSS, LOSS.minimiser, radius=0.01, noise=1.0)
    level = NoiseLevel.known(1.0)
    assert fitter().find(designs, where, level, noise_dominates=False) is None
    assert fitter().find(designs, where, level, noise_dominates=True) is not None
