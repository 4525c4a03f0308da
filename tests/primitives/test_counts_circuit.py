"""The circuit behind a loss of counts: its frequencies are read where the loss is a mean."""

import numpy as np
import pytest
from qiskit import QuantumCircuit
from qiskit.circuit.library import qaoa_ansatz, real_amplitudes
from qiskit.quantum_info import SparsePauliOp

from qiskit_arcmaes import ShotSampler
from qiskit_arcmaes.primitives import PrimitiveOracle

EDGES = [(0, 1), (1, 2), (2, 0), (2, 3)]
CUT = SparsePauliOp.from_sparse_list([("ZZ", [i, j], 1.0) for i, j in EDGES], 4)
X0 = np.array([0.3, 0.4])


def circuit(ansatz=None):
    whole = qaoa_ansatz(CUT, reps=1) if ansatz is None else ansatz
    whole.measure_all()
    return whole


def energy(bits):
    return sum(1 if bits[-1 - i] == bits[-1 - j] else -1 for i, j in EDGES)


def mean(counts):
    return sum(n * energy(bits) for bits, n in counts.items()) / sum(counts.values())


def cvar(counts):
    lowest = np.sort(np.repeat([energy(bits) for bits in counts], list(counts.values())))
    return lowest[: max(1, len(lowest) // 4)].mean()


def logarithm(counts):
    return -np.log(counts.get("0000", 0.5) / sum(counts.values()))


def by_a_number_of_its_own(counts):
    return sum(n * energy(bits) for bits, n in counts.items()) / 1024


def only_known_strings(counts):
    return {"0101": 1.0, "1010": 2.0}[next(iter(counts))]


def oracle_of(value, whole=None, x0=X0, sampler=None):
    sampler = ShotSampler(seed=1) if sampler is None else sampler
    whole = circuit() if whole is None else whole

    def loss(x):
        return value(sampler.run([(whole, x)]).result()[0].data.meas.get_counts())

    return PrimitiveOracle(loss, [sampler], x0, vectorized=False), sampler


def test_a_mean_is_an_expectation_value():
    """Of a triangle with a tail: in beta 4 for two edges, 8 for four qubits of any operator."""
    oracle, sampler = oracle_of(mean)
    beta, gamma = oracle.spectra
    assert beta.values == (4.0, 8.0)
    assert set(gamma.values) <= {2.0, 4.0, 6.0, 8.0}
    assert sampler.ledger.shots == 0


@pytest.mark.parametrize("value", [cvar, logarithm, by_a_number_of_its_own, only_known_strings])
def test_nothing_is_read_of_other_losses(value):
    oracle, sampler = oracle_of(value)
    assert oracle.spectra is None
    assert sampler.ledger.shots == 0


def test_a_loss_that_remembers_its_last_value_tells_nothing():
    kept = []

    def remembering(counts):
        kept.append(mean(counts))
        return kept[0]

    assert oracle_of(remembering)[0].spectra is None


def test_the_sampler_is_as_it_was():
    sampler = ShotSampler(seed=1, shots=77)
    state = repr(sampler.state)
    oracle_of(mean, sampler=sampler)
    assert sampler.shots == 77
    assert repr(sampler.state) == state


def test_only_some_qubits_are_measured():
    """What is not measured has no part in the loss: its angles do not count."""
    whole = QuantumCircuit(2, 1)
    whole.compose(real_amplitudes(2, reps=0), inplace=True)
    whole.measure(1, 0)
    sampler = ShotSampler(seed=1)

    def loss(x):
        return sampler.run([(whole, x)]).result()[0].data.c.get_counts().get("1", 0) / sampler.shots

    oracle = PrimitiveOracle(loss, [sampler], X0, vectorized=False)
    assert oracle.spectra[0].values == ()
    assert oracle.spectra[1].values == (1.0,)


@pytest.mark.parametrize("qubits", [8, 9])
def test_many_measured_qubits_are_left_alone(qubits):
    whole = circuit(real_amplitudes(qubits, reps=0))

    def ones(counts):
        return sum(n * bits.count("1") for bits, n in counts.items()) / sum(counts.values())

    oracle, _ = oracle_of(ones, whole, np.ones(qubits))
    assert (oracle.spectra is None) == (qubits > 8)
