"""Problems on a noisy fake device: shots from Aer through the real ``ShotEstimator``.

The energy that is scored is the exact expectation under the device's noise: of gates, relaxation
and readout. Only the noise of the gates that turn a measurement basis, some 1e-4, is left out.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from qiskit import QuantumCircuit, transpile
from qiskit.quantum_info import SparsePauliOp
from qiskit_aer import AerSimulator
from qiskit_aer.noise import NoiseModel

from qiskit_arcmaes.bench.budget_oracle import BudgetOracle
from qiskit_arcmaes.bench.tasks import DEVICE
from qiskit_arcmaes.oracles import Estimate
from qiskit_arcmaes.primitives import PrimitiveOracle, ShotEstimator
from qiskit_arcmaes.problems import Problem, get_problem
from qiskit_arcmaes.problems.data import read_data

Array = NDArray[np.float64]

_LAYOUT_SEED = 1  # of the transpiler: all runs have the same circuit


@cache
def fake_device() -> Any:
    """The device: five qubits in a row, with the calibration that IBM published."""
    from qiskit_ibm_runtime.fake_provider import FakeManilaV2

    return FakeManilaV2()


class FixedNoise(NoiseModel):
    """The part of a noise model that acts on a circuit, converted for Aer once.

    Aer converts the whole model at every call, which takes longer than these circuits do.

    Args:
        model: The noise of the whole device.
        circuit: In the device's gates; gates that it has not are taken as noiseless, but for those
            that turn a measurement basis.
    """

    def __init__(self, model: NoiseModel, circuit: QuantumCircuit) -> None:
        super().__init__(model.basis_gates)
        names = {"measure", "rz", "sx", *(each.operation.name for each in circuit.data)}
        used = {circuit.find_bit(qubit).index for each in circuit.data for qubit in each.qubits}
        known: dict[str, Any] = model.to_dict()
        known["errors"] = [
            error
            for error in known["errors"]
            if names.intersection(error["operations"])
            and all(used.issuperset(qubits) for qubits in error["gate_qubits"])
        ]
        self._known: dict[str, Any] = known

    def is_ideal(self) -> bool:
        """Whether there is no noise."""
        return not self._known["errors"]

    def to_dict(self, serializable: bool = False) -> dict[str, Any]:
        """What Aer reads."""
        return self._known


def simulator(circuit: QuantumCircuit, method: str = "automatic") -> AerSimulator:
    """Aer with the device's noise, on one thread: others only wait in circuits this small.

    Args:
        circuit: In the device's gates, the only one that will run.
        method: Aer's method.
    """
    model = NoiseModel.from_backend(fake_device())
    return AerSimulator.from_backend(
        fake_device(),
        method=method,
        max_parallel_threads=1,
        noise_model=FixedNoise(model, circuit),
    )


class DeviceProblem:
    """A benchmark problem laid out on the device.

    Args:
        name: Name of the problem.

    Attributes:
        problem: The same without noise.
        circuit: Its circuit in the device's gates.
        operator: Its observable on the device's qubits.
        lowest_energy: The lowest energy that was found under the noise.

    Example:
        >>> device = DeviceProblem("h2")
        >>> ideal = device.problem.energy(device.problem.best_parameters)
        >>> bool(device.energy(device.problem.best_parameters)[0] > ideal[0])
        True
    """

    def __init__(self, name: str) -> None:
        self.problem: Problem = get_problem(name)
        self.circuit: QuantumCircuit = transpile(
            self.problem.ansatz,
            fake_device(),
            optimization_level=1,
            seed_transpiler=_LAYOUT_SEED,
        )
        self.operator: SparsePauliOp = self.problem.operator.apply_layout(self.circuit.layout)
        self._simulator = simulator(self.circuit, "density_matrix")
        self._scored = self.circuit.copy()
        self._scored.save_expectation_value(
            with_readout(self.operator), range(self.circuit.num_qubits)
        )

    @property
    def lowest_energy(self) -> float:
        """The lowest energy under the noise; tools/make_device_references.py finds it."""
        return float(read_data(f"device_{self.problem.name}")["lowest_energy"])

    def energy(self, points: ArrayLike) -> Array:
        """Return the exact energies under the noise, shape (n,)."""
        rows = np.atleast_2d(np.asarray(points, dtype=float))
        bound = [self._scored.assign_parameters(row) for row in rows]
        result = self._simulator.run(bound, shots=1).result()
        values = [result.data(index)["expectation_value"] for index in range(len(bound))]
        return np.array(values, dtype=float)

    def oracle(self, x0: ArrayLike, seed: int) -> PrimitiveOracle:
        """The energies from shots, through the estimator that users have."""
        estimator = ShotEstimator(backend=simulator(self.circuit), seed=seed)

        def fun(points: ArrayLike) -> Any:
            return estimator.run([(self.circuit, self.operator, points)]).result()[0].data.evs

        return PrimitiveOracle(fun, [estimator], x0, vectorized=True)


class DeviceAnsatz:
    """What baselines may know of a circuit on the device.

    Args:
        problem: The problem without noise.
        oracle: Its energies from shots.
    """

    def __init__(self, problem: Problem, oracle: PrimitiveOracle) -> None:
        self.single_rotations = problem.single_rotations
        self.coefficient_sum = float(np.abs(problem.operator.coeffs).sum())
        self._oracle = oracle

    def fidelities(self, left: ArrayLike, right: ArrayLike, shots: int) -> Array:
        """No overlaps of states are measured on the device."""
        raise TypeError("fidelities are not measured on a noisy device.")

    def evaluate_each(self, points: ArrayLike, shots: ArrayLike) -> Estimate:
        """One job per shot count."""
        rows, counts = np.atleast_2d(np.asarray(points, dtype=float)), np.asarray(shots)
        values, variances = np.empty((2, len(rows)))
        for count in np.unique(counts).tolist():
            chosen = counts == count
            estimate = self._oracle.evaluate(rows[chosen], count)
            values[chosen] = estimate.values
            variances[chosen] = np.nan if estimate.variances is None else estimate.variances
        return Estimate(values, variances)


def sample_oracle(name: str) -> BudgetOracle:
    """An oracle of a device problem's kind, to ask what it has."""
    device = DeviceProblem(name.removeprefix(DEVICE))
    oracle = device.oracle(np.zeros(device.problem.dim), seed=1)
    return BudgetOracle(oracle, 1, DeviceAnsatz(device.problem, oracle))


def with_readout(operator: SparsePauliOp) -> SparsePauliOp:
    """The observable whose expectation is what noisy readout shows.

    Aer flips the outcome of a qubit with the probability e that the device reports, which scales
    a Pauli on it by 1 - 2e.
    """
    measure = fake_device().target["measure"]
    scales = np.array([1 - 2 * measure[(qubit,)].error for qubit in range(operator.num_qubits)])
    touched = operator.paulis.x | operator.paulis.z
    factors = np.where(touched, scales, 1.0).prod(axis=1)
    return SparsePauliOp(operator.paulis, operator.coeffs * factors)
