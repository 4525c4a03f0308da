"""Which terms of an observable are measured together."""

from __future__ import annotations

from collections import defaultdict

from qiskit.quantum_info import SparsePauliOp

from qiskit_arcmaes.primitives.groups import insert_sorted


def measurement_groups(operator: SparsePauliOp) -> list[SparsePauliOp]:
    """Divide an observable into the qubit-wise commuting groups that the estimator measures.

    Example:
        >>> from qiskit.quantum_info import SparsePauliOp
        >>> operator = SparsePauliOp(["ZZ", "XI", "IZ", "XZ"], [1.0, 3.0, 2.0, 0.5])
        >>> [group.paulis.to_labels() for group in measurement_groups(operator)]
        [['XI', 'IZ', 'XZ'], ['ZZ']]
    """
    terms: dict[str, complex] = defaultdict(complex)
    for label, coefficient in operator.to_list():
        terms[label] += coefficient
    sizes = {label: abs(coefficient) for label, coefficient in terms.items()}
    return [
        SparsePauliOp.from_list([(label, terms[label]) for label in labels])
        for labels in insert_sorted(sizes)
    ]
