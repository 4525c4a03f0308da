"""Each decision on the radius, and what it leaves in the state."""

from dataclasses import replace

import numpy as np
import pytest

from qiskit_arcmaes.numerics.newton import NewtonStep
from qiskit_arcmaes.surrogate.lack_of_fit import LackOfFit
from qiskit_arcmaes.surrogate.params import TrustRegionParams
from qiskit_arcmaes.surrogate.trust_region import (
    RadiusDecision,
    TrustRegion,
    is_resolved,
    radius_factor,
    update_radius,
)

PARAMS = TrustRegionParams()
DIM = 4
FITS = LackOfFit(0.0, 0.0, 0.0, 0.0, noise=1.0)
MISFITS = LackOfFit(5.0, 0.0, 0.0, variance=10.0, noise=1.0)  # of the slopes
NONSMOOTH = LackOfFit(0.0, 5.0, 0.5, variance=10.0, noise=1.0)
DOUBTFUL = LackOfFit(2.0, 0.0, 0.0, 0.0, noise=1.0)  # neither fits nor not


def some_step(error=0.1, length=0.0, fraction=1.0, gain=1.0):
    vector = np.zeros(DIM)
    vector[0] = length
    return NewtonStep(vector, fraction, np.ones(DIM), np.full(DIM, error), gain, 0.1, 0)


RESOLVED, BLURRED = some_step(0.1), some_step(0.5)
SILENT = some_step(0.5, gain=0.0)
FAR = some_step(0.1, length=2.0)


def decide(region=TrustRegion(), lack=FITS, step=RESOLVED, power=0.0):  # noqa: B008
    return update_radius(region, lack, step, power, PARAMS)


def test_the_radius_grows_where_the_quadratic_fits():
    update = decide()
    assert update.decision is RadiusDecision.GROW
    assert update.factor == PARAMS.grow
    assert not update.moved


def test_the_radius_stays_in_doubt():
    assert decide(lack=DOUBTFUL).decision is RadiusDecision.KEEP


def test_the_radius_shrinks_once_the_minimiser_is_resolved():
    assert decide(lack=MISFITS, step=BLURRED).decision is RadiusDecision.KEEP
    update = decide(lack=MISFITS)
    assert update.decision is RadiusDecision.SHRINK
    assert update.factor == PARAMS.shrink
    region = update.region
    assert region.lack_of_fit_before == MISFITS.variance
    assert (region.shrinks_here, region.cooldown) == (1, 2)


def test_a_minimiser_outside_the_trust_region_is_not_resolved():
    assert is_resolved(RESOLVED, 0.3)
    assert not is_resolved(some_step(0.1, fraction=0.5), 0.3)
    assert not is_resolved(BLURRED, 0.3)
    assert decide(lack=MISFITS, step=some_step(0.1, fraction=0.5)).decision is RadiusDecision.KEEP


def test_after_a_shrinking_the_radius_waits_twice_as_long_each_time():
    region = TrustRegion()
    for expected in (2, 4, 8):
        region = decide(replace(region, last_decision=RadiusDecision.KEEP), MISFITS).region
        assert region.cooldown == expected
    waited = 0
    while (update := decide(region)).decision is RadiusDecision.KEEP:
        region, waited = update.region, waited + 1
    assert update.decision is RadiusDecision.GROW
    assert waited == 7  # the eighth design may grow


def test_a_search_that_moves_forgets_its_shrinkings():
    region = TrustRegion(shrinks_here=3, cooldown=8)
    for step in (FAR, some_step(0.1, fraction=0.5)):
        update = decide(region, DOUBTFUL, step)
        assert update.moved
        assert (update.region.shrinks_here, update.region.cooldown) == (0, 0)


def test_patience_without_a_signal_is_limited():
    region = TrustRegion()
    for count in range(1, PARAMS.patience):
        update = decide(region, MISFITS, SILENT)
        assert update.decision is RadiusDecision.KEEP
        region = update.region
        assert region.rounds_without_signal == count
    update = decide(region, MISFITS, SILENT)
    assert update.decision is RadiusDecision.SHRINK
    assert update.region.rounds_without_signal == 0
    assert decide(region, MISFITS, BLURRED).region.rounds_without_signal == 0  # there is a gain
    assert decide(region, FITS, SILENT).region.rounds_without_signal == 0


def test_a_loss_whose_lack_of_fit_does_not_fall_is_rugged():
    shrunk = decide(lack=MISFITS).region
    update = decide(shrunk, replace(MISFITS, variance=8.0))
    assert update.decision is RadiusDecision.RESTORE
    assert update.factor == pytest.approx(1 / PARAMS.shrink)
    assert update.region.rugged


@pytest.mark.parametrize("variance", [6.0, 0.9])  # below 0.7 of the old one, below the noise
def test_a_loss_whose_lack_of_fit_falls_is_not_rugged(variance):
    shrunk = decide(lack=replace(MISFITS, variance=max(variance, 1.0) * 1.5)).region
    update = decide(shrunk, replace(MISFITS, variance=variance))
    assert update.decision is RadiusDecision.SHRINK
    assert not update.region.rugged


def test_only_the_design_right_after_a_shrinking_tells_ruggedness():
    region = replace(decide(lack=MISFITS).region, last_decision=RadiusDecision.KEEP)
    assert decide(region, MISFITS).decision is RadiusDecision.SHRINK


def test_a_rugged_loss_is_smoothed_until_the_minimiser_is_resolved_well():
    rugged = TrustRegion(rugged=True)
    assert decide(rugged, MISFITS, some_step(0.2)).decision is RadiusDecision.KEEP
    update = decide(rugged, MISFITS, some_step(0.09))
    assert update.decision is RadiusDecision.ENTER_MINIMUM
    assert update.factor == pytest.approx(1 / 3)
    assert not update.region.rugged


def test_noise_that_falls_faster_than_the_radius_shrinks_it():
    assert decide(power=1.5).decision is RadiusDecision.SHRINK_TO_QUIET
    assert decide(power=1.5, step=BLURRED).decision is RadiusDecision.KEEP
    assert decide(power=0.9).decision is RadiusDecision.GROW
    assert decide(power=1.5, step=FAR).decision is RadiusDecision.GROW  # learned elsewhere


def test_the_radius_does_not_follow_the_noise_without_end():
    """Loss and noise fall together to a minimum of zero: within rounding nothing is gained."""
    least = PARAMS.narrowest
    wide = update_radius(TrustRegion(), FITS, RESOLVED, 1.5, PARAMS, width=1.1 * least)
    assert wide.decision is RadiusDecision.SHRINK_TO_QUIET
    narrow = update_radius(TrustRegion(), FITS, RESOLVED, 1.5, PARAMS, width=0.9 * least)
    assert narrow.decision is RadiusDecision.KEEP


def test_every_decision_has_a_factor():
    factors = {decision: radius_factor(decision, PARAMS) for decision in RadiusDecision}
    shrinking = {decision for decision, factor in factors.items() if factor < 1}
    assert shrinking == {
        RadiusDecision.SHRINK,
        RadiusDecision.SHRINK_TO_QUIET,
        RadiusDecision.ENTER_MINIMUM,
    }
