"""What the first job tells of x0."""

import math
from dataclasses import replace

import numpy as np
import pytest

from qiskit_arcmaes.rotations import listed
from qiskit_arcmaes.shift.inspection import (
    inspection_points,
    is_informed,
    plan_inspection,
    read_inspection,
)
from qiskit_arcmaes.shift.rules import exact_rules
from qiskit_arcmaes.shift.spectral_params import InspectionParams, RuleParams

from .losses import rotations, setup

PARAMS = InspectionParams()
RULES = exact_rules((listed([1.0]),) * 4, RuleParams())


def inspect(x0, noise=0.3, budget=1e5, reported=True, seed=0, **options):
    rng = np.random.default_rng(seed)
    problem = setup(budget, x0, reports_variances=reported, **options)
    plan = plan_inspection(RULES, problem, PARAMS)
    drawn = 2 * math.pi * rng.random((plan.random, 4))
    points = inspection_points(plan, problem.start, RULES, drawn)
    assert len(points) * plan.shots <= PARAMS.share * budget
    error = noise / math.sqrt(plan.shots)
    values = rotations(points) + error * rng.standard_normal(len(points))
    variances = np.full(len(points), error**2) if reported else None
    return read_inspection(plan, values, variances, RULES, problem)


@pytest.mark.parametrize("reported", [True, False])
def test_values_slopes_and_curvatures_are_read(reported):
    """All margins are five standard errors or more."""
    proof = inspect(0.4, reported=reported, mean_loss=0.0)
    exact = rotations(np.full((1, 4), 0.4))[0]
    assert proof.value == pytest.approx(exact, abs=5 * math.sqrt(proof.variance))
    slope = math.sin(0.4) * np.array([0.5 + math.cos(0.4), *[2 * math.cos(0.4)] * 2, math.cos(0.4)])
    np.testing.assert_allclose(proof.slopes, slope, atol=5 * math.sqrt(proof.variances.max()))
    assert proof.noise == pytest.approx(0.09, rel=1e-9 if reported else 1.5)
    curvature = math.cos(0.4) * slope / math.sin(0.4)
    np.testing.assert_allclose(proof.curvatures, curvature, atol=0.1)


@pytest.mark.parametrize("mean_loss", [0.0, None])
def test_a_start_below_the_mean_is_informed_and_one_above_is_not(mean_loss):
    """A mean of 8 random points is 2 standard errors too high in one of 20 cases: 1 of 9 may be."""
    below, at_mean = (
        [
            is_informed(inspect(x0, seed=seed, mean_loss=mean_loss), False, PARAMS)
            for seed in range(9)
        ]
        for x0 in (0.2, math.pi / 2)
    )
    assert sum(below) >= 8
    assert sum(at_mean) <= 1


def test_failed_values_make_no_informed_start():
    problem = setup(1e5, 0.2, mean_loss=0.0, reports_variances=True)
    plan = plan_inspection(RULES, problem, PARAMS)
    points = RULES.rows + plan.centres
    failed = np.full(points, np.nan)
    proof = read_inspection(plan, failed, failed, RULES, problem)
    assert not is_informed(proof, False, PARAMS)
    assert np.all(proof.slopes == 0)


@pytest.mark.parametrize(
    ("share", "several", "informed"),
    [(1.1, False, True), (0.9, False, True), (0.7, False, False), (0.7, True, True)],
)
def test_a_start_within_an_error_of_the_share_is_informed(share, several, informed):
    """One standard error, here a fifth of that share of the span, speaks for it; or even two."""
    proof = inspect(0.2, mean_loss=0.0)
    needed = PARAMS.span_share * proof.span
    proof = replace(proof, value=-share * needed, variance=(0.2 * needed) ** 2)
    assert is_informed(proof, several, PARAMS) is informed
