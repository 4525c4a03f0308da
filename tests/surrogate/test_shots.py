"""Cost of the next design: greatest gain per cost, by decision, within limits."""

import numpy as np
import pytest

from qiskit_arcmaes.numerics.newton import NewtonStep
from qiskit_arcmaes.surrogate.lack_of_fit import LackOfFit
from qiskit_arcmaes.surrogate.params import DEFAULTS
from qiskit_arcmaes.surrogate.shots import (
    Demand,
    DesignCost,
    efficient_cost,
    model_shots,
    next_cost,
    resolving_cost,
)
from qiskit_arcmaes.surrogate.trust_region import (
    RadiusDecision,
    RadiusUpdate,
    TrustRegion,
    radius_factor,
)

DIM = 4
FITS = LackOfFit(0.0, 0.0, 0.0, 0.0, 1.0)
MISFITS = LackOfFit(9.0, 0.0, 0.0, 5.0, 1.0)
PRESENT = DesignCost(1000.0, 10, 0.0)


def some_step(gain=1.0, noise_loss=0.1, fraction=1.0, curvature=1.0):
    return NewtonStep(
        np.zeros(DIM), fraction, np.full(DIM, curvature), np.full(DIM, 0.1), gain, noise_loss, 0
    )


def cost_after(decision, step=None, lack=FITS, demand=None, power=0.0):
    update = RadiusUpdate(
        TrustRegion(last_decision=decision), radius_factor(decision, DEFAULTS.trust_region)
    )
    demand = demand or Demand(20, noise=1.0)
    return next_cost(update, step or some_step(), lack, demand, power, PRESENT, DEFAULTS)


@pytest.mark.parametrize("overhead", [0.0, 0.3, 100.0])
@pytest.mark.parametrize("noise_loss", [0.01, 0.5, 3.0])
def test_shots_of_a_model_maximise_its_gain_per_cost(noise_loss, overhead):
    shots = np.geomspace(1e-4, 1e4, 200_001)
    gamma = (1.0 - noise_loss / shots) / (overhead + shots)
    best = shots[np.argmax(gamma)]
    assert model_shots(1.0, noise_loss, overhead) == pytest.approx(best, rel=1e-3)


def test_both_halves_of_the_quotient_have_the_same_factor():
    """Only T/G counts: gain and noise loss in other units of the loss give the same shots."""
    assert model_shots(2.0, 0.3, 1.0) == model_shots(1.0, 0.15, 1.0)


def test_a_clear_gain_makes_designs_cheaper_and_a_hidden_one_dearer():
    params = DEFAULTS.design
    assert efficient_cost(some_step(1.0, 0.01), PRESENT, params) == 500
    assert efficient_cost(some_step(1.0, 0.9), PRESENT, params) == 2000
    step = some_step(1.0, 0.25)  # significant gain 1 - 2 x 0.25 x sqrt(1/2)
    expected = 2000 * 0.25 / (1 - 0.5 * np.sqrt(0.5))
    assert efficient_cost(step, PRESENT, params) == pytest.approx(expected)


def test_overhead_makes_designs_dearer():
    cheap, dear = (
        efficient_cost(some_step(1.0, 0.2), DesignCost(1000.0, 10, overhead), DEFAULTS.design)
        for overhead in (0.0, 20.0)
    )
    assert dear > cheap


def test_the_resolving_cost_resolves_the_minimiser():
    """With that cost the minimiser's error is the limit, in units of the new radius.

    A slope from n one-shot values has the variance noise/n; curvatures fall with the squared
    radius, and so the slope's error in units of it.
    """
    factor, limit, curvature = 0.7, 0.3, 2.0
    step, demand = some_step(curvature=curvature), Demand(20, noise=3.0)
    cost = resolving_cost(step, demand, factor, 0.0, 10, limit)
    error = np.sqrt(demand.noise / cost) / (curvature * factor**2)
    assert error == pytest.approx(limit)


def test_unexplained_variance_and_falling_noise_count_in_the_resolving_cost():
    step = some_step()
    plain = resolving_cost(step, Demand(20, noise=3.0), 0.7, 0.0, 10, 0.3)
    unexplained = Demand(20, noise=3.0, antisymmetric=0.3)
    assert resolving_cost(step, unexplained, 0.7, 0.0, 10, 0.3) == pytest.approx(2 * plain)
    quieter = resolving_cost(step, Demand(20, noise=3.0), 0.7, 2.0, 10, 0.3)
    assert quieter == pytest.approx(plain * 0.7**4)


@pytest.mark.parametrize("decision", [RadiusDecision.ENTER_MINIMUM, RadiusDecision.SHRINK_TO_QUIET])
def test_another_landscape_begins_with_a_small_design(decision):
    assert cost_after(decision, some_step(1.0, 0.9)) == 250


def test_a_shrinking_asks_for_what_resolves_the_minimiser_within_limits():
    far_too_much = Demand(20, noise=1e6)
    assert cost_after(RadiusDecision.SHRINK, demand=far_too_much) == 2000
    assert cost_after(RadiusDecision.SHRINK, demand=Demand(20, noise=1e-6)) == 250
    some = Demand(20, noise=15.0)
    expected = resolving_cost(some_step(), some, 0.7, 0.0, 10, 0.3)
    assert 250 < expected < 2000
    assert cost_after(RadiusDecision.SHRINK, demand=some) == pytest.approx(expected)


@pytest.mark.parametrize(
    "decision", [RadiusDecision.KEEP, RadiusDecision.GROW, RadiusDecision.RESTORE]
)
def test_otherwise_the_gain_decides_and_lack_of_fit_at_the_minimiser_raises_the_cost(decision):
    assert cost_after(decision, some_step(1.0, 0.01)) == 500
    assert cost_after(decision, some_step(1.0, 0.01), MISFITS) == 1500
    assert cost_after(decision, some_step(1.0, 0.01, fraction=0.5), MISFITS) == 500
