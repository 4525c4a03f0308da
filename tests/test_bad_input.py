"""Every mistake gets one clear sentence, before a shot is spent where that is possible."""

import numpy as np
import pytest

from qiskit_arcmaes import (
    METHODS,
    CallableOracle,
    CheckpointError,
    ConstantLossWarning,
    Estimate,
    GaussianOracle,
    OracleError,
    get_function,
    minimize,
)

SPHERE = get_function("sphere", 3)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"x0": [0.0, np.nan, 0.0]}, r"x0 must be finite, not \[0.0, nan, 0.0\]"),
        ({"x0": [0.0, np.inf, 0.0]}, r"x0 must be finite"),
        ({"x0": [[0.0, 1.0, 0.0]]}, r"x0 must be one-dimensional.*\(1, 3\)"),
        ({"x0": []}, r"x0 must be one-dimensional and not empty"),
        ({"x0": "start"}, r"x0 must be a sequence of real numbers, not 'start'"),
        ({"bounds": [(1, 2)] * 3}, r"x0\[0\] = 0 lies outside its bounds \[1, 2\]"),
        ({"bounds": [(2, 1)] * 3}, r"bounds\[0\] = \(2, 1\): the lower bound must be below"),
        ({"bounds": [(-1, 1)] * 2}, r"bounds must be 3 \(lower, upper\) pairs"),
        (
            {"max_shots": 20},
            r"max_shots = 20 is too small for one iteration of 'frugal'.*at least \d+",
        ),
        ({"max_shots": 0}, r"max_shots must be an integer >= 1, not 0"),
        ({"max_shots": 10.5}, r"max_shots must be an integer >= 1, not 10.5"),
        ({"popsize": 1}, r"popsize must be an integer >= 2, not 1"),
        ({"shots": 0}, r"shots must be an integer >= 1"),
        ({"min_shots": 0}, r"min_shots must be an integer >= 1"),
        ({"sigma0": 0.0}, r"sigma0 must be a finite number > 0, not 0.0"),
        ({"sigma0": np.nan}, r"sigma0 must be a finite number > 0, not nan"),
        ({"overhead": -1}, r"overhead must be a finite number >= 0, not -1"),
        ({"tau": -0.5}, r"tau must be a finite number >= 0"),
        ({"maxiter": 0}, r"maxiter must be an integer >= 1"),
        ({"max_jobs": 1}, r"max_jobs must be an integer >= 2"),
        ({"max_seconds": 0}, r"max_seconds must be a finite number > 0"),
        ({"method": "arr"}, r"method = 'arr' is unknown; take one of 'frugal', 'ar', 'ar-paper'"),
        (
            {"periodic": "yes"},
            r"periodic must be None, a bool or a sequence of 3 booleans",
        ),
    ],
)
def test_wrong_arguments_are_refused_before_the_first_shot(arguments, message):
    oracle = GaussianOracle(SPHERE, seed=1)
    x0 = arguments.pop("x0", np.zeros(3))
    with pytest.raises(ValueError, match=message):
        minimize(oracle, x0, **{"max_shots": 10_000, **arguments})
    assert oracle.spent == 0


@pytest.mark.parametrize("method", METHODS)
def test_the_smallest_budget_named_in_the_error_is_enough(method):
    oracle = GaussianOracle(SPHERE, seed=1)
    with pytest.raises(ValueError, match="give at least") as caught:
        minimize(oracle, np.ones(3), max_shots=3, method=method, shots=2)
    least = int(str(caught.value).split("at least ")[1].split(",")[0])
    assert minimize(oracle, np.ones(3), max_shots=least, method=method, shots=2).shots <= least


def test_not_a_function_is_refused():
    with pytest.raises(TypeError, match="fun must be callable or have an evaluate method, not 3"):
        minimize(3, [0.0], max_shots=1000)


@pytest.mark.parametrize("method", METHODS)
def test_an_oracle_that_always_says_the_same_is_warned_of(method):
    with pytest.warns(ConstantLossWarning, match=r"All \d+ values of a job are 7.0.*Likely"):
        minimize(lambda x: 7.0, np.ones(2), max_shots=1000, method=method, seed=1)


def test_repeated_noise_is_named_as_the_likely_cause():
    def seeded(x):
        return float(x @ x) + np.random.default_rng(42).normal()

    with pytest.warns(ConstantLossWarning, match="integer seed that repeats the noise"):
        minimize(seeded, np.ones(2), max_shots=1000, seed=1)


@pytest.mark.filterwarnings("error")
def test_a_noiseless_loss_that_is_declared_is_not_warned_of():
    minimize(GaussianOracle(SPHERE, tau=0.0), np.ones(3), max_shots=1000, tau=0.0, seed=1)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_failed_values_rank_last_and_are_counted(method, bad):
    rng = np.random.default_rng(3)
    failed = []

    def sometimes(x):
        values = np.sum(x**2, axis=1) + 0.1 * rng.normal(size=len(x))
        broken = rng.random(len(x)) < 0.1
        failed.append(broken.sum())
        return np.where(broken, bad, values)

    oracle = CallableOracle(sometimes, vectorized=True)
    result = minimize(oracle, np.full(3, 2.0), max_shots=6000, method=method, shots=1, seed=1)
    assert result.failures == sum(failed) > 0
    assert np.sum(result.x**2) < 12


def test_all_values_failed_stops_with_an_error():
    with pytest.raises(OracleError, match=r"all \d+ values of a job are NaN or infinite"):
        minimize(lambda x: np.nan, np.ones(2), max_shots=1000, method="cma")


def test_an_oracle_that_raises_saves_the_state_and_names_the_point(tmp_path):
    calls = []

    def breaks(x):
        calls.append(1)
        if len(calls) == 500:
            raise ConnectionError("the backend is gone")
        return float(x @ x) + rng.normal()

    rng = np.random.default_rng(1)
    path = tmp_path / "run"
    arguments = {"max_shots": 2000, "seed": 1, "checkpoint": path}
    with pytest.raises(OracleError, match=r"backend is gone.* at x = ") as caught:
        minimize(CallableOracle(breaks, generator=rng), np.ones(2), **arguments)
    error = caught.value
    assert error.point.shape == (2,)
    assert isinstance(error.__cause__, ConnectionError)
    assert error.result.shots == 499
    assert len(error.result.history) > 5
    resumed = minimize(CallableOracle(breaks, generator=rng), np.ones(2), resume=True, **arguments)
    assert resumed.shots == len(calls) - 1 <= 2000  # the failed call gave no value
    assert np.sum(resumed.x**2) < 2


def test_a_custom_oracles_error_comes_up_with_the_batch():
    class Breaks(GaussianOracle):
        def evaluate(self, points, shots):
            raise TimeoutError("no answer")

    with pytest.raises(OracleError, match=r"TimeoutError\('no answer'\) on a batch of") as caught:
        minimize(Breaks(SPHERE), np.ones(3), max_shots=1000)
    assert isinstance(caught.value.__cause__, TimeoutError)
    assert caught.value.point.shape == (3,)


def test_a_failure_in_the_last_estimate_loses_nothing(tmp_path):
    class LateFailure(GaussianOracle):
        broken = True

        def evaluate(self, points, shots):
            if self.broken and np.all(np.asarray(points) == points[0]):
                raise TimeoutError("gone home")
            return super().evaluate(points, shots)

    oracle = LateFailure(SPHERE, seed=1)
    arguments = {"max_shots": 3000, "method": "cma", "seed": 1, "checkpoint": tmp_path / "run"}
    with pytest.raises(
        OracleError, match=r"last estimate of the recommendation failed.*gone home"
    ) as caught:
        minimize(oracle, np.ones(3), **arguments)
    so_far = caught.value.result
    assert np.sum(so_far.x**2) < 3
    assert np.isnan(so_far.fun)
    oracle = LateFailure(SPHERE, seed=1)
    oracle.broken = False
    resumed = minimize(oracle, np.ones(3), resume=True, **arguments)
    np.testing.assert_array_equal(resumed.x, so_far.x)
    assert np.isfinite(resumed.fun)


def test_wrong_shapes_from_an_oracle_are_named():
    class Wrong(GaussianOracle):
        def evaluate(self, points, shots):
            return Estimate(np.zeros((len(points), 1)))

    with pytest.raises(OracleError, match=r"values of shape \(\d+, 1\) for \d+ points"):
        minimize(Wrong(SPHERE), np.ones(3), max_shots=1000)


def test_checkpoint_errors_are_importable_and_clear(tmp_path):
    (tmp_path / "x").write_text("hello")
    with pytest.raises(CheckpointError, match="give another path"):
        minimize(GaussianOracle(SPHERE), np.ones(3), max_shots=1000, checkpoint=tmp_path / "x")
