"""Runs in lockstep are the runs of the engine, also where they fail or end early."""

import numpy as np
import pytest

from qiskit_arcmaes import GaussianOracle, get_function
from qiskit_arcmaes.bench.budget_oracle import BudgetOracle
from qiskit_arcmaes.bench.lockstep.drive import RULES, advance
from qiskit_arcmaes.engine.prepare import prepare
from qiskit_arcmaes.oracles import OracleError
from qiskit_arcmaes.settings import Settings

DIM = 4


def start(loss, seed, method="lra", budget=6000, tau=0.3, **options):
    oracle = BudgetOracle(GaussianOracle(loss, tau=tau, seed=100 + seed), budget)
    x0 = np.random.default_rng(seed).uniform(-2, 2, DIM)
    given = {"sigma0": 0.5, "popsize": 12, "shots": 1} | options
    settings = Settings(max_shots=budget, method=method, seed=seed, **given)
    return prepare(oracle, x0, settings), oracle


def batched(loss, seeds, **options):
    runs, oracles = zip(*(start(loss, seed, **options) for seed in seeds), strict=True)
    advance(runs, oracles)
    return [run.finish() for run in runs]


def alone(loss, seed, **options):
    return start(loss, seed, **options)[0].run()


def fails_in_places(x):
    """NaN, infinite or minus infinite where a coordinate is large: these rank last."""
    values = np.sum(x**2, axis=-1)
    values[x[:, 0] > 1.2] = np.nan
    values[x[:, 1] > 1.2] = np.inf
    values[x[:, 2] > 1.2] = -np.inf
    return values


def record_bases(monkeypatch, method):
    """Watch the rule of a method: the eigenvectors of all rows after every update."""
    bases = []

    class Recording(RULES[method]):
        def __call__(self, old, rates, steps, weights):
            new = super().__call__(old, rates, steps, weights)
            bases.append(new.basis.copy())
            return new

    monkeypatch.setitem(RULES, method, Recording)
    return bases


def alone_with_signs(loss, seed, bases, **options):
    """The engine's run, with the signs of its eigenvectors as the lockstep has them.

    An eigenvector may point either way, and rounding decides which; with the other sign the same
    random numbers are other samples of the same distribution. Signs apart, the vectors must agree.
    """
    run, _ = start(loss, seed, **options)
    for basis in bases:
        batch = run.ask()
        run.tell(batch, run.evaluate(batch))
        distribution = run.method.state.distribution
        overlaps = np.sum(distribution.basis * basis[seed], axis=0)
        np.testing.assert_allclose(np.abs(overlaps), 1.0, atol=1e-6)
        distribution.basis *= np.sign(overlaps)
    assert run.ask() is None
    return run.finish()


@pytest.mark.parametrize("method", RULES)
@pytest.mark.parametrize("loss", [get_function("sphere", DIM), fails_in_places])
def test_the_same_run_up_to_rounding_over_hundreds_of_generations(method, loss, monkeypatch):
    bases = record_bases(monkeypatch, method)
    for seed, ours in enumerate(batched(loss, range(4), method=method)):
        single = alone_with_signs(loss, seed, bases, method=method)
        assert ours.nit == single.nit >= 450
        assert (ours.shots, ours.jobs, ours.nfev) == (single.shots, single.jobs, single.nfev)
        assert ours.message == single.message
        found, expected = [*ours.x, ours.fun, ours.fun_std], [*single.x, single.fun, single.fun_std]
        np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-9)


@pytest.mark.filterwarnings("ignore::qiskit_arcmaes.engine.constant_loss.ConstantLossWarning")
@pytest.mark.parametrize("method", RULES)
def test_runs_that_end_early_leave_the_others_alone(method):
    """Without noise runs collapse, each after a number of generations of its own."""

    def loss(x):
        return np.sum((x - 1) ** 2, axis=-1)

    options = {"method": method, "tau": 0.0, "budget": 60_000}
    results = batched(loss, range(4), **options)
    assert len({result.nit for result in results}) > 1
    for seed, result in enumerate(results):
        assert "step size fell below" in result.message
        (single,) = batched(loss, [seed], **options)
        assert np.array_equal(result.x, single.x)
        assert (result.fun, result.shots, result.nit) == (single.fun, single.shots, single.nit)
        reference = alone(loss, seed, **options)
        assert reference.message.partition(";")[0] == result.message.partition(";")[0]
        np.testing.assert_allclose(result.x, reference.x, rtol=1e-12)


def test_answers_are_told_as_a_callback_would():
    run, oracle = start(get_function("sphere", DIM), 3)
    advance([run], [oracle])
    single, reference = start(get_function("sphere", DIM), 3)
    single.callback = lambda nfev, x, fun, std, shots: reference.note(x)
    while (batch := single.ask()) is not None:
        single.tell(batch, single.evaluate(batch))
    ours, theirs = oracle.notes, reference.notes
    assert [shots for shots, _ in ours] == [shots for shots, _ in theirs]
    for (_, point), (_, other) in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(point, other, rtol=1e-6, atol=1e-9)


def test_a_job_that_fails_whole_is_an_error():
    with pytest.raises(OracleError, match="all 12 values of a job"):
        batched(lambda x: np.full(len(x), np.nan), range(2))


@pytest.mark.parametrize("other", [{"popsize": 10}, {"method": "cma"}, {"budget": 5000}])
def test_runs_that_differ_in_kind_are_refused(other):
    loss = get_function("sphere", DIM)
    pairs = [start(loss, 1), start(loss, 2, **other)]
    with pytest.raises(ValueError, match="runs must agree"):
        advance([run for run, _ in pairs], [oracle for _, oracle in pairs])
