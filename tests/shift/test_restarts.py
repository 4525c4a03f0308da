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
from qiskit_arcmaes.shift.restarts import choose_endpoint, end_start, first_descent, wants_several
from qiskit_arcmaes.shift.shift_test import ShiftTest
from qiskit_arcmaes.shift.shot_noise import ShotNoise
from qiskit_arcmaes.shift.spectral_params import DEFAULTS

from .losses import DIM, setup

SEVERAL = (listed([1.0, 4.0]),) * DIM
PROOF = StartProof(
    value=-1.0, shots=100, variance=0.01, noise=1.0, slopes=np.full(DIM, 0.5),
    variances=np.full(DIM, 1e-4), curvatures=np.ones(DIM), bounds=np.zeros(DIM), mean=0.0,
    mean_variance=0.0, span=1.0,
)  # fmt: skip
NONE = np.empty((0, DIM))  # no candidates


def problem(budget=1e5, trust_radius=None, spectra=SEVERAL, **options):
    return Problem.of(setup(budget, spectra=spectra, **options), DEFAULTS, trust_radius)


def iterate(of, spent=1000.0):
    return Iterate(of.x0, ShiftTest(math.pi / 2), ShotNoise(1.0), spent=spent)


def test_another_start_is_the_first_of_several():
    given = problem()
    starts, phase, _ = first_descent(given, PROOF, iterate(given), NONE)
    assert starts.count == DEFAULTS.restarts.starts
    assert phase.plan.stage is Stage.EXPLORING


def test_a_trust_radius_limits_the_first_step_and_excludes_other_starts():
    given = problem(trust_radius=0.02)
    starts, phase, _ = first_descent(given, PROOF, iterate(given), NONE)
    assert starts.count == 0
    assert phase.plan.rate <= 0.02 * 4  # in angles scaled by the largest frequency


def test_one_frequency_needs_no_other_starts():
    given = problem(spectra=(listed([1.0]),) * DIM)
    starts, _, _ = first_descent(given, PROOF, iterate(given), NONE)
    assert starts.count == 0


def test_starts_follow_each_other_until_they_are_compared():
    given, rng = problem(), np.random.default_rng(1)
    present = iterate(given)
    starts, phase, _ = first_descent(given, PROOF, present, NONE)
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
    starts, _, _ = first_descent(given, PROOF, present, NONE)
    for _ in range(starts.count):
        starts, present, _ = end_start(given, starts, present, PROOF, rng)
    values = np.zeros(starts.count + 1)
    values[1], values[lowest] = np.nan, -1.0
    phase, chosen = choose_endpoint(given, starts, present, PROOF, values)
    points = [*starts.endpoints, given.x0]
    np.testing.assert_array_equal(chosen.centre, points[lowest])
    assert phase.plan.stage is Stage.FINAL
    assert phase.plan.limit == pytest.approx(given.setup.budget - given.reserve)


def test_starts_begin_at_the_candidates_and_then_anywhere():
    given, rng = problem(), np.random.default_rng(1)
    candidates = np.array([np.full(DIM, 0.1), np.full(DIM, 0.2)])
    present = iterate(given)
    starts, _, _ = first_descent(given, PROOF, present, candidates)
    begun = []
    for _ in range(3):
        starts, present, _ = end_start(given, starts, present, PROOF, rng)
        begun.append(present.centre)
    np.testing.assert_array_equal(begun[:2], candidates)
    assert len(starts.candidates) == 0
    assert not np.isin(begun[2], candidates).any()


@pytest.mark.parametrize(("restarts", "count"), [(0, 0), (1, 2), (3, 4)])
def test_restarts_are_as_many_as_the_user_says(restarts, count):
    """Also where one frequency calls for none."""
    for spectra in (SEVERAL, (listed([1.0]),) * DIM):
        given = problem(spectra=spectra, restarts=restarts)
        assert wants_several(given) is (restarts > 0)
        assert first_descent(given, PROOF, iterate(given), NONE)[0].count == count
