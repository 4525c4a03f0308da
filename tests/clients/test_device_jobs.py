"""Jobs on a service: a session that is lost, a queue, limits, batch mode."""

import numpy as np
import pytest
from qiskit import QuantumCircuit
from qiskit.circuit import Parameter
from qiskit.circuit.library import real_amplitudes
from qiskit.quantum_info import SparsePauliOp
from qiskit_algorithms import VQE

from qiskit_arcmaes import ShotEstimator, ShotFrugal, ShotSampler
from qiskit_arcmaes.primitives import JobFailedError

from .service import Estimator, Sampler, Service, Session

ANSATZ = real_amplitudes(2, reps=1)
OPERATOR = SparsePauliOp(["ZZ", "XI"], [1.0, 0.5])
BUDGET = 1500


def wrap(session, **options):
    return ShotEstimator(Estimator(session), retries=1, sleep=lambda _: None, **options)


def run(estimator, **options):
    optimizer = ShotFrugal(BUDGET, primitive=estimator, seed=1, **options)
    vqe = VQE(estimator, ANSATZ, optimizer, initial_point=[0.3] * 4)
    return vqe.compute_minimum_eigenvalue(OPERATOR).optimizer_result


def test_a_lost_session_and_a_new_one_on_the_same_checkpoint(tmp_path):
    service, path = Service(), tmp_path / "run"
    with pytest.raises(JobFailedError, match="the session is closed") as lost:
        run(wrap(Session(service, jobs=6)), checkpoint=path)
    so_far = lost.value.result
    assert len(so_far.history) > 0
    estimator = wrap(Session(service))
    result = run(estimator, checkpoint=path, resume=True)
    assert result.shots == estimator.ledger.shots <= BUDGET
    assert len(result.history) > len(so_far.history)
    np.testing.assert_array_equal(
        result.history["spent"][: len(so_far.history)], so_far.history["spent"]
    )
    assert estimator.ledger.failures >= 2  # the tries that found the session closed


@pytest.mark.parametrize("most", [5, 40])
def test_a_service_that_limits_the_points_of_a_job(most):
    service = Service(most_points=most)
    estimator = wrap(Session(service), max_points_per_job=most)
    result = run(estimator, max_jobs=10)
    assert result.shots == estimator.ledger.shots <= BUDGET
    assert max(points for points, _ in service.jobs) <= most


def test_a_service_that_limits_the_shots_of_a_circuit():
    service = Service(most_shots=300)
    estimator = wrap(Session(service), max_shots_per_circuit=300, shots=1000, gaussian=False)
    check = estimator.seed_check_shots
    values = estimator.run([(ANSATZ, OPERATOR, np.zeros((3, 4)))]).result()[0].data
    assert values.evs.shape == (3,)
    np.testing.assert_allclose(values.evs, 1.0, atol=0.2)
    assert estimator.ledger.shots == 3 * 2 * 1000 + check
    assert max(shots for _, shots in service.jobs) <= 300
    with pytest.raises(JobFailedError, match="1000 shots are too many"):
        wrap(Session(service), shots=1000, gaussian=False).run([(ANSATZ, OPERATOR, np.zeros(4))])


def test_planned_jobs_keep_to_the_shots_of_a_circuit():
    service = Service()
    estimator = wrap(Session(service), max_shots_per_circuit=7, gaussian=False)
    result = run(estimator, max_jobs=4)
    assert result.shots == estimator.ledger.shots <= BUDGET
    seen = [shots for _, shots in service.jobs[2:]]  # the first two look at the seed
    assert max(seen) <= 7


def test_a_sampler_on_such_a_service():
    circuit = QuantumCircuit(1)
    circuit.ry(Parameter("t"), 0)
    circuit.measure_all()
    sampler = ShotSampler(Sampler(Session(Service(most_shots=300))), max_shots_per_circuit=300)
    check = sampler.seed_check_shots
    bits = sampler.run([(circuit, [np.pi])], shots=1000).result()[0].data.meas
    assert bits.get_counts() == {"1": 1000}
    assert sampler.ledger.shots == 1000 + check


@pytest.mark.parametrize("limit", [{"max_jobs": 8}, {"overhead": 10_000}])
def test_a_queue_of_an_hour(limit):
    """Whoever pays an hour per job says how many jobs, or what a circuit costs."""
    service = Service(queue=3600.0)
    result = run(wrap(Session(service)), **limit)
    most = limit.get("max_jobs")
    if most is not None:
        assert result.jobs <= most
        # two look at the seed of an unknown primitive, one at whether the loss is plain
        assert service.now <= (most + 3) * 3600
    else:
        assert result.jobs < run(wrap(Session(Service()))).jobs


def test_batch_mode_queues_once():
    service = Service(queue=3600.0)
    result = run(wrap(Session(service, batch=True)), max_jobs=8)
    assert result.jobs <= 8
    assert service.now == 3600.0


def test_a_loss_of_one_point_queues_once_per_batch():
    service = Service(queue=3600.0)
    estimator = wrap(Session(service))

    def cost(x):
        return float(estimator.run([(ANSATZ, OPERATOR, x)]).result()[0].data.evs)

    result = ShotFrugal(BUDGET, primitive=estimator, max_jobs=5, seed=1).minimize(cost, [0.3] * 4)
    assert result.nfev > 20
    assert len(service.jobs) <= 5 + 3  # the seed is looked at twice, the form of cost once
