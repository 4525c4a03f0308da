"""Ctrl-C in every client: the run comes back, and goes on where it stopped."""

import numpy as np
import pytest
from qiskit.circuit.library import real_amplitudes
from qiskit.quantum_info import SparsePauliOp
from qiskit_algorithms import VQE
from scipy.optimize import minimize

from qiskit_arcmaes import ShotEstimator, ShotFrugal, ShotSampler, Stop, scipy_method

OPERATOR = SparsePauliOp(["ZZ", "XI"], [1.0, 0.5])
ANSATZ = real_amplitudes(2, reps=1)
BUDGET = 30_000
LEARNING_BUDGET = 20_000  # for six samples


def scipy_client(primitive, **options):
    def cost(x, estimator):
        return float(estimator.run([(ANSATZ, OPERATOR, x)]).result()[0].data.evs)

    callback = options.pop("callback", None)
    spy = None if callback is None else (lambda xk: callback())
    return minimize(
        cost, [0.3] * 4, args=(primitive,), method=scipy_method("frugal"), callback=spy,
        options={"max_shots": BUDGET, "seed": 1, **options},
    )  # fmt: skip


def algorithms_client(primitive, **options):
    optimizer = ShotFrugal(BUDGET, primitive=primitive, seed=1, **options)
    vqe = VQE(primitive, ANSATZ, optimizer, initial_point=[0.3] * 4)
    return vqe.compute_minimum_eigenvalue(OPERATOR).optimizer_result


def nature_client(primitive, **options):
    pytest.importorskip("qiskit_nature")
    from .test_nature import MAPPER, PROBLEM, GroundStateEigensolver, uccsd

    optimizer = ShotFrugal(BUDGET, primitive=primitive, seed=1, **options)
    vqe = VQE(primitive, uccsd(), optimizer, initial_point=np.zeros(3))
    return GroundStateEigensolver(MAPPER, vqe).solve(PROBLEM).raw_result.optimizer_result


def optimization_client(primitive, **options):
    pytest.importorskip("qiskit_optimization")
    from .test_optimization import OPERATOR as CUT
    from .test_optimization import qaoa

    optimizer = ShotFrugal(BUDGET, primitive=primitive, max_jobs=15, seed=1, **options)
    return qaoa(primitive, optimizer).compute_minimum_eigenvalue(CUT).optimizer_result


def learning_client(primitive, **options):
    pytest.importorskip("qiskit_machine_learning")
    from .test_machine_learning import LABELS, START, X, vqc

    optimizer = ShotFrugal(LEARNING_BUDGET, primitive=primitive, max_jobs=6, seed=1, **options)
    return vqc(primitive, optimizer, initial_point=START).fit(X, LABELS).fit_result


CLIENTS = {
    "scipy": (scipy_client, ShotEstimator),
    "algorithms": (algorithms_client, ShotEstimator),
    "nature": (nature_client, ShotEstimator),
    "optimization": (optimization_client, ShotSampler),
    "machine learning": (learning_client, ShotSampler),
}


@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore:jac is ignored")
def test_interrupted_and_resumed(client, tmp_path):
    run, kind = CLIENTS[client]
    jobs = []

    def interrupt(*_):
        jobs.append(1)
        if len(jobs) == 3:
            raise KeyboardInterrupt

    path = tmp_path / "run"
    stopped = run(kind(seed=1), callback=interrupt, checkpoint=path)
    assert stopped.stop is Stop.INTERRUPTED
    assert not stopped.success
    assert len(stopped.history) == 3
    again = run(kind(seed=99), checkpoint=path, resume=True)
    straight = run(kind(seed=1))
    np.testing.assert_array_equal(again.x, straight.x)
    assert (again.fun, again.shots, again.jobs) == (straight.fun, straight.shots, straight.jobs)
    assert again.shots <= (LEARNING_BUDGET if client == "machine learning" else BUDGET)
