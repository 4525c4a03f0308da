"""What is read from the circuits of Qiskit's algorithms, against the Fourier series of the loss."""

from __future__ import annotations

import functools
import logging

import numpy as np
import pytest
from qiskit import QuantumCircuit, generate_preset_pass_manager, transpile
from qiskit.circuit import Parameter
from qiskit.circuit.library import PauliEvolutionGate, efficient_su2, real_amplitudes
from qiskit.primitives import StatevectorEstimator, StatevectorSampler
from qiskit.providers.fake_provider import GenericBackendV2
from qiskit.quantum_info import SparsePauliOp, Statevector
from qiskit_algorithms import QAOA, VQD, VQE, AdaptVQE, SamplingVQE
from qiskit_algorithms.optimizers import OptimizerResult
from qiskit_algorithms.state_fidelities import ComputeUncompute

from qiskit_arcmaes import ShotEstimator, ShotSampler
from qiskit_arcmaes.circuits import ReadingLimits
from qiskit_arcmaes.primitives import PrimitiveOracle
from qiskit_arcmaes.primitives.loss_circuit import LossCircuit, LossLimits, read_loss

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")

A, B = Parameter("a"), Parameter("b")
PAIR = SparsePauliOp(["ZZ", "XX", "ZX", "IY", "XI", "II"], [1.0, 0.5, 0.7, 0.3, 0.4, 0.2])
DIAGONAL = SparsePauliOp(["ZZ", "IZ", "ZI", "II"], [1.0, 0.5, 0.7, 0.3])
CUT = [(0, 1, 1.0), (1, 2, 0.75), (2, 3, 1.25), (3, 0, 1.0), (0, 2, 0.5)]


def cut(weighted):
    return SparsePauliOp.from_sparse_list(
        [("ZZ", [a, b], w if weighted else 1.0) for a, b, w in CUT], 4
    )


def evaluated(fun, point):
    result = OptimizerResult()
    result.x, result.fun, result.nfev = point, float(fun(point)), 1
    return result


class Spy:
    """An optimizer that keeps the oracles of the losses it is given, and makes one step."""

    def __init__(self, *primitives, step=0.0):
        self.primitives = primitives
        self.oracles = []
        self.step = step

    def __call__(self, fun, x0, jac=None, bounds=None):
        before = [primitive.ledger.state for primitive in self.primitives]
        self.oracles.append(PrimitiveOracle(fun, self.primitives, x0))
        assert [primitive.ledger.state for primitive in self.primitives] == before
        return evaluated(fun, np.array(x0) + self.step)

    @property
    def oracle(self):
        (only,) = self.oracles
        return only


def start(size):
    return np.random.default_rng(5).uniform(-2, 2, size)


def vqe_oracle(ansatz, operator=PAIR, estimator=None, **options):
    estimator = estimator or ShotEstimator(seed=1, shots=10)
    spy = Spy(estimator)
    x0 = start(ansatz.num_parameters)
    VQE(estimator, ansatz, spy, initial_point=x0, **options).compute_minimum_eigenvalue(operator)
    return spy.oracle


def qaoa_oracle(operator, reps, **options):
    sampler = ShotSampler(seed=1, shots=10)
    qaoa = QAOA(sampler, spy := Spy(sampler), reps=reps, initial_point=start(2 * reps), **options)
    qaoa.compute_minimum_eigenvalue(operator)
    return spy.oracle, qaoa.ansatz


def values_of(oracle):
    return [spectrum.values for spectrum in oracle.spectra]


def started(qubits=2):
    """A state with no symmetry, so that nothing vanishes by accident."""
    circuit = QuantumCircuit(qubits)
    for qubit in range(qubits):
        circuit.ry(0.4 + 0.3 * qubit, qubit)
        circuit.rz(0.7 - 0.2 * qubit, qubit)
    return circuit


def exact_loss(circuit, operator):
    bare = circuit.remove_final_measurements(inplace=False)
    bare = transpile(bare, basis_gates=["u", "cx"], optimization_level=0)
    return lambda x: Statevector(bare.assign_parameters(x)).expectation_value(operator).real


def found_frequencies(loss, x, index, spectrum):
    """The frequencies of a loss along a coordinate, from a Fourier transform over one period.

    It sees frequencies up to twice the largest; what is no multiple of the spacing would leak.
    """
    count = 4 * round(spectrum.maximum / spectrum.spacing) + 3
    points = np.tile(x, (count, 1))
    points[:, index] += np.arange(count) * spectrum.period / count
    sizes = np.abs(np.fft.rfft([loss(point) for point in points])) / count
    return {round(k * spectrum.spacing, 9) for k in range(1, len(sizes)) if sizes[k] > 1e-10}


def assert_fourier(oracle, loss, x):
    """The frequencies of the loss are those read: none is missing, none is too many."""
    assert len(oracle.spectra) == len(x)
    for index, spectrum in enumerate(oracle.spectra):
        read = {round(value, 9) for value in spectrum.values}
        assert found_frequencies(loss, x, index, spectrum) == read


def test_one_rotation_per_parameter():
    oracle = vqe_oracle(efficient_su2(2, reps=2))
    assert values_of(oracle) == [(1.0,)] * 12
    assert oracle.mean_loss == pytest.approx(0.2)


def controlled():
    circuit = started()
    circuit.cry(A, 0, 1)
    circuit.rx(2 * B, 0)
    return circuit


def sums():
    circuit = started()
    circuit.rx(A + B, 0)
    circuit.cx(0, 1)
    circuit.ry(A / 2, 0)
    return circuit


@pytest.mark.parametrize(
    ("circuit", "wanted"),
    [(controlled(), [(0.5, 1.0), (2.0,)]), (sums(), [(0.5, 1.0, 1.5), (1.0,)])],
)
def test_several_frequencies(circuit, wanted):
    oracle = vqe_oracle(circuit)
    assert values_of(oracle) == wanted
    assert_fourier(oracle, exact_loss(circuit, PAIR), start(2))


def test_adapt_vqe():
    estimator = ShotEstimator(seed=1, shots=10**6)
    spy = Spy(estimator, step=-0.5)
    pool = [SparsePauliOp(["YX", "XY"], [1.0, -1.0]), SparsePauliOp("YI"), SparsePauliOp("XI")]
    vqe = VQE(estimator, QuantumCircuit(2), spy)
    adapt = AdaptVQE(vqe, operators=pool, initial_state=started(), max_iterations=2)
    adapt.compute_minimum_eigenvalue(PAIR)
    assert [len(oracle.spectra) for oracle in spy.oracles] == [1, 2]
    assert_fourier(spy.oracles[-1], exact_loss(vqe.ansatz, PAIR), start(2))


@pytest.mark.parametrize("reps", [1, 2])
@pytest.mark.parametrize("weighted", [False, True])
def test_qaoa(reps, weighted):
    operator = cut(weighted)
    oracle, ansatz = qaoa_oracle(operator, reps)
    assert oracle.mean_loss is None
    betas = oracle.spectra[:reps]
    assert all(value % 2 == 0 for spectrum in betas for value in spectrum.values)
    assert betas[-1].maximum == 4.0  # two qubits of a term, each with rx(2 beta)
    assert_fourier(oracle, exact_loss(ansatz, operator), start(2 * reps))


def test_qaoa_on_a_simulator_of_state_vectors():
    """Its evolutions are exact exponentials, which are the product formulas of these terms."""
    plain, _ = qaoa_oracle(cut(True), 2)
    sampler = ShotSampler(StatevectorSampler(), seed=1, shots=10)
    spy = Spy(sampler)
    QAOA(sampler, spy, reps=2, initial_point=start(4)).compute_minimum_eigenvalue(cut(True))
    assert spy.oracle.spectra == plain.spectra


def test_qaoa_in_the_gates_of_a_backend():
    """The angles of a bound circuit are 2 w gamma there, and constants are among them."""
    operator = cut(True)
    manager = generate_preset_pass_manager(1, basis_gates=["rz", "sx", "x", "cx"])
    plain, _ = qaoa_oracle(operator, 2)
    oracle, ansatz = qaoa_oracle(operator, 2, transpiler=manager)
    assert values_of(oracle) == values_of(plain)
    assert_fourier(oracle, exact_loss(ansatz, operator), start(4))


@pytest.mark.parametrize(
    ("aggregation", "known"),
    [(None, True), (1.0, True), (0.2, False), (lambda pairs: min(v for _, v in pairs), False)],
)
def test_only_the_mean_of_the_bitstrings_has_the_frequencies_of_the_circuit(aggregation, known):
    oracle, _ = qaoa_oracle(cut(False), 1, aggregation=aggregation)
    assert (oracle.spectra is not None) == known


def test_sampling_vqe():
    ansatz = controlled()
    ansatz.ry(A - 3 * B + 1, 1)
    loss = exact_loss(ansatz, DIAGONAL)
    sampler = ShotSampler(seed=1, shots=10)
    spy = Spy(sampler)
    SamplingVQE(sampler, ansatz, spy, initial_point=start(2)).compute_minimum_eigenvalue(DIAGONAL)
    assert_fourier(spy.oracle, loss, start(2))


def test_bound_circuits_of_too_many_parameters():
    ansatz = real_amplitudes(2, reps=100)
    ansatz.assign_parameters([2 * angle for angle in ansatz.parameters], inplace=True)
    sampler = ShotSampler(seed=1, shots=10)
    spy = Spy(sampler)
    SamplingVQE(sampler, ansatz, spy, initial_point=start(202)).compute_minimum_eigenvalue(DIAGONAL)
    assert spy.oracle.spectra is None


def test_uccsd():
    library = pytest.importorskip("qiskit_nature.second_q.circuit.library")
    mappers = pytest.importorskip("qiskit_nature.second_q.mappers")
    mapper = mappers.JordanWignerMapper()
    state = library.HartreeFock(2, (1, 1), mapper)
    ansatz = library.UCCSD(2, (1, 1), mapper, initial_state=state)
    labels = ["IIIZ", "IZII", "IIZZ", "XXYY", "YYXX", "IIII"]
    operator = SparsePauliOp(labels, [0.2, -0.3, 0.1, 0.04, 0.04, -0.8])
    oracle = vqe_oracle(ansatz, operator)
    assert values_of(oracle) == [(2.0,)] * 3
    assert oracle.mean_loss == pytest.approx(-0.9)  # IIZZ is conserved, and -1
    assert_fourier(oracle, exact_loss(ansatz, operator), start(3))


def test_a_circuit_with_a_layout():
    ansatz = efficient_su2(3, reps=1, su2_gates=["ry", "rz", "rx"])
    operator = SparsePauliOp(["ZZI", "IXX", "YIY", "III"], [1.0, 0.5, 0.3, 2.0])
    manager = generate_preset_pass_manager(
        1, backend=GenericBackendV2(5, seed=1), initial_layout=[4, 1, 3], seed_transpiler=1
    )
    plain = vqe_oracle(ansatz, operator)
    oracle = vqe_oracle(ansatz, operator, transpiler=manager)
    assert values_of(oracle) == values_of(plain)
    assert oracle.mean_loss == pytest.approx(plain.mean_loss)


def test_the_second_state_of_vqd_has_penalties():
    estimator, sampler = ShotEstimator(seed=1, shots=10), ShotSampler(seed=1, shots=10)
    ansatz = real_amplitudes(2, reps=1)
    losses = []

    def keep(fun, x0, jac=None, bounds=None):
        losses.append(PrimitiveOracle(fun, [estimator, sampler][: len(losses) + 1], x0))
        return evaluated(fun, np.array(x0))

    vqd = VQD(estimator, ComputeUncompute(sampler), ansatz, keep, k=2, initial_point=start(4))
    vqd.compute_eigenvalues(PAIR)
    assert losses[1].spectra is None
    assert losses[1].mean_loss is None


def test_functions_of_the_user():
    """The circuit of any function is read; what the function returns shows in its evaluation."""
    ansatz, estimator = real_amplitudes(2, reps=1), ShotEstimator(seed=1)
    energy = VQE(estimator, ansatz, None)._get_evaluate_energy(ansatz, PAIR)

    def own(points):
        return estimator.run([(ansatz, PAIR, points)]).result()[0].data.evs

    @functools.wraps(energy)
    def penalised(points):
        return energy(points) + np.sum(points**2, axis=-1)

    wanted = PrimitiveOracle(energy, [estimator], start(4)).spectra
    for loss in (own, penalised):
        assert PrimitiveOracle(loss, [estimator], start(4)).spectra == wanted
    oracle = PrimitiveOracle(penalised, [estimator], start(4), vectorized=True)
    with pytest.warns(UserWarning, match="other values than its estimator delivered"):
        oracle.evaluate(np.tile(start(4), (2, 1)), 10)
    assert oracle.spectra is oracle.mean_loss is oracle.circuit is None


def test_an_angle_that_is_not_linear_is_logged(caplog):
    circuit = started()
    circuit.rx(A * A, 0)
    with caplog.at_level(logging.DEBUG, logger="qiskit_arcmaes"):
        oracle = vqe_oracle(circuit)
    assert oracle.spectra is None
    assert oracle.mean_loss is None
    assert "not linear in the parameters" in caplog.text


def test_a_failure_is_logged_and_leaves_the_loss_unknown(caplog):
    ansatz = real_amplitudes(2, reps=1)
    fun = VQE(None, ansatz, None)._get_evaluate_energy(ansatz, PAIR)

    def fails(points):
        raise ConnectionError("the service is down")

    with caplog.at_level(logging.DEBUG, logger="qiskit_arcmaes"):
        assert read_loss(fun, fails, start(4)) == LossCircuit()
    assert "the service is down" in caplog.text


def test_a_circuit_above_the_limits():
    estimator = ShotEstimator(seed=1)
    ansatz = real_amplitudes(2, reps=1)
    fun = VQE(estimator, ansatz, None)._get_evaluate_energy(ansatz, PAIR)
    oracle = PrimitiveOracle(fun, [estimator], start(4))

    def read_with(rotations):
        limits = LossLimits(reading=ReadingLimits(rotations=rotations))
        return read_loss(fun, lambda x: oracle._dry_run(x, 1)[0].pubs, start(4), limits=limits)

    assert read_with(3) == LossCircuit()
    assert read_with(4).spectra == oracle.spectra


def evolved():
    """Two terms that do not commute: the product formula is not the exponential."""
    circuit = started()
    circuit.append(PauliEvolutionGate(SparsePauliOp(["XX", "ZI"]), A), [0, 1])
    return circuit


def test_an_evolution_is_a_product_formula_or_unknown():
    """The frequencies of exp(-i a (XX + ZI)) are multiples of sqrt(2), its formula's of 2."""
    circuit = evolved()
    oracle = vqe_oracle(circuit)
    assert_fourier(oracle, exact_loss(circuit, PAIR), start(1))
    points = np.linspace(-1, 1, 5)[:, None]
    delivered = oracle.evaluate(points, 10**10).values  # standard deviation below 3e-5
    wanted = [exact_loss(circuit, PAIR)(point) for point in points]
    assert np.allclose(delivered, wanted, atol=3e-4)
    foreign = ShotEstimator(StatevectorEstimator(), seed=1)
    assert vqe_oracle(circuit, estimator=foreign).spectra is None
    assert vqe_oracle(controlled(), estimator=foreign).spectra is not None


class Corrected(ShotEstimator):
    """Changes its results after they were delivered, as a mitigation written by hand does."""

    factor = 1.0

    def run(self, pubs, *, precision=None):
        job = super().run(pubs, precision=precision)
        if not self._recording:
            job.result()[0].data.evs[...] *= self.factor
        return job


@pytest.mark.parametrize("vectorized", [True, False])
def test_values_that_were_not_delivered_are_told_once(vectorized, recwarn):
    estimator = Corrected(seed=1)
    ansatz = real_amplitudes(2, reps=1)
    fun = VQE(estimator, ansatz, None)._get_evaluate_energy(ansatz, PAIR)
    oracle = PrimitiveOracle(fun, [estimator], start(4), vectorized)
    points = np.tile(start(4), (3, 1))
    oracle.evaluate(points, 10)
    assert not recwarn.list
    estimator.factor = 1 + 1e-9
    with pytest.warns(UserWarning, match="other values than its estimator delivered"):
        oracle.evaluate(points, 10)
    assert oracle.spectra is None
    recwarn.clear()
    oracle.evaluate(points, 10)
    assert not recwarn.list
