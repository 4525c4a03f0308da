"""Under twirling the executor primitives round shots up: the price of a job is above that too."""

from __future__ import annotations

import warnings

import pytest

from qiskit_arcmaes import ShotEstimator, ShotSampler
from qiskit_arcmaes.primitives import PrimitiveOracle

from .problems import CIRCUIT, OPERATOR, some_points
from .service import SpyingSimulator, line_device

X0 = some_points(1)[0]

TWIRLING = {
    "left to itself": {},
    "32 randomizations": {"num_randomizations": 32},
    "50 shots each": {"shots_per_randomization": 50},
}


def make_estimator(spy, twirling, calibration):
    module = pytest.importorskip("qiskit_ibm_runtime.executor_estimator")
    resilience = {"measure_noise_learning": {"num_randomizations": calibration}}
    options = {
        "resilience_level": 1,
        "resilience": resilience if calibration else {},
        "twirling": {"enable_gates": True, **twirling},
    }
    return ShotEstimator(module.Estimator(mode=spy, options=options))


def make_sampler(spy, twirling):
    module = pytest.importorskip("qiskit_ibm_runtime.executor_sampler")
    options = {"twirling": {"enable_gates": True, "enable_measure": True, **twirling}}
    return ShotSampler(module.Sampler(mode=spy, options=options))


def check_prices(oracle, spy):
    """Prices are upper bounds at every shot count, and the ledger is what the backend counted."""
    for shots in (1, 33, 100):
        price = oracle.price(2).at(shots)
        before = spy.spied["shots"]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            oracle.evaluate([X0, X0], shots)
        assert 0 < spy.spied["shots"] - before <= price
        assert oracle.spent == spy.spied["shots"]


@pytest.mark.parametrize(
    ("name", "calibration"), [("left to itself", None), *((name, 10) for name in TWIRLING)]
)
def test_estimators(name, calibration):
    spy = line_device(SpyingSimulator)
    estimator = make_estimator(spy, TWIRLING[name], calibration)
    fun = lambda x: estimator.run([(CIRCUIT, OPERATOR, x)]).result()[0].data.evs  # noqa: E731
    check_prices(PrimitiveOracle(fun, [estimator], X0, vectorized=True), spy)


@pytest.mark.parametrize("name", TWIRLING)
def test_samplers(name):
    spy = line_device(SpyingSimulator)
    sampler = make_sampler(spy, TWIRLING[name])
    measured = CIRCUIT.measure_all(inplace=False)

    def fun(x):
        bits = sampler.run([(measured, x)]).result()[0].data.meas
        return bits.expectation_values("ZZZ")

    check_prices(PrimitiveOracle(fun, [sampler], X0, vectorized=True), spy)


def test_shots_that_the_options_have_fixed_are_refused():
    fixed = {"num_randomizations": 4, "shots_per_randomization": 25}
    estimator = make_estimator(line_device(SpyingSimulator), fixed, None)
    fun = lambda x: estimator.run([(CIRCUIT, OPERATOR, x)]).result()[0].data.evs  # noqa: E731
    with pytest.raises(ValueError, match="optimizer cannot change"):
        PrimitiveOracle(fun, [estimator], X0)
