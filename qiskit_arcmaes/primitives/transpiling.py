"""Fitting pubs to a backend: transpiled once, layout respected."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from qiskit.circuit import CircuitInstruction, QuantumCircuit
from qiskit.primitives.containers.bindings_array import BindingsArray
from qiskit.primitives.containers.estimator_pub import EstimatorPub
from qiskit.primitives.containers.observables_array import ObservablesArray
from qiskit.primitives.containers.sampler_pub import SamplerPub
from qiskit.transpiler import Target, generate_preset_pass_manager

from qiskit_arcmaes.primitives.bindings import columns
from qiskit_arcmaes.primitives.cache import Cache, fingerprint
from qiskit_arcmaes.primitives.constant_angles import settle_angles
from qiskit_arcmaes.primitives.unrolling import expand_lookalikes, is_settable, unroll_free

_SEED = 7  # the layout search is random: without a seed a resumed run could get another circuit


@dataclass(frozen=True)
class Limits:
    """What a primitive cannot run although its backend can.

    Attributes:
        takes: Whether the primitive runs an instruction as it is meant.
        replace: Replaces all instructions that it does not take by others.
    """

    takes: Callable[[CircuitInstruction], bool]
    replace: Callable[[QuantumCircuit], QuantumCircuit]


AER_BINDS = Limits(is_settable, unroll_free)


class Transpiler:
    """Transpiles circuits for a backend and remembers them.

    Args:
        backend: The backend, or None when circuits may stay as they are.
        pass_manager: What transpiles them, anything with ``run(circuit)``; None takes Qiskit's
            preset for the backend.
        optimization_level: The level of the preset, 0 to 3.
        limits: What the primitive cannot run although its backend can, or None.
    """

    def __init__(
        self,
        backend: Any = None,
        pass_manager: Any = None,
        optimization_level: int = 1,
        limits: Limits | None = None,
    ) -> None:
        self.transpiled: Cache[QuantumCircuit] = Cache()
        self._target: Target | None = getattr(backend, "target", None)
        self._backend = backend
        self._given = pass_manager
        self._level = optimization_level
        self._limits = limits

    @cached_property
    def _pass_manager(self) -> Any:
        """Made when it is needed: the preset loads every plugin of the transpiler."""
        if self._given is not None or self._target is None:
            return self._given
        return generate_preset_pass_manager(
            self._level, backend=self._backend, seed_transpiler=_SEED
        )

    def circuit(self, circuit: QuantumCircuit) -> QuantumCircuit:
        """The circuit as the backend takes it; unchanged when the backend takes it as it is."""
        if self._given is None and self._target is None:
            return circuit
        key = fingerprint(circuit)
        known = self.transpiled.get(key)
        return self.transpiled.add(key, self._fit(circuit)) if known is None else known

    def estimator_pub(self, pub: EstimatorPub, precision: float) -> EstimatorPub:
        """The pub for the backend: observables follow the layout of the circuit."""
        circuit = self.circuit(pub.circuit)
        observables = pub.observables
        if circuit is not pub.circuit and circuit.layout is not None:
            observables = lay_out(observables, circuit)
        return EstimatorPub(circuit, observables, _values(pub, circuit), precision)

    def sampler_pub(self, pub: SamplerPub, shots: int) -> SamplerPub:
        """The pub for the backend: measurements are part of what is laid out."""
        circuit = self.circuit(pub.circuit)
        return SamplerPub(circuit, _values(pub, circuit), shots)

    def _fit(self, circuit: QuantumCircuit) -> QuantumCircuit:
        transpiled = settle_angles(self._transpile(expand_lookalikes(circuit)))
        return transpiled if self._limits is None else self._respect(self._limits, transpiled)

    def _respect(self, limits: Limits, circuit: QuantumCircuit) -> QuantumCircuit:
        """Replace the gates that the primitive cannot run, unless they have noise of their own."""
        foreign = dict.fromkeys(s.name for s in circuit.data if not limits.takes(s))
        if not foreign:
            return circuit
        model = getattr(getattr(self._backend, "options", None), "noise_model", None)
        noisy = [name for name in foreign if model is not None and name in model.noise_instructions]
        replaced = limits.replace(circuit)
        if noisy or not (self._target is None or fits(replaced, self._target)):
            names = ", ".join(map(repr, noisy or foreign))
            raise ValueError(
                f"the circuit contains {names}, which the primitive would not run as it is meant, "
                "and replacing them would change the noise; pass the simulator as backend= to the "
                "shot-controlled primitive instead."
            )
        return replaced

    def _transpile(self, circuit: QuantumCircuit) -> QuantumCircuit:
        if self._target is not None and fits(circuit, self._target):
            return circuit
        transpiled = self._pass_manager.run(circuit)
        if circuit.num_parameters and not transpiled.num_parameters:  # points would fall into one
            plain = generate_preset_pass_manager(0, target=self._target, seed_transpiler=_SEED)
            transpiled = plain.run(circuit)
        return transpiled


def fits(circuit: QuantumCircuit, target: Target) -> bool:
    """Whether a target runs every instruction where the circuit has it."""
    if target.num_qubits is not None and circuit.num_qubits > target.num_qubits:
        return False
    place = {bit: index for index, bit in enumerate(circuit.qubits)}
    return all(
        step.is_directive()
        or target.instruction_supported(step.name, tuple(place[bit] for bit in step.qubits))
        for step in circuit.data
    )


def lay_out(observables: ObservablesArray, circuit: QuantumCircuit) -> ObservablesArray:
    """Move observables to the qubits on which a transpiled circuit ends (Qiskit 2.0 cannot)."""
    places = circuit.layout.final_index_layout(filter_ancillas=True)

    def move(label: str) -> str:
        letters = ["I"] * circuit.num_qubits
        for qubit, letter in enumerate(reversed(label)):
            letters[-1 - places[qubit]] = letter
        return "".join(letters)

    flat = observables.ravel()
    moved = [
        {move(label): value for label, value in flat[index].items()} for index in range(flat.size)
    ]
    return ObservablesArray(moved).reshape(observables.shape)


def _values(pub: EstimatorPub | SamplerPub, circuit: QuantumCircuit) -> BindingsArray:
    """The parameter values that the transpiled circuit still has a use for."""
    if circuit is pub.circuit:
        return pub.parameter_values
    values, parameters = pub.parameter_values, tuple(circuit.parameters)
    if not parameters:
        return BindingsArray(shape=values.shape)
    return BindingsArray({parameters: columns(values, parameters).reshape(*values.shape, -1)})
