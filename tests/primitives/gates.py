"""Parameterised gates and circuits, and the states that Qiskit computes for them."""

from __future__ import annotations

from functools import cache

import numpy as np
from qiskit import transpile
from qiskit.circuit import (
    AnnotatedOperation,
    ControlledGate,
    ControlModifier,
    Gate,
    Instruction,
    InverseModifier,
    Parameter,
    QuantumCircuit,
)
from qiskit.circuit.library import (
    MCMTGate,
    MCPhaseGate,
    PauliEvolutionGate,
    PhaseGate,
    RGate,
    RXGate,
    RXXGate,
    RYGate,
    RZGate,
    UGate,
    XXPlusYYGate,
    get_standard_gate_name_mapping,
)
from qiskit.quantum_info import Operator, SparsePauliOp, Statevector

_STANDARD = get_standard_gate_name_mapping()


def standard_gates():
    """Name -> (constructor, number of parameters), for every control state."""
    for name, gate in _STANDARD.items():
        count = len(gate.params)
        if not isinstance(gate, Gate) or not count:
            continue
        yield name, (gate.base_class, count)
        if isinstance(gate, ControlledGate):
            for state in range(2**gate.num_ctrl_qubits - 1):
                yield f"{name}, control state {state}", (_open(gate.base_class, state), count)
        for controls, state in ((1, 1), (1, 0), (2, 2)):
            yield (
                f"{name}, {controls} more controls in state {state}",
                (_controlled(gate.base_class, controls, state), count),
            )


def _open(make, state):
    return lambda *angles: make(*angles, ctrl_state=state)


def _controlled(make, controls, state):
    return lambda *angles: make(*angles).control(controls, ctrl_state=state)


def _evolution(operator, controls=0):
    def make(time):
        gate = PauliEvolutionGate(operator, time)
        return gate.control(controls) if controls else gate

    return make


def excitation():
    """A double excitation as UCCSD has it: eight commuting strings, one angle."""
    strings = ["XXXY", "XXYX", "XYXX", "YXXX", "YYYX", "YYXY", "YXYY", "XYYY"]
    signs = [1, 1, -1, -1, -1, -1, 1, 1]
    return SparsePauliOp(strings, np.array(signs) / 8)


COMPOSED = {
    "mcphase of 3": (lambda a: MCPhaseGate(a, 3), 1),
    "mcphase of 3, open": (lambda a: PhaseGate(a).control(3, ctrl_state=5), 1),
    "mcmt of ry": (lambda a: MCMTGate(RYGate(a), 2, 1), 1),
    "crx of 3": (lambda a: RXGate(a).control(3), 1),
    "crz of 3": (lambda a: RZGate(a).control(3, ctrl_state=2), 1),
    "cr of 2": (lambda a, b: RGate(a, b).control(2), 2),
    "cu of 2": (lambda a, b, c: UGate(a, b, c).control(2, ctrl_state=1), 3),
    "annotated control": (
        lambda a: AnnotatedOperation(RXXGate(a), [ControlModifier(1, 0), InverseModifier()]),
        1,
    ),
    "evolution": (_evolution(SparsePauliOp(["XX", "ZI", "IY"], [1.0, 0.5, 0.7])), 1),
    "evolution of parts": (_evolution([SparsePauliOp("XX"), SparsePauliOp("ZI")]), 1),
    "controlled evolution": (_evolution(SparsePauliOp(["XX", "ZI"]), 1), 1),
    "double excitation": (_evolution(excitation()), 1),
}
GATES = dict(standard_gates()) | COMPOSED


def surrounded(gate):
    """The gate between fixed rotations that leave no amplitude and no phase alone."""
    rng = np.random.default_rng(gate.num_qubits)
    circuit = QuantumCircuit(max(1, gate.num_qubits))
    _turn_all(circuit, rng)
    circuit.append(gate, range(gate.num_qubits))
    _turn_all(circuit, rng)
    return circuit


def _turn_all(circuit, rng):
    for qubit in range(circuit.num_qubits):
        circuit.u(*rng.uniform(0.3, 2.8, 3), qubit)


def family(name):
    """Circuits of up to four qubits with the features that break simulators."""
    a, b = Parameter("a"), Parameter("b")
    circuit = QuantumCircuit(4)
    circuit.ry(0.9, range(4))
    if name == "controlled":
        circuit.cry(a, 0, 1)
        circuit.crx(b, 1, 2)
        circuit.crz(a, 2, 3)
        circuit.cp(b, 3, 0)
        circuit.cu(a, b, 0.3, 0.2, 0, 2)
    elif name == "open":
        circuit.cry(a, 0, 1, ctrl_state=0)
        circuit.cp(b, 1, 2, ctrl_state=0)
        circuit.append(PhaseGate(a).control(3, ctrl_state=2), range(4))
    elif name == "multi-controlled":
        circuit.mcp(a, [0, 1], 2)
        circuit.append(RYGate(b).control(2), [1, 2, 3])
        circuit.append(RZGate(a).control(2), [1, 0, 3])
    elif name == "evolution":
        circuit.append(PauliEvolutionGate(excitation(), a), range(4))
        circuit.append(PauliEvolutionGate(SparsePauliOp(["XX", "ZZ", "YY"]), b), [1, 3])
        circuit.append(XXPlusYYGate(a, b), [0, 2])
    elif name == "expressions":
        circuit.rx(2 * a + b, 0)
        circuit.cry(a * b - 0.3, 0, 1)
        circuit.cp((a + b).sin(), 1, 3)
        circuit.global_phase = a - b
    elif name == "nested":
        inner = QuantumCircuit(2, name="h", global_phase=a)  # named as a gate that it is not
        inner.cry(b, 1, 0)
        inner.rzz(a, 0, 1)
        middle = QuantumCircuit(3)
        middle.append(inner.to_gate(), [2, 0])
        middle.append(inner.to_gate().control(1), [0, 1, 2])
        circuit.append(middle.to_instruction(), [3, 1, 0])
        circuit.barrier()
        circuit.append(middle.to_gate(), [0, 1, 2])
    else:
        raise ValueError(name)
    circuit.barrier()
    circuit.ry(0.4, range(4))
    return circuit


FAMILIES = ("controlled", "open", "multi-controlled", "evolution", "expressions", "nested")
POINT = np.array([1.1, 2.3])


def unfolded(circuit):
    """With every evolution replaced by the product formula that runs on a device."""
    while folded := [step.name for step in circuit.data if _is_folded(step)]:
        circuit = circuit.decompose(folded)
    return circuit


def _is_folded(step):
    return step.name == "PauliEvolution" or type(step.operation) in (Gate, Instruction)


def state_of(circuit, point):
    """The state by Qiskit's own simulator."""
    bound = circuit.assign_parameters(dict(zip(circuit.parameters, point, strict=True)))
    return Statevector(unfolded(bound))


@cache
def echo(name):
    """A family and then its inverse at POINT, out of fixed gates: ends in |0...0> there.

    Made once for all engines; they are given copies.
    """
    circuit, point = family(name), POINT
    bound = circuit.assign_parameters(dict(zip(circuit.parameters, point, strict=True)))
    inverse = QuantumCircuit(circuit.num_qubits)
    inverse.unitary(Operator(unfolded(bound)).adjoint(), inverse.qubits)
    return circuit.compose(transpile(inverse, basis_gates=["rz", "sx", "cx"], seed_transpiler=1))
