"""The oracles: statistics, counting, state."""

import numpy as np
import pytest
from scipy import stats

from qiskit_arcmaes import CallableOracle, GaussianOracle, OracleError, get_function
from qiskit_arcmaes.oracles import as_oracle

SPHERE = get_function("sphere", 3)


def gaussian(**kwargs):
    return GaussianOracle(SPHERE, seed=5, **kwargs)


def plain():
    rng = np.random.default_rng(5)
    return CallableOracle(lambda x: float(x @ x) + rng.normal(), generator=rng)


def batched():
    rng = np.random.default_rng(5)
    return CallableOracle(
        lambda x: np.sum(x**2, axis=1) + rng.normal(size=len(x)), vectorized=True, generator=rng
    )


ORACLES = {
    "gaussian": gaussian,
    "reporting": lambda: gaussian(known_noise=True),
    "relative": lambda: gaussian(relative=True, tau=0.1),
    "callable": plain,
    "batched": batched,
}


@pytest.fixture(params=ORACLES)
def oracle(request):
    return ORACLES[request.param]()


# One conformance suite for all oracles.


def test_evaluate_gives_one_value_for_each_point(oracle):
    estimate = oracle.evaluate(np.ones((4, 3)), 7)
    assert estimate.values.shape == (4,)
    assert np.isfinite(estimate.values).all()
    if estimate.variances is not None:
        assert estimate.variances.shape == (4,)
        assert (estimate.variances >= 0).all()


def test_price_is_never_exceeded(oracle):
    for points, shots in [(1, 1), (3, 2), (4, 7)]:
        allowed, before = oracle.price(points).at(shots), oracle.spent
        oracle.evaluate(np.ones((points, 3)), shots)
        assert points * shots <= oracle.spent - before <= allowed


def test_state_restored_repeats_the_same_noise(oracle):
    points = np.random.default_rng(0).normal(size=(5, 3))
    oracle.evaluate(points, 3)
    state = oracle.state
    first = oracle.evaluate(points, 3).values
    oracle.state = state
    spent = oracle.spent
    np.testing.assert_array_equal(oracle.evaluate(points, 3).values, first)
    assert oracle.spent > spent


def test_noise_is_new_in_every_call(oracle):
    points = np.ones((2, 3))
    assert not np.array_equal(oracle.evaluate(points, 3).values, oracle.evaluate(points, 3).values)


def test_as_oracle_takes_it_as_it_is(oracle):
    assert as_oracle(oracle, np.zeros(3)) is oracle


# The Gaussian oracle.


@pytest.mark.parametrize("shots", [1, 100, 10**9])
def test_gaussian_noise_has_the_stated_deviation(shots):
    """Kolmogorov-Smirnov at level 1e-4: fails with probability 1e-4 per case over seeds."""
    oracle = GaussianOracle(SPHERE, tau=2.0, seed=11)
    values = oracle.evaluate(np.ones((4000, 3)), shots).values
    assert stats.kstest((values - 3) / (2 / np.sqrt(shots)), "norm").pvalue > 1e-4
    assert oracle.spent == 4000 * shots


def test_tau_may_depend_on_the_point_and_multiply_the_value():
    """Variance ratios of 4000 draws; chi-square limits with total failure probability 4e-6."""
    points = np.repeat([[1.0, 0, 0], [3.0, 0, 0]], 4000, axis=0)
    low, high = stats.chi2.ppf([1e-6, 1 - 1e-6], 3999) / 3999
    own = GaussianOracle(SPHERE, tau=lambda x: np.abs(x[:, 0]), seed=1).evaluate(points, 4)
    relative = GaussianOracle(SPHERE, tau=0.5, relative=True, seed=1).evaluate(points, 4)
    for values, expected in ((own.values, [0.25, 2.25]), (relative.values, [1 / 16, 81 / 16])):
        for part, variance in zip(np.split(values, 2), expected, strict=True):
            assert low < part.var(ddof=1) / variance < high


def test_variances_are_reported_only_where_asked():
    assert gaussian().evaluate(np.ones((2, 3)), 5).variances is None
    reported = gaussian(tau=3.0, known_noise=True).evaluate(np.ones((2, 3)), 9).variances
    np.testing.assert_allclose(reported, [1, 1])


# Callables.


def test_callable_variance_comes_from_the_repeats():
    """Mean reported variance over 200 points of 50 repeats: standard error 1.4%, margin 6 of it."""
    rng = np.random.default_rng(3)
    oracle = CallableOracle(
        lambda x: 5.0 + 2 * rng.normal(size=len(x)), vectorized=True, generator=rng
    )
    estimate = oracle.evaluate(np.zeros((200, 2)), 50)
    assert estimate.variances.mean() * 50 == pytest.approx(4.0, rel=6 * np.sqrt(2 / (200 * 49)))
    assert CallableOracle(lambda x: 1.0, vectorized=False).evaluate([[0.0]], 1).variances is None


def test_large_offset_does_not_spoil_the_variance():
    rng = np.random.default_rng(3)
    noisy = CallableOracle(lambda x: 1e9 + rng.normal(size=len(x)), vectorized=True)
    assert 0.5 < noisy.evaluate(np.zeros((100, 2)), 20).variances.mean() * 20 < 2


@pytest.mark.parametrize("dim", [1, 2, 3, 5])
def test_vectorised_callables_are_recognised(dim):
    shapes = []

    def fun(x):
        shapes.append(np.shape(x))
        return np.sum(np.asarray(x) ** 2, axis=-1)

    oracle = CallableOracle(fun)
    oracle.evaluate(np.ones((4, dim)), 2)
    assert oracle.vectorized
    assert shapes[1:] == [(4, dim)] * 2


@pytest.mark.parametrize("dim", [1, 2, 3, 5])
@pytest.mark.parametrize(
    "fun",
    [
        lambda x: sum(x[i] ** 2 for i in range(len(x))),
        lambda x: x[0] ** 2 + x[-1] ** 2,
        lambda x: float(np.sum(x**2)),
        lambda x: float(x @ x),
    ],
)
def test_plain_callables_do_not_pass_for_vectorised(dim, fun):
    for points in (1, dim, 6):
        oracle = CallableOracle(fun)
        oracle.evaluate(np.ones((points, dim)), 1)
        assert oracle.vectorized is False


def test_calls_are_counted_one_by_one():
    calls = []
    oracle = CallableOracle(lambda x: calls.append(1) or float(x @ x))
    oracle.evaluate(np.ones((4, 3)), 5)
    assert oracle.spent == len(calls) == 4 * 5 + 1  # one call to find out


def test_an_error_carries_the_point():
    def fails(x):
        if x[0] > 1:
            raise RuntimeError("too hot")
        return 0.0

    with pytest.raises(OracleError, match=r"too hot.* at x = \[2.0, 0.0\]") as caught:
        CallableOracle(fails, vectorized=False).evaluate([[0.0, 0.0], [2.0, 0.0]], 1)
    np.testing.assert_array_equal(caught.value.point, [2, 0])


def test_wrong_arguments_are_refused():
    with pytest.raises(ValueError, match=r"tau must be a finite number >= 0.*-1"):
        GaussianOracle(SPHERE, tau=-1)
    for shots in (0, 1.5, True):
        with pytest.raises(ValueError, match="shots must be an integer >= 1"):
            gaussian().evaluate(np.ones((1, 3)), shots)
    with pytest.raises(TypeError, match="fun must be callable"):
        as_oracle(3, [0.0])
    with pytest.raises(OracleError, match=r"must return shape \(2,\).*vectorized=False"):
        CallableOracle(lambda x: 1.0, vectorized=True).evaluate(np.ones((2, 3)), 1)

    class Half:
        def evaluate(self, points, shots): ...

    with pytest.raises(TypeError, match="Half has evaluate but is no Oracle; derive it from"):
        as_oracle(Half(), [0.0])
    with pytest.raises(ValueError, match="generator must be given again"):
        CallableOracle(lambda x: 0.0).state = plain().state
