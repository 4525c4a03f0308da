"""The same circuit with an angle of its own for every rotation: for shifts gate by gate."""

from __future__ import annotations

from qiskit import QuantumCircuit
from qiskit.circuit import ParameterVector

from qiskit_arcmaes.circuits.angles import linear_angle, quarter_turns
from qiskit_arcmaes.circuits.gates import ROTATION_GATES, Gate, elementary_gates
from qiskit_arcmaes.circuits.unknown import NotKnown, ReadingLimits, UnreadableError


def with_own_angles(
    circuit: QuantumCircuit, limits: ReadingLimits | None = None
) -> QuantumCircuit | NotKnown:
    """Give every rotation of a circuit its own parameter.

    Bound to ``form.angles(x)``, where ``form`` is what ``read`` returns, the circuit prepares what
    the given one prepares at x. The gates are those of the given circuit wherever they are
    Clifford gates or rotations of Qiskit's library, so that a circuit of a backend's own gates
    stays one; others are replaced by their definitions. Barriers and global phases are left out.

    Args:
        circuit: The circuit.
        limits: How large it may be.

    Returns:
        The circuit, its parameters in the order of the form's rotations; or a ``NotKnown``.

    Example:
        >>> from qiskit.circuit import Parameter
        >>> from qiskit_arcmaes.circuits.reader import read
        >>> angle = Parameter("t")
        >>> circuit = QuantumCircuit(2)
        >>> _ = circuit.cry(angle, 0, 1)
        >>> with_own_angles(circuit).num_parameters, read(circuit).angles([0.4])
        (2, array([ 0.2, -0.2]))
    """
    try:
        gates = list(elementary_gates(circuit, limits))
        order = {parameter: index for index, parameter in enumerate(circuit.parameters)}
        free = [_is_rotation(gate, order) for gate in gates]
    except UnreadableError as error:
        return error.answer
    result = QuantumCircuit(circuit.qubits, circuit.clbits, *circuit.qregs, *circuit.cregs)
    angles = iter(ParameterVector("angle", sum(free)))
    for gate, own in zip(gates, free, strict=True):
        _append(result, gate, next(angles) if own else gate.angle)
    return result


def _is_rotation(gate: Gate, order: dict[object, int]) -> bool:
    if gate.name not in ROTATION_GATES:
        return False
    return quarter_turns(linear_angle(gate.angle, order)) is None


def _append(circuit: QuantumCircuit, gate: Gate, angle: object) -> None:
    if gate.name == "measure":
        circuit.measure(gate.qubits[0], gate.clbit)
        return
    method = getattr(circuit, "p" if gate.name == "u1" else gate.name)
    method(*(() if angle is None else (angle,)), *gate.qubits)
