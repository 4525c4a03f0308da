"""The optimizers as citizens of qiskit-algorithms: settings, callbacks, bounds, stepwise use."""

from __future__ import annotations

import math

import numpy as np
import pytest
from qiskit.primitives import StatevectorEstimator
from qiskit_algorithms import VQE
from qiskit_algorithms.optimizers import Optimizer, OptimizerResult, OptimizerSupportLevel
from qiskit_algorithms.optimizers.steppable_optimizer import SteppableOptimizer, TellData

from qiskit_arcmaes import (
    ARCMAES,
    CMAES,
    GaussianOracle,
    OracleError,
    ShotEstimator,
    ShotFrugal,
    Stop,
    get_function,
)
from qiskit_arcmaes.optimizers import ForeignLossWarning, ShotTellData

from .common import ANSATZ, H2, OPTIMIZERS, START, exact_energy


def sphere(tau=0.1, seed=1):
    return GaussianOracle(get_function("sphere", 3), tau=tau, seed=seed)


def run_vqe(optimizer, estimator, **options):
    vqe = VQE(estimator, ANSATZ, optimizer, initial_point=START, **options)
    return vqe.compute_minimum_eigenvalue(H2).optimizer_result


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_settings_rebuild_the_optimizer(optimizer):
    given = {
        "max_shots": 4000,
        "primitive": ShotEstimator(seed=1),
        "shots": 7,
        "popsize": 5,
        "sigma0": 0.3,
        "bounds": [(-3, 3)] * 3,
        "periodic": False,
        "seed": 11,
        "maxiter": 9,
    }
    first = optimizer(**given)
    assert isinstance(first, Optimizer)
    assert not callable(first)  # VQE would take it for a function
    settings = first.settings
    assert given.items() <= settings.items()
    second = optimizer(**settings)
    assert second.settings == settings
    results = [each.minimize(sphere(), [1.0, 1.0, 1.0]) for each in (first, second)]
    assert isinstance(results[0], OptimizerResult)
    assert results[0].fun == results[1].fun
    assert np.array_equal(results[0].x, results[1].x)
    settings["shots"] = 8
    assert first.settings["shots"] == 7  # a copy


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_support_level(optimizer):
    chosen = optimizer()
    assert chosen.get_support_level() == {
        "gradient": OptimizerSupportLevel.ignored,
        "bounds": OptimizerSupportLevel.supported,
        "initial_point": OptimizerSupportLevel.required,
    }
    assert chosen.is_gradient_ignored
    assert chosen.is_bounds_supported
    assert chosen.is_initial_point_required


@pytest.mark.parametrize("variant", ["ar", "ar-paper", "ar-literal"])
def test_variants(variant):
    estimator = ShotEstimator(seed=1)
    chosen = ARCMAES(4_000, primitive=estimator, variant=variant, seed=2)
    result = run_vqe(chosen, estimator)
    assert 0 < result.shots <= 4_000
    assert ARCMAES(**chosen.settings).settings["variant"] == variant
    plain = ARCMAES(5000, variant=variant, seed=2).minimize(sphere(), [1.0] * 3)
    columns = {"ar": "noise_ratio", "ar-paper": "a", "ar-literal": "a"}
    assert columns[variant] in plain.history.columns


def test_callback_gets_the_whole_point_and_what_was_spent():
    seen = []
    estimator = ShotEstimator(seed=1)
    chosen = ShotFrugal(20_000, primitive=estimator, callback=lambda *a: seen.append(a), seed=2)
    result = run_vqe(chosen, estimator)
    assert len(seen) == len(result.history)
    for nfev, x, fun, std, shots in seen:
        assert x.shape == START.shape
        assert isinstance(nfev, int)
        assert isinstance(shots, int)
        assert math.isfinite(fun)
        assert std > 0
    assert [shots for *_, shots in seen] == list(result.history["spent"])
    assert np.array_equal(seen[-1][1], result.x)


def test_callback_can_stop():
    result = ShotFrugal(10**6, callback=lambda nfev, *_: nfev > 100, seed=1).minimize(
        sphere(), [1.0] * 3
    )
    assert result.stop is Stop.CALLBACK
    assert 100 < result.nfev < 300


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
@pytest.mark.parametrize("yes", [True, np.bool_(True)])
def test_a_true_of_numpy_stops_too(optimizer, yes):
    """``np.all(...)`` is one; alone, beside a termination checker, and from the checker."""
    stopped = optimizer(5000, callback=lambda *_: yes, seed=1)
    beside = optimizer(
        5000, callback=lambda *_: yes, termination_checker=lambda *_: np.bool_(False), seed=1
    )
    checker = optimizer(5000, termination_checker=lambda *_: yes, seed=1)
    for chosen in (stopped, beside, checker):
        result = chosen.minimize(sphere(), [1.0] * 3)
        assert result.stop is Stop.CALLBACK
        assert len(result.history) == 1


@pytest.mark.parametrize("on_interrupt", ["return", "raise"])
def test_an_interrupt_restores_the_shots_and_keeps_the_result(on_interrupt):
    """What Ctrl-C raises, raised by a callback."""

    def interrupt(nfev, *_):
        if nfev > 30:
            raise KeyboardInterrupt

    estimator = ShotEstimator(shots=321, seed=1)
    chosen = ShotFrugal(
        20_000, primitive=estimator, callback=interrupt, on_interrupt=on_interrupt, seed=2
    )
    if on_interrupt == "raise":
        with pytest.raises(KeyboardInterrupt) as caught:
            run_vqe(chosen, estimator)
        result = caught.value.result
    else:
        result = run_vqe(chosen, estimator)
    assert result.stop is Stop.INTERRUPTED
    assert result.success is False
    assert 0 < result.shots == estimator.ledger.shots < 20_000
    assert estimator.shots == 321


def test_termination_checker_is_called_as_spsas():
    seen = []

    def checker(nfev, x, fun, radius, accepted):
        seen.append((nfev, x, fun, radius, accepted))
        return len(seen) == 5

    result = CMAES(10**6, shots=1, termination_checker=checker, seed=1).minimize(
        sphere(), [1.0] * 3
    )
    assert result.stop is Stop.CALLBACK
    assert result.nit == len(seen) == 5
    nfev, x, fun, radius, accepted = seen[-1]
    assert x.shape == (3,)
    assert np.isfinite(fun)
    assert accepted is True
    assert radius == result.history["radius"][-1]
    assert nfev == sum(result.history["points"])


@pytest.mark.filterwarnings("error")
def test_jac_is_ignored_with_a_word():
    chosen = CMAES(500, shots=1, seed=1)
    with pytest.warns(UserWarning, match="jac is ignored: CMAES needs no gradient"):
        chosen.minimize(sphere(), [1.0] * 3, jac=lambda x: 2 * x)
    chosen.minimize(sphere(), [1.0] * 3)


@pytest.mark.filterwarnings("ignore::qiskit_arcmaes.ConstantLossWarning")  # no noise in here
@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_bounds_of_the_call_win_and_hold(optimizer):
    points = []

    def fun(x):
        points.append(x)
        return float(np.sum((x - 5) ** 2))

    chosen = optimizer(600, bounds=[(-9, 9)] * 2, seed=1)
    result = chosen.minimize(fun, [0.5, 0.5], bounds=[(0, 1), (None, 2)])
    asked = np.array([p for p in points if p.ndim == 1])
    assert asked[:, 0].min() >= 0
    assert asked[:, 0].max() <= 1
    assert asked[:, 1].max() <= 2
    assert np.all(result.x <= [1, 2])
    assert result.fun < fun(np.array([0.5, 0.5])) - 3
    empty = chosen.minimize(fun, [0.5, 0.5], bounds=[(None, None)] * 2)  # as VQE passes them
    assert np.all(np.abs(empty.x) <= 9)


@pytest.mark.filterwarnings("ignore::qiskit_arcmaes.ConstantLossWarning")
def test_periodic_coordinates_are_searched_freely_and_reported_inside():
    """The minimum lies across the seam; the start may lie outside, as QAOA's users put it."""
    bounds = [(0, 2 * np.pi)] * 2

    def fun(x):
        assert np.all((x >= 0) & (x <= 2 * np.pi))
        return float(np.sum(1 - np.cos(x + 0.3)))

    result = CMAES(3000, shots=1, seed=1).minimize(fun, [-5.9, 0.4], bounds=bounds)
    assert result.fun < 1e-3
    assert np.all((result.x >= 0) & (result.x <= 2 * np.pi))
    assert np.allclose(result.x, 2 * np.pi - 0.3, atol=0.1)
    bounded = CMAES(3000, shots=1, seed=1, periodic=False)
    assert bounded.minimize(fun, [0.4, 0.4], bounds=bounds).fun > 0.08  # cut off by the bound


def test_without_a_primitive_fun_is_called_m_times():
    calls = []
    rng = np.random.default_rng(1)

    def fun(x):
        calls.append(x)
        return float(x @ x) + 0.01 * rng.normal()

    result = CMAES(900, shots=7, popsize=5, seed=1, vectorized=False).minimize(fun, [1.0, 1.0])
    assert result.shots == len(calls) <= 900
    first = calls[1:36]  # after the dry run, 7 times the 5 points of a population
    assert all(np.array_equal(first[0], each) for each in first[::5])


def test_vqe_without_a_primitive():
    """Any estimator, no wrapper: its own precision is what one shot is."""
    estimator = StatevectorEstimator(default_precision=0.2, seed=np.random.default_rng(1))
    with pytest.warns(ForeignLossWarning, match="max_shots = 3,000 counts calls of fun"):
        result = run_vqe(ShotFrugal(3000, seed=1), estimator)
    assert result.shots <= 3000
    assert exact_energy(ANSATZ, H2, result.x) < -1.7
    assert abs(result.fun - exact_energy(ANSATZ, H2, result.x)) < 7 * result.fun_std


def test_a_loss_of_two_estimates_has_no_variance_of_its_own():
    """Its noise is measured, and the budget is that of both."""
    estimator = ShotEstimator(seed=1)

    def fun(points):
        first, second = estimator.run([(ANSATZ, H2, points), (ANSATZ, "ZZ", points)]).result()
        return first.data.evs + second.data.evs

    result = ARCMAES(4_000, primitive=estimator, seed=2).minimize(fun, START)
    assert result.shots == estimator.ledger.shots <= 4_000
    assert result.history["phase"][0] == "noise calibration"
    assert np.isfinite(result.fun_std)


def test_a_loss_that_runs_jobs_one_after_the_other_exceeds_no_budget():
    """What its dry run does not show is refused in the first job, if it is not known."""
    estimator = ShotEstimator(seed=1)

    def fun(points):
        first = estimator.run([(ANSATZ, H2, points)]).result()[0].data.evs
        return first + estimator.run([(ANSATZ, "ZZ", points)]).result()[0].data.evs

    try:
        result = ShotFrugal(20_000, primitive=estimator, seed=2).minimize(fun, START)
    except OracleError as error:
        result = error.result
    assert result.shots == estimator.ledger.shots <= 20_000


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_steps_are_the_run(optimizer):
    whole = optimizer(3000, seed=1).minimize(sphere(), [1.0] * 3)
    stepwise = optimizer(3000, seed=1)
    assert isinstance(stepwise, SteppableOptimizer)
    stepwise.start(sphere(), [1.0] * 3)
    while stepwise.continue_condition():
        stepwise.step()
        assert stepwise.state.x.shape == (3,)
    result = stepwise.create_result()
    assert stepwise.state.nfev == result.nfev == whole.nfev
    assert (result.fun, result.shots) == (whole.fun, whole.shots)
    assert np.array_equal(result.x, whole.x)


def test_points_evaluated_outside():
    """For people who submit jobs themselves: ``fun`` is the method's own estimate, or none."""
    estimator = ShotEstimator(seed=3)
    chosen = ShotFrugal(30_000, shots=20, seed=1)
    chosen.start(None, START)
    while chosen.continue_condition():
        asked = chosen.ask()
        estimator.shots = asked.shots
        data = estimator.run([(ANSATZ, H2, asked.x_fun)]).result()[0].data
        chosen.tell(asked, ShotTellData(eval_fun=data.evs, variances=data.stds**2))
    result = chosen.create_result()
    assert result.shots <= 30_000
    assert 2 * result.shots == estimator.ledger.shots  # both bases of H2
    energy = exact_energy(ANSATZ, H2, result.x)
    assert math.isnan(result.fun) or abs(result.fun - energy) < 5 * result.fun_std
    assert energy < -1.7


def test_plain_values_can_be_told():
    chosen = CMAES(300, shots=1, seed=1)
    chosen.start(None, [1.0, 1.0])
    while chosen.continue_condition():
        asked = chosen.ask()
        chosen.tell(asked, TellData(eval_fun=np.sum(asked.x_fun**2, axis=1)))
    assert np.sum(chosen.create_result().x ** 2) < 0.1
    with pytest.raises(RuntimeError, match="the run is over"):
        chosen.ask()


def test_stepping_needs_a_start():
    for use in (CMAES().ask, CMAES().create_result, lambda: CMAES().state):
        with pytest.raises(RuntimeError, match="call start first"):
            use()


def test_stepping_restores_the_shots():
    estimator = ShotEstimator(shots=321, seed=1)

    def fun(points):
        return estimator.run([(ANSATZ, H2, points)]).result()[0].data.evs

    chosen = ShotFrugal(5000, primitive=estimator, seed=1)
    chosen.start(fun, START)
    chosen.step()
    result = chosen.create_result()
    assert result.stop is Stop.STEPWISE
    assert estimator.shots == 321
    assert result.shots == estimator.ledger.shots


def test_the_first_m_is_a_thousandth_of_the_budget():
    estimator = ShotEstimator(seed=1)
    chosen = CMAES(10**6, primitive=estimator, maxiter=2, seed=1)
    result = run_vqe(chosen, estimator)
    assert result.history["shots"][0] == 10**6 // (1000 * 8 * 2)  # popsize 8, 2 bases
