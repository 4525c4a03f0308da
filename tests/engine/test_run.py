"""One run, job by job: what is asked, charged, told and undone."""

import numpy as np
import pytest

from qiskit_arcmaes import (
    METHODS,
    GaussianOracle,
    OracleError,
    Settings,
    Stop,
    get_function,
    minimize,
)
from qiskit_arcmaes.engine.prepare import prepare

SPHERE = get_function("sphere", 3)


def make(method="cma", oracle=None, **arguments):
    settings = Settings(**{"max_shots": 3000, "method": method, "seed": 1, **arguments})
    return prepare(oracle or GaussianOracle(SPHERE, seed=1), np.ones(3), settings)


@pytest.mark.parametrize("method", METHODS)
def test_steps_are_the_run(method):
    whole = make(method).run()
    steps = make(method)
    while (batch := steps.ask()) is not None:
        steps.tell(batch, steps.evaluate(batch))
    result = steps.finish()
    np.testing.assert_array_equal(result.x, whole.x)
    assert (result.fun, result.shots, result.jobs) == (whole.fun, whole.shots, whole.jobs)
    assert result.stop is whole.stop


def test_a_run_left_in_the_middle_ends_from_outside():
    run = make()
    batch = run.ask()
    run.tell(batch, run.evaluate(batch))
    result = run.finish()
    assert result.stop is Stop.STEPWISE
    assert result.success
    assert np.isfinite(result.fun)


class FailsOnce(GaussianOracle):
    failed = False

    def evaluate(self, points, shots):
        if self.spent > 300 and not self.failed:
            self.failed = True
            raise ConnectionError("try again")
        return super().evaluate(points, shots)


@pytest.mark.parametrize("method", METHODS)
def test_after_a_failure_the_same_batch_is_asked_again(method):
    """A job that failed before its first shot changes nothing, not even the count of jobs."""
    whole = make(method).run()
    run = make(method, FailsOnce(SPHERE, seed=1))
    with pytest.raises(OracleError, match="try again"):
        run.run()
    result = run.run()
    np.testing.assert_array_equal(result.x, whole.x)
    assert (result.fun, result.shots, result.jobs) == (whole.fun, whole.shots, whole.jobs)


def test_a_job_that_the_budget_does_not_pay_is_not_asked():
    run = make(max_shots=100, shots=2)
    spent = []
    while (batch := run.ask()) is not None:
        run.tell(batch, run.evaluate(batch))
        spent.append(run.ledger.spent)
    price = len(batch_of(run).points) * 2
    assert run.stop is Stop.BUDGET
    assert spent[-1] + price + run.reserve > 100
    assert spent[-1] + run.reserve <= 100


def batch_of(run):
    return run.method.ask()


def test_an_oracle_that_served_before_is_charged_from_where_it_stands():
    oracle = GaussianOracle(SPHERE, seed=1)
    oracle.evaluate(np.ones((10, 3)), 100)
    result = minimize(oracle, np.ones(3), max_shots=2000, method="cma", seed=1)
    assert result.shots == oracle.spent - 1000 <= 2000
    again = minimize(oracle, np.ones(3), max_shots=2000, method="cma", seed=1)
    assert again.shots <= 2000


@pytest.mark.parametrize("vectorized", [True, False, None])
def test_a_loss_that_edits_its_argument_harms_nobody(vectorized):
    """With ``x -= 0.5`` the points once moved under the method's feet."""

    def edits(x):
        x -= 0.5
        return np.sum(x**2, axis=-1)

    def leaves(x):
        return np.sum((x - 0.5) ** 2, axis=-1)

    if vectorized is False:
        edits, leaves = (lambda x, f=f: float(f(x)) for f in (edits, leaves))
    found = []
    for loss in (edits, leaves):
        found.append(
            minimize(loss, np.ones(3), max_shots=2000, seed=1, tau=0.0, vectorized=vectorized)
        )
    np.testing.assert_array_equal(found[0].x, found[1].x)
    assert found[0].fun == found[1].fun == pytest.approx(leaves(found[0].x), abs=1e-12)
    np.testing.assert_allclose(found[0].x, 0.5, atol=0.05)


@pytest.mark.parametrize("method", METHODS)
def test_an_oracle_that_edits_its_points_harms_nobody(method):
    class Edits(GaussianOracle):
        def evaluate(self, points, shots):
            estimate = super().evaluate(points, shots)
            points[:] = 1e6
            return estimate

    plain = minimize(GaussianOracle(SPHERE, seed=1), np.ones(3), max_shots=2000, method=method,
                     seed=1)  # fmt: skip
    edited = minimize(Edits(SPHERE, seed=1), np.ones(3), max_shots=2000, method=method, seed=1)
    np.testing.assert_array_equal(plain.x, edited.x)


@pytest.mark.parametrize("yes", [True, np.True_, np.bool_(True)])
def test_true_stops_the_run_and_what_is_merely_true_does_not(yes):
    assert make(callback=lambda *_: yes).run().nit == 1
    for other in (1, "stop", np.array([1.0]), np.False_, None):
        assert make(callback=lambda *_, other=other: other, maxiter=4).run().nit == 4


def test_an_error_in_a_callback_comes_up_as_it_is(tmp_path):
    def breaks(*_):
        raise ZeroDivisionError("in the callback")

    with pytest.raises(ZeroDivisionError, match="in the callback"):
        make(callback=breaks).run()


@pytest.mark.parametrize("method", METHODS)
def test_a_region_without_values_is_survived(method):
    """The loss is NaN beyond a plane, and every population has points there."""
    rng = np.random.default_rng(1)

    def fun(x):
        values = np.sum((x + 0.2) ** 2, axis=1) + 0.1 * rng.normal(size=len(x))
        return np.where(x[:, 0] < 0.0, np.nan, values)

    arguments = {"method": method, "seed": 1, "vectorized": True, "sigma0": 0.5}
    try:
        result = minimize(fun, np.ones(3), max_shots=4000, **arguments)
    except OracleError as error:  # the recommendation itself may lie there
        result = error.result
    assert result.shots <= 4000
    assert np.isfinite(result.x).all()
    assert result.failures > 0


def test_a_run_that_reached_maxiter_goes_on_within_the_budget(tmp_path):
    """The last estimate of the first part is paid for, and counted in the second."""
    path = tmp_path / "run"
    first = make(checkpoint=path, maxiter=5).run()
    assert first.stop is Stop.ITERATIONS
    oracle = GaussianOracle(SPHERE, seed=1)
    second = make(oracle=oracle, checkpoint=path, resume=True).run()
    assert second.stop is Stop.BUDGET
    assert first.shots < second.shots == oracle.spent <= 3000
    for name in first.history.columns:
        np.testing.assert_array_equal(
            second.history[: len(first.history)][name], first.history[name]
        )
    spent = np.diff(second.history["spent"], prepend=0)
    jobs = second.history["points"] * second.history["shots"]
    assert sum(spent - jobs) == first.shots - first.history["spent"][-1]


def test_seconds_of_earlier_sessions_count(tmp_path):
    path = tmp_path / "run"
    first = make(checkpoint=path, maxiter=3).run()
    second = make(checkpoint=path, resume=True).run()
    assert second.seconds > first.seconds > 0
