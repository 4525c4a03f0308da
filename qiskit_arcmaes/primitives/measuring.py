"""Reading circuits that measure: which qubit ends up in which classical bit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from qiskit.circuit import QuantumCircuit
from qiskit.primitives import BitArray, DataBin, SamplerPubResult

_RANDOM = ("reset", "initialize")  # may leave a random state behind


@dataclass(frozen=True)
class Readout:
    """A circuit that measures only at its end.

    Attributes:
        unitary: The circuit without its measurements and classical bits.
        basis: Which qubits are measured, qubit 0 first: Z, or I for those that are not.
        registers: For each classical register its name and, for each of its bits, which of the
            measured qubits it holds, or None for a bit that stays 0.
    """

    unitary: QuantumCircuit
    basis: str
    registers: tuple[tuple[str, tuple[int | None, ...]], ...]


def read_measurements(circuit: QuantumCircuit) -> Readout | None:
    """Take the final measurements off a circuit.

    A qubit may be measured more than once as long as nothing happens to it in between: it gives
    the same outcome again.

    Returns:
        The readout, or None when the circuit acts on a qubit after measuring it or on classical
        bits, and so has to be run shot by shot.

    Example:
        >>> circuit = QuantumCircuit(1)
        >>> circuit.measure_all()
        >>> read_measurements(circuit).registers
        (('meas', (0,)),)
    """
    unitary = QuantumCircuit(circuit.qubits)
    holds: dict[object, object] = {}
    measured: set[object] = set()
    for step in circuit.data:
        if step.name == "measure":
            holds[step.clbits[0]] = step.qubits[0]
            measured.add(step.qubits[0])
        elif step.name == "barrier":
            continue
        elif step.clbits or step.name in _RANDOM or not measured.isdisjoint(step.qubits):
            return None
        else:
            unitary.append(step)
    places = [qubit for qubit in circuit.qubits if qubit in measured]
    where = {qubit: place for place, qubit in enumerate(places)}
    registers = tuple(
        (register.name, tuple(where[holds[bit]] if bit in holds else None for bit in register))
        for register in circuit.cregs
    )
    basis = "".join("Z" if qubit in measured else "I" for qubit in circuit.qubits)
    return Readout(unitary, basis, registers)


def pack(outcomes: NDArray[np.integer[Any]], bits: tuple[int | None, ...]) -> BitArray:
    """Pack outcomes into the bits of one register.

    Args:
        outcomes: Integers, shape (..., shots); bit k belongs to the k-th measured qubit.
        bits: For each bit of the register which of the measured qubits it holds, or None.

    Example:
        >>> pack(np.array([0b01, 0b10]), (1, 0)).get_bitstrings()
        ['10', '01']
    """
    width = (len(bits) + 7) // 8
    packed = np.zeros((*outcomes.shape, width), dtype=np.uint8)
    for bit, place in enumerate(bits):
        if place is not None:
            column = packed[..., width - 1 - bit // 8]
            column |= ((outcomes >> place & 1) << bit % 8).astype(np.uint8)
    return BitArray(packed, len(bits))


def join_samples(shape: tuple[int, ...], parts: Sequence[SamplerPubResult]) -> SamplerPubResult:
    """One result from those of parts of a pub's points.

    Args:
        shape: The shape of the pub.
        parts: Results whose points follow each other in the flattened pub.
    """
    if len(parts) == 1 and parts[0].data.shape == shape:
        return parts[0]
    registers = {
        name: BitArray.concatenate(
            [part.data[name].reshape(part.data.size) for part in parts]
        ).reshape(shape)
        for name in parts[0].data
    }
    return SamplerPubResult(DataBin(**registers, shape=shape), metadata=parts[0].metadata)
