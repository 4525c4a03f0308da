"""``scipy_method`` as ``method=`` of ``scipy.optimize.minimize``: the whole protocol."""

import pickle
from collections import deque
from functools import partial

import numpy as np
import pytest
from scipy.optimize import Bounds, LinearConstraint, OptimizeResult, OptimizeWarning, minimize

import qiskit_arcmaes
from qiskit_arcmaes import (
    METHODS,
    GaussianOracle,
    Result,
    ShotEstimator,
    ShotFrugal,
    Stop,
    get_function,
    scipy_method,
)

START = [1.0, 1.0, 1.0]


def oracle(seed=1):
    return GaussianOracle(get_function("sphere", 3), tau=1.0, seed=seed)


def solve(fun=None, method="frugal", options=None, **arguments):
    options = {"max_shots": 3000, "seed": 7} | (options or {})
    loss = oracle() if fun is None else fun
    return minimize(loss, START, method=scipy_method(method), options=options, **arguments)


@pytest.mark.parametrize("method", METHODS)
def test_every_method_is_the_same_run_as_with_minimize(method):
    result = solve(method=method)
    same = qiskit_arcmaes.minimize(oracle(), START, max_shots=3000, method=method, seed=7)
    assert isinstance(result, OptimizeResult)
    np.testing.assert_array_equal(result.x, same.x)
    assert (result.fun, result.shots, result.algorithm) == (same.fun, same.shots, same.algorithm)
    assert result.success
    assert result.status == 0
    assert result.message == same.message
    assert result.interval() == same.interval()


def test_unknown_method():
    with pytest.raises(ValueError, match="'bfgs'"):
        scipy_method("bfgs")


def test_args_as_a_tuple_and_alone():
    def shifted(x, *centre):
        return float(np.sum((x - centre[0]) ** 2))

    for args in ((0.5,), 0.5):
        result = solve(shifted, args=args, options={"tau": 0.0})
        np.testing.assert_allclose(result.x, 0.5, atol=0.05)


def test_bounds_of_scipy_and_pairs_are_the_same():
    pairs = solve(bounds=[(0.5, 2.0)] * 3)
    new = solve(bounds=Bounds(0.5, [2.0] * 3))
    np.testing.assert_array_equal(new.x, pairs.x)
    assert (new.x >= 0.5).all()


def test_bounds_of_scipy_elsewhere():
    bounds = Bounds([0.5] * 3, [2.0] * 3)
    direct = qiskit_arcmaes.minimize(oracle(), START, max_shots=3000, bounds=bounds, seed=7)
    optimizer = ShotFrugal(max_shots=3000, seed=7).minimize(oracle(), START, bounds=bounds)
    np.testing.assert_array_equal(direct.x, optimizer.x)
    assert (direct.x >= 0.5).all()
    with pytest.raises(ValueError, match="bounds must be 3"):
        solve(bounds=Bounds([0.0] * 2, [2.0] * 2))


@pytest.mark.parametrize(
    "constraints", [LinearConstraint(np.eye(3)), {"type": "eq", "fun": sum}, [{"type": "eq"}]]
)
def test_constraints_are_refused(constraints):
    with pytest.raises(ValueError, match=r"constraints are not supported.*bounds"):
        solve(constraints=constraints)


def test_empty_constraints_are_none():
    assert solve(constraints=[]).success


def test_callback_of_a_point():
    seen = []
    result = solve(callback=lambda xk: seen.append(xk))
    assert len(seen) == len(result.history)
    assert seen[-1].shape == (3,)


def test_callback_of_an_intermediate_result():
    seen = []

    def callback(intermediate_result):
        seen.append(intermediate_result)

    result = solve(callback=callback)
    assert [each.shots for each in seen] == result.history["spent"].astype(int).tolist()
    assert seen[-1].fun == result.history["value"][-1]


class Watcher:
    """A callable object and two bound methods, in scipy's two forms."""

    def __init__(self):
        self.seen = []

    def __call__(self, intermediate_result):
        self.seen.append(intermediate_result.x)

    def point(self, xk):
        self.seen.append(xk)

    def whole(self, *, intermediate_result):
        self(intermediate_result)


def append_whole(seen, intermediate_result):
    seen.append(intermediate_result.x)


def callbacks_of_every_kind():
    """Pairs of a callback and where it puts the points; deque.append has no signature."""
    watchers = [Watcher() for _ in range(3)]
    yield "object", watchers[0], watchers[0].seen
    yield "method of a point", watchers[1].point, watchers[1].seen
    yield "method of a result", watchers[2].whole, watchers[2].seen
    seen = []
    yield "partial", partial(append_whole, seen), seen
    points = deque()
    yield "builtin without a signature", points.append, points
    points = deque()
    yield "partial of such a builtin", partial(points.append), points


@pytest.mark.parametrize(("kind", "callback", "seen"), list(callbacks_of_every_kind()))
def test_callbacks_of_every_kind(kind, callback, seen):
    result = solve(callback=callback)
    assert len(seen) == len(result.history), kind
    assert all(np.shape(x) == (3,) for x in seen), kind


@pytest.mark.parametrize("how", ["raise", "return"])
def test_callback_stops(how):
    def callback(xk):
        if how == "raise":
            raise StopIteration
        return True

    result = solve(callback=callback)
    assert result.stop is Stop.CALLBACK
    assert len(result.history) == 1


def test_what_has_no_meaning_is_said():
    with pytest.warns(OptimizeWarning, match=r"tol = 0.01 is ignored.*max_shots"):
        solve(tol=0.01)
    with pytest.warns(OptimizeWarning, match="jac is ignored"):
        solve(jac=lambda x: x)
    with pytest.warns(OptimizeWarning, match="hess is ignored"):
        solve(hess=lambda x: x)


def test_a_loss_that_returns_its_gradient_too_is_refused():
    """scipy would remember its last value: a second look at a point would be none."""
    with pytest.raises(TypeError, match=r"jac = True.*return the loss alone"):
        solve(lambda x: (float(x @ x), 2 * x), jac=True)


def test_options():
    assert solve(options={"max_jobs": 5}).stop is Stop.JOBS
    with pytest.raises(TypeError, match="options must have max_shots"):
        minimize(oracle(), START, method=scipy_method("ar"))
    with pytest.raises(TypeError, match=r"'rhobeg', which is no option"):
        solve(options={"rhobeg": 1.0})
    with pytest.raises(TypeError, match="did you mean 'max_jobs'"):
        solve(options={"max_job": 3})
    with pytest.raises(ValueError, match="max_shots must be an integer"):
        solve(options={"max_shots": 0.5})


def test_disp_prints_the_result(capsys):
    solve(options={"disp": True})
    assert "The shot budget is used" in capsys.readouterr().out


def test_a_bare_primitive_is_refused():
    """Its shots could not be set, and the budget would be broken a thousandfold."""
    from qiskit.primitives import StatevectorEstimator, StatevectorSampler

    for bare, wanted in (
        (StatevectorEstimator(), "ShotEstimator"),
        (StatevectorSampler(), "ShotSampler"),
    ):
        with pytest.raises(TypeError, match=rf"args\[1\] is a Statevector.*{wanted}\(...\)"):
            solve(lambda x, *_: 0.0, args=("ansatz", bare))
    assert solve(lambda x, *_: float(x @ x), args=(ShotEstimator(),), options={"tau": 0.0}).success


def test_a_method_can_be_sent_to_another_process():
    again = pickle.loads(pickle.dumps(scipy_method("ar")))
    assert minimize(oracle(), START, method=again, options={"max_shots": 2000}).shots <= 2000


def test_results_can_be_read_as_items():
    for result in (
        qiskit_arcmaes.minimize(oracle(), START, max_shots=2000, seed=1),
        ShotFrugal(max_shots=2000, seed=1).minimize(oracle(), START),
        solve(),
    ):
        assert result["fun"] == result.fun
        assert set(result.keys()) >= {"x", "fun", "success", "status", "message", "nfev", "nit"}
        assert dict(result)["shots"] == result.shots
        assert "x" in result
        assert result.get("nothing") is None
        with pytest.raises(KeyError):
            result["nothing"]
    assert isinstance(result._result(), Result)
