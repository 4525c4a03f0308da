"""A wide fit is remembered when it is given up, and taken again where nothing speaks against it."""

import numpy as np

from qiskit_arcmaes import GaussianOracle, minimize
from qiskit_arcmaes.numerics.newton import NewtonStep
from qiskit_arcmaes.surrogate.design import SamplingDistribution
from qiskit_arcmaes.surrogate.lack_of_fit import LackOfFit
from qiskit_arcmaes.surrogate.params import TrustRegionParams
from qiskit_arcmaes.surrogate.trust_region import RadiusDecision
from qiskit_arcmaes.surrogate.wide_fit import WideFit, WideMemory, agree, remembered

PARAMS = TrustRegionParams()
DIM = 4
FITS = LackOfFit(0.0, 0.0, 0.0, 0.0, noise=1.0)
MISFITS = LackOfFit(0.0, 5.0, 0.5, variance=10.0, noise=1.0)


def some_fit(place=0.0, error=0.1, loss_times_cost=1.0):
    centre = np.zeros(DIM)
    centre[0] = place
    distribution = SamplingDistribution(centre, np.eye(DIM))
    return WideFit(distribution, error**2 * np.eye(DIM), loss_times_cost)


def some_step(error=0.1):
    return NewtonStep(np.zeros(DIM), 1.0, np.ones(DIM), np.full(DIM, error), 1.0, 0.1, 0)


def after(memory, newest, decision=RadiusDecision.KEEP, lack=FITS, error=0.1):
    return remembered(memory, newest, decision, some_step(error), lack, PARAMS)


def test_minimisers_agree_within_their_errors():
    """The error of a difference is sqrt(0.02); chi² of 4 is at most 4 + 3 sqrt(8): 3.5 errors."""
    assert agree(some_fit(), some_fit(3.4 * np.sqrt(0.02)), 3.0)
    assert not agree(some_fit(), some_fit(3.7 * np.sqrt(0.02)), 3.0)


def test_what_is_given_up_is_remembered():
    wide, wider = some_fit(loss_times_cost=2.0), some_fit(loss_times_cost=1.0)
    memory = after(WideMemory(), wide, RadiusDecision.SHRINK, MISFITS)
    assert memory.best is wide
    assert after(memory, wider, RadiusDecision.SHRINK, MISFITS).best is wider
    assert after(WideMemory(wider), wide, RadiusDecision.SHRINK, MISFITS).best is wider
    assert after(WideMemory(), wide, RadiusDecision.KEEP, MISFITS).best is None


def test_a_minimiser_that_is_not_resolved_tells_nothing():
    assert after(WideMemory(), some_fit(), RadiusDecision.SHRINK, MISFITS, error=1.0).best is None


def test_a_narrow_fit_that_agrees_brings_it_back():
    memory = WideMemory(some_fit())
    assert after(memory, some_fit(0.2, loss_times_cost=5.0)).returned
    assert not after(memory, some_fit(0.2, loss_times_cost=5.0), lack=MISFITS).returned
    assert not after(memory, some_fit(0.2, loss_times_cost=1.5)).returned  # it does not pay


def test_a_narrow_fit_elsewhere_refutes_it():
    assert after(WideMemory(some_fit()), some_fit(1.0, loss_times_cost=5.0)) == WideMemory()


def test_a_wide_fit_that_is_given_up_again_is_forgotten():
    memory = WideMemory(some_fit(), returned=True)
    assert after(memory, some_fit()) is memory
    assert after(memory, some_fit(), RadiusDecision.SHRINK) == WideMemory()


def test_a_symmetric_loss_is_minimised_from_far_away():
    """sum of y^4: near the minimum it is flat, and noise hides all but wide differences.

    Medians of these five runs: 1.0e-4 of a search that never returns, 2.3e-6 of this one.
    """

    def loss(points):
        return np.sum((np.atleast_2d(points) - 0.7) ** 4, axis=1)

    errors = []
    for seed in range(5):
        oracle = GaussianOracle(loss, tau=10.0, seed=seed)
        result = minimize(oracle, np.full(5, -1.0), max_shots=10**5, sigma0=1.0, seed=seed)
        errors.append(loss(result.x)[0])
    assert np.median(errors) < 2e-5
