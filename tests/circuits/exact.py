"""Exact values, by two ways that share no code with each other."""

from dataclasses import replace

import numpy as np
from qiskit import transpile
from qiskit.quantum_info import SparseObservable, SparsePauliOp, Statevector
from scipy.sparse import csr_array

from qiskit_arcmaes.circuits.observables import observable_terms


def by_statevector(circuit, observable, points):
    """Each term of an observable, times its coefficient, at each point: shape (n, terms).

    The circuit is transpiled first: Statevector takes an evolution gate as the exact exponential,
    a device gets the product formula.
    """
    operators = [
        SparsePauliOp.from_sparse_observable(SparseObservable.from_list([(label, c)]))
        for label, c in labelled(observable)
    ]
    bare = circuit.remove_final_measurements(inplace=False)
    bare = transpile(bare, basis_gates=["u", "cx", "reset"], optimization_level=0)
    rows = []
    for point in np.atleast_2d(points):
        state = Statevector(bare.assign_parameters(point))
        rows.append([state.expectation_value(operator).real for operator in operators])
    return np.array(rows)


def labelled(observable):
    return observable.to_list() if isinstance(observable, SparsePauliOp) else observable.items()


def by_form(form, points):
    """The same of a rotation form: rotations applied one by one to the state 0...0."""
    angles = form.angles(np.atleast_2d(points)) * form.signs
    states = np.zeros((len(angles), 2**form.num_qubits), dtype=complex)
    states[:, 0] = 1
    for k in range(form.num_rotations):
        half = angles[:, k, None] / 2
        turned = apply(form.paulis.x[k], form.paulis.z[k], states)
        states = np.cos(half) * states - 1j * np.sin(half) * turned
    values = np.empty((len(angles), len(form.terms)))
    for t in range(len(form.terms)):
        image = apply(form.terms.paulis.x[t], form.terms.paulis.z[t], states)
        values[:, t] = np.einsum("ns,ns->n", states.conj(), image).real
    return values * form.terms.coefficients


def apply(x, z, states):
    """A Pauli string on the rows of an array of states."""
    index = np.arange(states.shape[1])
    bits = 1 << np.arange(len(x))
    flip, mask = int(bits @ x), int(bits @ z)
    odd = np.array([int(i & mask).bit_count() & 1 for i in index])
    phases = 1j ** int((x & z).sum()) * (1 - 2 * odd)
    image = np.empty_like(states)
    image[:, index ^ flip] = states * phases
    return image


def summed_by_origin(form, values, count):
    """Term values added up over the terms that each comes from, identity left out."""
    table = np.zeros((len(values), count))
    for t, origin in enumerate(form.terms.origins):
        table[:, origin] += values[:, t]
    return table


def identity_parts(observable, circuit, count):
    """The identity's coefficient in every term of an observable."""
    parts = np.zeros(count)
    for label, coefficient, origin in observable_terms(observable, circuit, 10**6):
        parts[origin] += coefficient if set(label) == {"I"} else 0.0
    return parts


def slopes_by_gates(form, point, parameter):
    """Exact slopes of all terms: every rotation shifted alone by plus and minus pi / 2."""
    angles = form.angles(point)
    weights = form.coefficients[:, [parameter]].toarray().ravel()
    slopes = np.zeros(len(form.terms))
    for k in np.flatnonzero(weights):
        rows = np.tile(angles, (2, 1))
        rows[:, k] += (np.pi / 2, -np.pi / 2)
        plus, minus = by_form(at_angles(form), rows)
        slopes += weights[k] * (plus - minus) / 2
    return slopes


def at_angles(form):
    """A form whose points are the angles of its rotations."""
    count = form.num_rotations
    return replace(form, coefficients=csr_array(np.eye(count)), offsets=np.zeros(count))
