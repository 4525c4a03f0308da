"""Losses of counts that the user writes: what depends on the number of shots is found out."""

import warnings

import numpy as np
import pytest
from qiskit.circuit import Parameter, QuantumCircuit
from qiskit.primitives import StatevectorSampler

from qiskit_arcmaes import OracleError, ShotFrugal, ShotSampler, minimize

BUDGET = 4000
NO_MEAN = "no mean over its shots"


def circuit():
    both = QuantumCircuit(2)
    both.ry(Parameter("a"), 0)
    both.ry(Parameter("b"), 1)
    both.rx(0.8, 1)  # so that counts are noisy at the minimum, 0.15, too
    both.measure_all()
    return both


CIRCUIT = circuit()


def share(sampler, x):
    counts = sampler.run([(CIRCUIT, x)]).result()[0].data.meas.get_counts()
    return sum(bits.count("1") * n for bits, n in counts.items()) / sum(counts.values())


def ones(sampler, x):
    """Numbers of ones, shot by shot."""
    bits = sampler.run([(CIRCUIT, x)]).result()[0].data.meas
    return np.sort(bits.bitcount().ravel())


def fixed(sampler, x):
    return float(ones(sampler, x).sum()) / 1024 + 0.5


def fixed_logarithm(sampler, x):
    return -np.log((1.0 + ones(sampler, x).sum()) / 1024)


def fixed_square(sampler, x):
    return (ones(sampler, x).sum() / 1024) ** 2


def cvar(sampler, x):
    values = ones(sampler, x)
    return float(values[: max(len(values) // 4, 1)].mean())


def rounded_cvar(sampler, x):
    """A share that is rounded up changes with the number of shots, but less and less."""
    values = ones(sampler, x)
    return float(values[: int(np.ceil(0.3 * len(values)))].mean())


def unbiased_variance(sampler, x):
    return float(ones(sampler, x).var(ddof=1))


def mean(sampler, x):
    return share(sampler, x)


@pytest.mark.parametrize("loss", [fixed, fixed_logarithm, fixed_square])
@pytest.mark.parametrize("make", [ShotSampler, lambda seed: ShotSampler(StatevectorSampler())])
def test_counts_divided_by_a_number_of_the_users_are_refused_in_the_first_job(loss, make):
    sampler = make(seed=1)
    with pytest.raises(OracleError, match=r"sum\(counts.values\(\)\)") as refused:
        minimize(lambda x: loss(sampler, x), [1.0, 1.5], max_shots=BUDGET, seed=1)
    assert len(refused.value.result.history) <= 2  # a job may have only zeros
    assert sampler.ledger.shots < BUDGET / 4


def test_shots_that_fun_is_told_may_divide():
    sampler = ShotSampler(seed=1)

    def told(x, shots):
        return float(ones(sampler, x).sum()) / shots

    result = minimize(told, [1.0, 1.5], max_shots=BUDGET, seed=1)
    assert result.shots == sampler.ledger.shots <= BUDGET
    assert result.fun < 0.3


@pytest.mark.parametrize("loss", [cvar, rounded_cvar, unbiased_variance])
def test_what_is_no_mean_is_said_and_gets_more_than_one_shot(loss):
    sampler = ShotSampler(seed=1)
    with pytest.warns(UserWarning, match=NO_MEAN):
        result = minimize(lambda x: loss(sampler, x), [1.0, 1.5], max_shots=BUDGET, seed=1)
    assert result.history["shots"].min() >= 4
    assert result.shots == sampler.ledger.shots <= BUDGET


@pytest.mark.parametrize("vectorized", [False, True])
def test_a_mean_passes_without_a_word(vectorized):
    sampler = ShotSampler(seed=1)

    def several(points):
        bits = sampler.run([(CIRCUIT, points)]).result()[0].data.meas
        return bits.bitcount().mean(axis=-1)

    loss = several if vectorized else (lambda x: mean(sampler, x))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = minimize(loss, [1.0, 1.5], max_shots=BUDGET, seed=1)
    assert result.shots == sampler.ledger.shots <= BUDGET
    assert result.fun < 0.3


def test_a_vectorised_loss_is_looked_at_too():
    sampler = ShotSampler(seed=1)

    def several(points):
        bits = sampler.run([(CIRCUIT, points)]).result()[0].data.meas
        return bits.bitcount().sum(axis=-1) / 1024

    with pytest.raises(OracleError, match="grows with the number of shots"):
        ShotFrugal(BUDGET, primitive=sampler, seed=1).minimize(several, [1.0, 1.5])


@pytest.mark.parametrize(
    ("budget", "options", "least"),
    [
        (100_000, {}, 16),
        (4000, {}, 4),
        (500, {}, 1),
        (100_000, {"min_shots": 2}, 2),
        (100_000, {"shots": 3}, 3),
    ],
)
def test_the_floor_follows_the_budget_and_the_user(budget, options, least):
    sampler = ShotSampler(seed=1)
    jobs = []

    def stop(*_):
        jobs.append(1)
        return len(jobs) == 2

    result = minimize(
        lambda x: mean(sampler, x), [1.0, 1.5], budget, "cma", callback=stop, seed=1, **options
    )
    few_jobs = budget // (1000 * 6)  # so that a thousand generations of six would use the budget
    assert result.history["shots"].min() == max(least, few_jobs if not options else 1)
