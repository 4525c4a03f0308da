"""Observables as lists of Pauli strings on a circuit's qubits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from qiskit import QuantumCircuit
from qiskit.quantum_info import Pauli, SparseObservable, SparsePauliOp

from qiskit_arcmaes.circuits.unknown import Reason, UnreadableError

Term = tuple[str, float, int]
"""A Pauli string (qubit 0 last), its coefficient, and the index of the term it comes from."""

_PROJECTORS = {
    "0": ("Z", 0.5),
    "1": ("Z", -0.5),
    "+": ("X", 0.5),
    "-": ("X", -0.5),
    "r": ("Y", 0.5),
    "l": ("Y", -0.5),
}


def observable_terms(observable: Any, circuit: QuantumCircuit, most: int) -> list[Term]:
    """Write an observable as Pauli strings on the circuit's own qubits.

    Args:
        observable: A SparsePauliOp, SparseObservable, Pauli, label, or mapping of labels to
            coefficients, as the primitives take them (labels of I, X, Y, Z and the projectors 0,
            1, +, -, r, l). With as many qubits as the circuit it acts on the circuit's qubits, as
            in an Estimator's pub; with fewer, and where the circuit has a layout, it is laid out
            as ``apply_layout`` does.
        circuit: The circuit.
        most: Most terms that projectors may be expanded into.

    Raises:
        ValueError: When the number of qubits does not fit, or a coefficient is not real.
        UnreadableError: When there are more terms than ``most``.
    """
    labelled = _labelled(observable)
    if labelled and len(labelled[0][0]) != circuit.num_qubits:
        labelled = _laid_out(labelled, circuit)
    expanded: list[Term] = []
    for origin, (label, coefficient) in enumerate(labelled):
        expanded.extend((*term, origin) for term in _expanded(label, _real(coefficient, label)))
        if len(expanded) > most:
            raise UnreadableError(Reason.TOO_LARGE, f"an observable of more than {most} terms")
    return expanded


def _labelled(observable: Any) -> list[tuple[str, complex]]:
    if isinstance(observable, Mapping):
        return [(str(label), complex(value)) for label, value in observable.items()]
    if isinstance(observable, str):
        return [(observable, 1.0)]
    if isinstance(observable, Pauli):
        observable = SparsePauliOp(observable)
    if isinstance(observable, SparseObservable):
        return [
            (_label(letters, places, observable.num_qubits), complex(value))
            for letters, places, value in observable.to_sparse_list()
        ]
    return [(label, complex(value)) for label, value in observable.to_list()]


def _label(letters: str, places: Sequence[int], num_qubits: int) -> str:
    """A label, qubit 0 last, with some letters at some qubits."""
    label = ["I"] * num_qubits
    for letter, place in zip(letters, places, strict=True):
        label[-1 - place] = letter
    return "".join(label)


def _laid_out(
    labelled: list[tuple[str, complex]], circuit: QuantumCircuit
) -> list[tuple[str, complex]]:
    """Move letters to the qubits where the layout puts them at the end of the circuit."""
    qubits = len(labelled[0][0])
    layout = circuit.layout
    places = None if layout is None else layout.final_index_layout(filter_ancillas=True)
    if places is None or len(places) != qubits:
        raise ValueError(
            f"observable has {qubits} qubits, the circuit {circuit.num_qubits}; "
            "give an observable on the circuit's qubits or on those it had before its layout."
        )
    return [(_label(label[::-1], places, circuit.num_qubits), value) for label, value in labelled]


def _real(coefficient: complex, label: str) -> float:
    if abs(coefficient.imag) > 1e-12 * max(1.0, abs(coefficient.real)):
        raise ValueError(
            f"observable has the coefficient {coefficient} at {label}; "
            "an observable needs real coefficients."
        )
    return coefficient.real


def _expanded(label: str, coefficient: float) -> list[tuple[str, float]]:
    """Replace every projector by (I +- P) / 2."""
    terms = [("", coefficient)]
    for letter in label:
        if letter in _PROJECTORS:
            pauli, half = _PROJECTORS[letter]
            terms = [
                part
                for head, c in terms
                for part in ((head + "I", c / 2), (head + pauli, c * half))
            ]
        else:
            terms = [(head + letter, c) for head, c in terms]
    return terms
