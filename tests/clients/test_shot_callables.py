"""``fun(x, shots)`` and ``fun(x, shots=None)``: told their shots, not called so often."""

import numpy as np
import pytest
from qiskit.circuit.library import real_amplitudes
from scipy.optimize import minimize as scipy_minimize

from qiskit_arcmaes import OracleError, ShotEstimator, ShotFrugal, Stop, minimize, scipy_method
from qiskit_arcmaes.oracles import ShotCallableOracle, as_oracle

ANSATZ = real_amplitudes(2, reps=1)


class Device:
    """A quadratic loss with the noise of its shots; keeps what it was asked."""

    def __init__(self):
        self.rng = np.random.default_rng(1)
        self.asked = []

    def positional(self, x, shots):
        self.asked.append((np.shape(x), shots))
        return float(x @ x) + self.rng.normal() / np.sqrt(shots)

    def optional(self, x, shots=None):
        assert shots is not None
        return self.positional(x, shots)

    def keyword(self, x, *, shots=1024):
        return self.positional(x, shots)

    def vectorized(self, x, shots):
        self.asked += [(np.shape(x), shots)] * len(np.atleast_2d(x))  # one point is tried first
        return (x**2).sum(axis=1) + self.rng.normal(size=len(x)) / np.sqrt(shots)


@pytest.mark.parametrize("form", ["positional", "optional", "keyword", "vectorized"])
def test_shots_are_passed_and_counted(form):
    device = Device()
    result = minimize(getattr(device, form), [1.0, 1.0, 1.0], max_shots=20_000, seed=7)
    assert result.shots == sum(shots for _, shots in device.asked) <= 20_000
    assert max(shots for _, shots in device.asked) > 10
    assert result.x @ result.x < 0.1


def test_it_is_not_foreign_to_the_optimizer_classes(recwarn):
    device = Device()
    result = ShotFrugal(max_shots=5000, seed=7).minimize(device.positional, [1.0, 1.0])
    assert result.shots == sum(shots for _, shots in device.asked)
    assert not [w for w in recwarn if "counts calls" in str(w.message)]


def test_through_scipy_with_args():
    device = Device()

    def cost(x, centre, shots):
        return device.positional(x - centre, shots)

    result = scipy_minimize(
        cost,
        [1.0, 1.0],
        args=(0.5,),
        method=scipy_method("frugal"),
        options={"max_shots": 20_000, "seed": 7},
    )
    np.testing.assert_allclose(result.x, 0.5, atol=0.2)
    assert result.shots == sum(shots for _, shots in device.asked)


def test_failures_are_named_and_what_ran_is_counted():
    calls = []

    def fun(x, shots):
        calls.append(shots)
        if len(calls) == 3:
            raise ConnectionError("gone")
        return 0.0

    oracle = ShotCallableOracle(fun, vectorized=False)
    with pytest.raises(OracleError, match="gone"):
        oracle.evaluate(np.zeros((5, 2)), 100)
    assert oracle.spent == 200


@pytest.mark.parametrize("named", [True, False])
def test_on_a_shot_controlled_primitive_the_ledger_counts(named):
    """A user who sets the shots himself: two measurement groups cost twice as much."""
    estimator = ShotEstimator(seed=1)
    observable = ["ZZ", "XI"]

    def fun(x, shots):
        asked.append(shots)
        job = estimator.run([(ANSATZ, [[o] for o in observable], x)], precision=shots**-0.5)
        return float(job.result()[0].data.evs.sum())

    asked = []
    primitive = estimator if named else None
    optimizer = ShotFrugal(max_shots=1000, primitive=primitive, max_jobs=6, seed=1)
    result = optimizer.minimize(fun, [0.3] * 4)
    assert result.shots == estimator.ledger.shots <= 1000
    assert max(asked) > 1


def test_oracle_of_a_shot_callable():
    assert isinstance(as_oracle(lambda x, shots: 0.0, [0.0]), ShotCallableOracle)
    assert not isinstance(as_oracle(lambda x, *shots: 0.0, [0.0]), ShotCallableOracle)


def test_interrupted_and_resumed(tmp_path):
    """As a QNode of PennyLane runs; the noise after Ctrl-C is the device's, and not repeated."""

    def run(most, path):
        device, jobs = Device(), []

        def interrupt(*_):
            jobs.append(1)
            if len(jobs) == most:
                raise KeyboardInterrupt

        result = minimize(
            device.positional, [1.0, 1.0], 3000, seed=7,
            checkpoint=path, resume=True, callback=interrupt,
        )  # fmt: skip
        return result, sum(shots for _, shots in device.asked)

    first, before = run(5, tmp_path / "run")
    assert first.stop is Stop.INTERRUPTED
    again, after = run(None, tmp_path / "run")
    assert again.jobs > first.jobs == 5
    assert again.shots == before + after <= 3000
