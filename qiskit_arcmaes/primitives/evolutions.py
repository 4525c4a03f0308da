"""Evolution gates: exponentials of operators, and the product formulas that devices run."""

from __future__ import annotations

from collections.abc import Iterator

from qiskit.circuit import QuantumCircuit
from qiskit.circuit.library import PauliEvolutionGate
from qiskit.quantum_info import SparsePauliOp


def evolves_by_products(circuit: QuantumCircuit) -> bool:
    """Whether every evolution gate of a circuit is exactly its product formula.

    It is where all terms of the operator commute. Gates inside other gates count too.

    Example:
        >>> def evolve(*terms):
        ...     circuit = QuantumCircuit(2)
        ...     _ = circuit.append(PauliEvolutionGate(SparsePauliOp(terms), 0.3), [0, 1])
        ...     return circuit
        >>> evolves_by_products(evolve("ZZ", "XX")), evolves_by_products(evolve("ZZ", "XI"))
        (True, False)
    """
    return all(_is_product(gate) for gate in _evolutions(circuit))


def _evolutions(circuit: QuantumCircuit) -> Iterator[PauliEvolutionGate]:
    for step in circuit.data:
        if isinstance(step.operation, PauliEvolutionGate):
            yield step.operation
        elif not step.is_standard_gate() and not step.is_control_flow():
            inner = getattr(step.operation, "definition", None)
            yield from () if inner is None else _evolutions(inner)


def _is_product(gate: PauliEvolutionGate) -> bool:
    operator = gate.operator
    if not isinstance(operator, SparsePauliOp):
        return False
    return all(bool(operator.paulis.commutes(pauli).all()) for pauli in operator.paulis)
