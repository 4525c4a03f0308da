"""The method for known frequencies as a whole: starts, budget, phases, resume."""

import math
from dataclasses import replace

import numpy as np
import pytest

from qiskit_arcmaes.domain import make_domain
from qiskit_arcmaes.engine.checkpoint import load, rebuild, save
from qiskit_arcmaes.frugal import frugal
from qiskit_arcmaes.oracles import Estimate
from qiskit_arcmaes.rotations import listed
from qiskit_arcmaes.shift.acceptance import AcceptancePhase
from qiskit_arcmaes.shift.descent import DescentPhase
from qiskit_arcmaes.shift.multistart import ComparisonPhase
from qiskit_arcmaes.shift.newton_phase import NewtonPhase
from qiskit_arcmaes.shift.parameter_shift import ParameterShift
from qiskit_arcmaes.shift.params import DEFAULTS as PLAIN
from qiskit_arcmaes.shift.plan import Stage
from qiskit_arcmaes.shift.problem import Problem
from qiskit_arcmaes.shift.rules import exact_rules
from qiskit_arcmaes.shift.spectral import SpectralShift
from qiskit_arcmaes.shift.spectral_params import DEFAULTS
from qiskit_arcmaes.shift.spectral_plan import affordable, plan_descent
from qiskit_arcmaes.shift.spectral_state import SpectralState

from .losses import DIM, above_minimum, drive, rotations, setup, several_gates, steps

ONE = (listed([1.0]),) * DIM
SEVERAL = (listed([1.0, 4.0]),) * DIM


def method(budget=1e5, seed=0, x0=1.0, spectra=ONE, trust_radius=None, **options):
    options = {"mean_loss": 0.0, "reports_variances": True, **options}
    problem = setup(budget, x0, len(spectra), spectra=spectra, **options)
    return SpectralShift(problem, np.random.default_rng(seed), trust_radius=trust_radius)


def doubled(points):
    """The same loss as ``rotations`` in angles of frequency 2, where pairs at π/2 are blind."""
    return rotations(2 * points)


@pytest.mark.parametrize(("loss", "frequency"), [(rotations, 1.0), (doubled, 2.0)])
def test_it_reaches_the_minimum_at_every_frequency(loss, frequency):
    """The second order ends near 1e-5; a median of 5 above 1e-3 has no chance."""
    ends = []
    for seed in range(5):
        run = method(1e6, seed, x0=1.5 / frequency, spectra=(listed([frequency]),) * DIM)
        ends.append(drive(run, loss, 1.0, seed, reported=True).recommendation * frequency)
    assert np.median([above_minimum(end) for end in ends]) < 1e-3


def test_an_informed_start_is_not_left_without_proof():
    """x0 lies 4e-4 above the minimum, and 1000 shots prove nothing: within 0.01 in all runs."""
    for seed in range(10):
        run = drive(method(1e3, seed, x0=0.01), rotations, 1.0, seed, reported=True)
        assert run.state.informed
        assert above_minimum(run.recommendation) < 0.01


def test_an_informed_start_is_improved_where_it_can_be():
    """From an error of 0.68, with slopes that stand out of their noise."""
    for seed in range(5):
        run = drive(method(1e5, seed, x0=0.45), rotations, 1.0, seed, reported=True)
        assert run.state.informed
        assert len(run.state.starts.endpoints) == 0
        assert above_minimum(run.recommendation) < 0.01


def test_there_are_several_starts_only_where_the_start_is_not_informed():
    phases = {}
    for x0 in (0.05, 1.0):
        run = method(1e5, 1, x0=x0, spectra=SEVERAL)
        phases[x0] = {batch.phase for batch in steps(run, several_gates, 1.0, reported=True)}
    assert "comparison of starts" not in phases[0.05]
    assert "comparison of starts" in phases[1.0]


def test_a_trust_radius_limits_the_first_step_and_excludes_restarts():
    run = method(1e5, 1, x0=1.0, spectra=SEVERAL, trust_radius=0.01)
    start = run.recommendation
    batches = steps(run, several_gates, 1.0, reported=True)
    next(batches)
    assert 0 < np.abs(run.recommendation - start).max() <= 0.01 * (1 + 1e-9)
    assert "comparison of starts" not in {batch.phase for batch in batches}


def test_a_coordinate_without_influence_keeps_its_value():
    spectra = (listed([]), *ONE)
    run = method(2e4, spectra=spectra, x0=1.0)
    drive(run, lambda points: rotations(points[:, 1:]), 0.5, reported=True)
    assert run.recommendation[0] == 1.0
    assert above_minimum(run.recommendation[1:]) < 0.1


@pytest.mark.parametrize("reported", [True, False])
@pytest.mark.parametrize("spectra", [ONE, SEVERAL])
@pytest.mark.parametrize("budget", [1500, 5000, 10**5])
def test_the_budget_is_used_and_never_exceeded(budget, spectra, reported):
    options = {"reports_variances": reported, "mean_loss": 0.0 if reported else None}
    run = method(budget, spectra=spectra, **options)
    assert affordable(run.setup)
    loss = rotations if spectra is ONE else several_gates
    spent = sum(len(b.points) * b.shots for b in steps(run, loss, 0.5, reported=reported))
    assert 0.85 * budget < spent <= budget
    assert run.state.iterate.spent == spent


@pytest.mark.parametrize("bounds", [(-3.5, 3.5), (-2 * math.pi, 2 * math.pi)])
def test_bounds_wider_than_a_period_keep_the_method(bounds):
    run = method(1e5, domain=make_domain(DIM, [bounds] * DIM))
    assert affordable(run.setup)
    for batch in steps(run, rotations, 0.5, reported=True):
        assert np.all((batch.points >= bounds[0]) & (batch.points <= bounds[1]))
    assert above_minimum(run.recommendation) < 0.05


@pytest.mark.parametrize("dim", [4, 8, 12, 13])
def test_a_larger_budget_never_switches_the_second_order_off(dim):
    rules = exact_rules((listed([1.0]),) * dim, DEFAULTS.rules)
    problem = setup(1.0, dim=dim)
    planned = [
        plan_descent(Stage.SINGLE, b, 0.0, 0.1, rules, problem, DEFAULTS).second_order
        for b in np.geomspace(1e3, 1e8, 200)
    ]
    assert planned == sorted(planned)
    assert planned[-1] is (dim <= 12)


def test_frugal_runs_it_where_frequencies_are_known_and_else_does_not():
    rng = np.random.default_rng(0)
    known = method().setup
    assert isinstance(frugal(known, rng), SpectralShift)
    assert isinstance(frugal(replace(known, spectra=None), rng), ParameterShift)
    assert not affordable(replace(known, budget=10.0))
    assert not affordable(replace(known, spectra=(listed([]),) * DIM))
    assert PLAIN.plan.least_steps > DEFAULTS.descent.least_steps
    with pytest.raises(ValueError, match=r"setup\.spectra"):
        Problem.of(replace(known, spectra=None), DEFAULTS, None)


def test_failed_values_do_no_harm():
    run = method(1e5, x0=1.5)
    rng = np.random.default_rng(5)
    while not run.finished:
        batch = run.ask()
        values = rotations(batch.points)
        values += rng.standard_normal(len(values)) / math.sqrt(batch.shots)
        values[rng.random(len(values)) < 0.1] = np.nan
        run.tell(batch, Estimate(values, np.full(len(values), 1 / batch.shots)))
    assert np.isfinite(run.recommendation).all()
    assert above_minimum(run.recommendation) < 0.5


@pytest.mark.parametrize("kind", [DescentPhase, ComparisonPhase, NewtonPhase, AcceptancePhase])
def test_a_saved_run_goes_on_bit_for_bit_in_every_phase(kind, tmp_path):
    run = method(2e4, 2, x0=1.0, spectra=SEVERAL)
    for _ in steps(run, several_gates, 1.0, reported=True):
        if isinstance(run.state.phase, kind):
            break
    assert not run.finished
    save(tmp_path / "state", {"state": run.state})
    resumed = method(2e4, 7, x0=1.0, spectra=SEVERAL)
    resumed.restore(rebuild(SpectralState, load(tmp_path / "state")["state"]))
    both = (steps(each, several_gates, 1.0, 3, reported=True) for each in (run, resumed))
    for one, two in zip(*both, strict=True):
        np.testing.assert_array_equal(one.points, two.points)
        assert one.shots == two.shots
    np.testing.assert_array_equal(run.recommendation, resumed.recommendation)
    assert repr(run.report()) == repr(resumed.report())


def test_a_budget_that_pays_no_comparison_moves_by_proof_alone():
    """At a slope of zero nothing is proved; Adam would move every angle by a quarter of a radian.

    An angle moves by chance in one run of 20: less than three of ten runs with all but 1%.
    """
    moved = 0
    for seed in range(10):
        run = drive(method(60, seed, x0=math.pi), rotations, 1.0, seed, reported=True)
        moved += not np.array_equal(run.recommendation, np.full(DIM, math.pi))
    assert moved < 3


def far_basin(points):
    """A loss of frequencies 1 and 4 that is flat at 0, where slopes vanish, and lowest at π."""
    return np.cos(points).sum(axis=1) - 0.9 - 0.06 * np.cos(4 * points).sum(axis=1)


@pytest.mark.parametrize("seed", range(5))
def test_the_only_descent_begins_at_the_lowest_screened_point(seed):
    """At x0 all slopes vanish, and the budget pays one descent: another point must begin it."""
    run = method(1.2e3, seed, x0=0.0, spectra=SEVERAL)
    end = drive(run, far_basin, 0.3, seed, reported=True)
    assert end.state.starts.count == 0
    assert far_basin(end.recommendation[None])[0] < far_basin(np.zeros((1, DIM)))[0] - 2
