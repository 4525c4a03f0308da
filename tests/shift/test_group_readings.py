"""Slopes, curvatures, values and scatter from planned jobs: no bias, honest variances."""

import math
from dataclasses import replace

import numpy as np
import pytest

from qiskit_arcmaes.shift.group_plans import plan_pairs
from qiskit_arcmaes.shift.group_readings import read_groups
from qiskit_arcmaes.shift.group_rules import make_group_rules
from qiskit_arcmaes.shift.rules import pair_rules
from qiskit_arcmaes.shift.scatter import first_scatter, pooled, with_references
from qiskit_arcmaes.shift.spectral_params import GroupParams, RuleParams

from .planned import Cosines, chain
from .test_group_rules import rules_of

PARAMS = GroupParams()
CENTRE = np.array([0.3, -0.5, 0.8, 0.2])
DRAWS = 500


def many(
    total, unit=1, draws=DRAWS, references=0.0, centre_total=60.0, exact=False, shift=math.pi / 2
):
    """Readings of many jobs that are planned alike."""
    oracle, rng = chain(4, seed=1), np.random.default_rng(2)
    pairs = pair_rules(oracle.spectra, RuleParams(shift=shift))
    rules = make_group_rules(oracle.circuit, np.arange(4), pairs)
    scatter = replace(
        first_scatter(rules, PARAMS), references=np.full(rules.prior.shape, references)
    )
    readings = []
    for _ in range(draws):
        plan, memo = plan_pairs(CENTRE, total, centre_total, rules, scatter, unit, rng, PARAMS)
        estimate = oracle.exact(plan) if exact else oracle.measure(plan)
        readings.append(read_groups(estimate, memo, rules, scatter, PARAMS)[0])
    return oracle, readings


@pytest.mark.parametrize("references", [0.0, 0.3])
@pytest.mark.parametrize(("total", "unit"), [(4.0, 1), (6.0, 1), (60.0, 1), (60.0, 20), (6.0, 5)])
def test_slopes_have_no_bias_where_groups_are_left_out(total, unit, references):
    """Mean of 500 jobs within 5 of its standard errors in 4 angles: 2e-6 per case, 2e-5 in all.

    With 4 shots, one per point, a group is left out more often than not; so it is where shots come
    in units that are larger than what a group should get.
    """
    oracle, readings = many(total, unit, references=references)
    slopes = np.array([reading.slopes for reading in readings])
    error = slopes.std(axis=0) / math.sqrt(DRAWS)
    assert (np.abs(slopes.mean(axis=0) - oracle.slopes(CENTRE)) < 5 * error).all()


@pytest.mark.parametrize(("total", "unit"), [(6.0, 1), (60.0, 20), (400.0, 1)])
def test_curvatures_have_no_bias(total, unit):
    """As above; at a shift of 1 the mean of a pair is not zero."""
    oracle, readings = many(total, unit, shift=1.0)
    found = np.array([reading.curvatures for reading in readings])
    error = found.std(axis=0) / math.sqrt(DRAWS)
    assert (np.abs(found.mean(axis=0) - oracle.hessian_diagonal(CENTRE)) < 5 * error).all()


@pytest.mark.parametrize("total", [400.0, 4000.0])
def test_claimed_variances_are_those_of_the_slopes(total):
    """The scatter on a random state is claimed before any job, and is an upper bound here.

    With the true scatter the claim holds within 32%: 5 standard errors of a variance of 500
    draws, sqrt(2 / 500) each, in 4 angles a chance of 2e-6.
    """
    oracle, rng = chain(4, seed=1), np.random.default_rng(2)
    rules = rules_of(oracle)
    quarter = math.pi / 2 * np.eye(4)
    terms = (oracle.terms(CENTRE + quarter), oracle.terms(CENTRE - quarter))
    squares = oracle.coefficients**2 * np.mean([1 - side**2 for side in terms], axis=0)
    member = np.eye(2)[oracle.groups]
    scatter = replace(first_scatter(rules, PARAMS), variances=(squares * oracle.cones) @ member)
    slopes = []
    for _ in range(DRAWS):
        plan, memo = plan_pairs(CENTRE, total, 0.0, rules, scatter, 1, rng, PARAMS)
        reading, _ = read_groups(oracle.measure(plan), memo, rules, scatter, PARAMS)
        slopes.append(reading.slopes)
    claimed = reading.variances
    np.testing.assert_allclose(np.var(slopes, axis=0), claimed, rtol=0.32)


@pytest.mark.parametrize(("total", "unit"), [(4.0, 1), (8.0, 1), (24.0, 6)])
def test_claimed_variances_are_no_fantasy_where_groups_are_left_out(total, unit):
    """What is left out scatters too: the claim is within a factor of 2, in units of one shot.

    In units of u shots it is an upper bound that may be u times as large: what a unit leaves out
    is as much as what one shot would, but where it is measured it scatters u times less.
    """
    _, readings = many(total, unit)
    realised = np.var([reading.slopes for reading in readings], axis=0)
    ratio = realised / readings[0].variances
    assert (ratio > 0.5 / unit).all()
    assert (ratio < 2).all()


def test_the_value_at_the_centre_and_its_variance():
    """Mean within 5 standard errors: a chance of 6e-7. Before the first job the claim is that of a
    random state, which scatters more."""
    oracle, readings = many(60.0, centre_total=40.0)
    values = np.array([reading.value for reading in readings])
    assert abs(values.mean() - oracle.loss(CENTRE)[0]) < 5 * values.std() / math.sqrt(DRAWS)
    assert 0.2 * readings[0].value_variance < values.var() < readings[0].value_variance
    assert np.isnan(many(60.0, centre_total=0.0, draws=1)[1][0].value)


def test_exact_expectations_give_exact_readings():
    oracle, (reading,) = many(400.0, draws=1, exact=True)
    np.testing.assert_allclose(reading.slopes, oracle.slopes(CENTRE))
    np.testing.assert_allclose(reading.curvatures, oracle.hessian_diagonal(CENTRE))
    assert reading.value == pytest.approx(oracle.loss(CENTRE)[0])
    assert not reading.failed


def test_what_failed_is_not_known():
    """A measurement that fails leaves its angles without slope and curvature, and no others."""
    oracle, rng = chain(4), np.random.default_rng(0)
    rules = rules_of(oracle)
    scatter = first_scatter(rules, PARAMS)
    plan, memo = plan_pairs(CENTRE, 400.0, 100.0, rules, scatter, 1, rng, PARAMS)
    estimate = oracle.exact(plan)
    estimate.means[1, 0] = np.nan
    reading, learned = read_groups(estimate, memo, rules, scatter, PARAMS)
    hit = np.isin(np.arange(4), rules.angle[rules.slot == 0])
    assert reading.failed
    np.testing.assert_array_equal(np.isnan(reading.slopes), hit)
    np.testing.assert_array_equal(np.isnan(reading.curvatures), hit)
    np.testing.assert_allclose(reading.slopes[~hit], oracle.slopes(CENTRE)[~hit])
    assert np.isfinite(learned.variances).all()
    assert np.isfinite(learned.references).all()


def test_a_failed_centre_has_no_value():
    oracle, rng = chain(4), np.random.default_rng(0)
    rules = rules_of(oracle)
    scatter = first_scatter(rules, PARAMS)
    plan, memo = plan_pairs(CENTRE, 400.0, 100.0, rules, scatter, 1, rng, PARAMS)
    estimate = oracle.exact(plan)
    estimate.means[-2, 1] = np.nan
    reading, _ = read_groups(estimate, memo, rules, scatter, PARAMS)
    assert np.isnan(reading.value)
    np.testing.assert_allclose(reading.slopes, oracle.slopes(CENTRE))


def test_the_scatter_is_learned():
    """After 60 jobs of 50 shots per point about one centre, the scatter is the true one.

    Memory 0.9 leaves ten jobs of about 100 degrees of freedom: a deviation of 5% and less; the
    margin is five of these.
    """
    oracle, rng = chain(4, seed=5), np.random.default_rng(2)
    rules = rules_of(oracle)
    scatter = first_scatter(rules, PARAMS)
    for _ in range(60):
        plan, memo = plan_pairs(CENTRE, 800.0, 200.0, rules, scatter, 1, rng, PARAMS)
        _, scatter = read_groups(oracle.measure(plan), memo, rules, scatter, PARAMS)
    quarter = math.pi / 2 * np.eye(4)
    sides = [1 - oracle.terms(CENTRE + side * quarter) ** 2 for side in (1, -1)]
    member = np.eye(2)[oracle.groups]
    exact = (oracle.cones * oracle.coefficients**2 * np.mean(sides, axis=0)) @ member
    np.testing.assert_allclose(scatter.variances, exact, rtol=0.25)
    totals = (oracle.coefficients**2 * (1 - oracle.terms(CENTRE)[0] ** 2)) @ member
    np.testing.assert_allclose(scatter.totals, totals, rtol=0.25)
    halves = [oracle.coefficients * oracle.terms(CENTRE + side * quarter) for side in (1, -1)]
    difference = (oracle.cones * (halves[0] - halves[1]) / 2) @ member
    np.testing.assert_allclose(scatter.references, difference, atol=0.25)


def test_a_scatter_of_zero_does_not_starve_a_group():
    rules = rules_of(chain(4))
    scatter = first_scatter(rules, PARAMS)
    scatter = replace(
        scatter, variances=np.zeros_like(scatter.variances), totals=np.zeros_like(scatter.totals)
    )
    np.testing.assert_allclose(scatter.floored(rules, PARAMS), PARAMS.floor**2 * rules.prior)
    totals = PARAMS.floor**2 * rules.total_prior
    np.testing.assert_allclose(scatter.floored_totals(rules, PARAMS), totals)


def test_pooling_weights_by_degrees_of_freedom_and_fades_only_with_news():
    known, freedom = np.array([2.0, 2.0]), np.array([10.0, 10.0])
    shown, added = np.array([5.0, np.nan]), np.array([9.0, 0.0])
    variance, total = pooled(known, freedom, shown, added, 0.9)
    np.testing.assert_allclose(variance, [3.5, 2.0])
    np.testing.assert_allclose(total, [18.0, 10.0])


def test_running_means_move_where_something_was_measured():
    rules = rules_of(Cosines([(0,), (1,)], [1.0, 1.0], [0, 1]))
    scatter = first_scatter(rules, PARAMS)
    halves = np.array([[1.0, np.nan], [np.nan, -2.0]])
    moved = with_references(scatter, halves, np.array([[0.5, 0.0], [0.0, 0.25]]))
    assert moved.references.tolist() == [[0.5, 0.0], [0.0, -0.5]]
