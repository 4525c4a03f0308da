"""Descents of a run with known frequencies: which come first, which next, which last."""

import math

import numpy as np
import pytest

from qiskit_arcmaes.rotations import listed
from qiskit_arcmaes.shift.descent import DescentPhase
from qiskit_arcmaes.shift.inspection import StartProof
from qiskit_arcmaes.shift.iterate import Iterate
from qiskit_arcmaes.shift.multistart import ComparisonPhase
from qiskit_arcmaes.shift.plan import Stage
from qiskit_arcmaes.shift.problem import Problem
from qiskit_arcmaes.shift.restarts import choose_endpoint, end_start, first_descent
from qiskit_arcmaes.shift.shift_test import ShiftTest
from qiskit_arcmaes.shift.shot_noise import ShotNoise
from qiskit_arcmaes.shift.spectral_params import DEFAULTS

from .losses import DIM, setup

SEVERAL = (listed([1.0, 4.0]),) * DIM
PROOF = StartProof(
    value=-1.0, shots=100, variance=0.01, noise=1.0, slopes=np.full(DIM, 0.5),
    variances=np.full(DIM, 1e-4), curvatures=np.ones(DIM), mean=0.0, mean_variance=0.0,
    span=1.0,
)  # fmt: skip


def problem(budget=1e5, trust_radius=None, spectra=SEVERAL):
    return Problem.of(setup(budget, spectra=spectra), DEFAULTS, trust_radius)


def iterate(of, spent=1000.0):
    return Iterate(of.x0, ShiftTest(math.pi / 2), ShotNoise(1.0), spent=spent)


def test_another_start_is_the_first_of_several():
    given = problem()
    starts, phase, _ = first_descent(given, PROOF, iterate(given))
    assert starts.count == DEFAULTS.restarts.starts
    assert phase.plan.stage is Stage.EXPLORING


def test_a_trust_radius_limits_the_first_step_and_excludes_other_starts():
    given = problem(trust_radius=0.02)
    starts, phase, _ = first_descent(given, PROOF, iterate(given))
    assert starts.count == 0
    assert phase.plan.rate <= 0.02 * 4  # in angles scaled by the largest frequency


def test_one_frequency_needs_no_other_starts():
    given = problem(spectra=(listed([1.0]),) * DIM)
    starts, _, _ = first_descent(given, PROOF, iterate(given))
    assert starts.count == 0


def test_starts_follow_each_other_until_they_are_compared():
    given, rng = problem(), np.random.default_rng(1)
    present = iterate(given)
    starts, phase, _ = first_descent(given, PROOF, present)
    for done in range(1, starts.count + 1):
        assert isinstance(phase, DescentPhase)
        starts, present, phase = end_start(given, starts, present, PROOF, rng)
        assert len(starts.endpoints) == done
    assert isinstance(phase, ComparisonPhase)
    assert len(np.unique(starts.endpoints, axis=0)) == starts.count


@pytest.mark.parametrize("lowest", [0, 3, -1])
def test_the_run_goes_on_from_the_lowest_endpoint_or_x0(lowest):
    given, rng = problem(), np.random.default_rng(1)
    present = iterate(given)
    starts, _, _ = first_descent(given, PROOF, present)
    for _ in range(starts.count):
        starts, present, _ = end_start(given, starts, present, PROOF, rng)
    values = np.zeros(starts.count + 1)
    values[1], values[lowest] = np.nan, -1.0
    phase, chosen = choose_endpoint(given, starts, present, PROOF, values)
    points = [*starts.endpoints, given.x0]
    np.testing.assert_array_equal(chosen.centre, points[lowest])
    assert phase.plan.stage is Stage.FINAL
    assert phase.plan.limit == pytest.approx(given.setup.budget - given.reserve)
