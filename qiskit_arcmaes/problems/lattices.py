"""Models on chains and rings: Hamiltonians and circuits made of their own terms."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from qiskit import QuantumCircuit
from qiskit.circuit import ParameterVector
from qiskit.quantum_info import SparsePauliOp

Bonds = Sequence[tuple[int, int]]


def chain(sites: int) -> list[tuple[int, int]]:
    """Return the bonds of an open chain, those that can be done at once side by side.

    Example:
        >>> chain(5)
        [(0, 1), (2, 3), (1, 2), (3, 4)]
    """
    bonds = [(site, site + 1) for site in range(sites - 1)]
    return bonds[::2] + bonds[1::2]


def ring(sites: int) -> list[tuple[int, int]]:
    """Return the bonds of a ring with an even number of sites.

    Example:
        >>> ring(4)
        [(0, 1), (2, 3), (1, 2), (3, 0)]
    """
    bonds = [(site, (site + 1) % sites) for site in range(sites)]
    return bonds[::2] + bonds[1::2]


def ising_hamiltonian(sites: int, coupling: float = 1.0, field: float = 1.0) -> SparsePauliOp:
    """Return ``coupling * sum ZZ - field * sum X`` on an open chain.

    Example:
        >>> ising_hamiltonian(2).to_list()
        [('ZZ', (1+0j)), ('IX', (-1+0j)), ('XI', (-1+0j))]
    """
    bonds = [("ZZ", list(bond), coupling) for bond in chain(sites)]
    fields = [("X", [site], -field) for site in range(sites)]
    return SparsePauliOp.from_sparse_list(bonds + fields, num_qubits=sites)


def ising_ansatz(sites: int, layers: int) -> QuantumCircuit:
    """Return H on all, then layers of RZZ on every bond and RX on every site, own angles each.

    Example:
        >>> ising_ansatz(6, 4).num_parameters
        44
    """
    angles = ParameterVector("θ", layers * (2 * sites - 1))
    free = iter(angles)
    circuit = QuantumCircuit(sites)
    circuit.h(range(sites))
    for _ in range(layers):
        for bond in chain(sites):
            circuit.rzz(next(free), *bond)
        for site in range(sites):
            circuit.rx(next(free), site)
    return circuit


def heisenberg_hamiltonian(sites: int) -> SparsePauliOp:
    """Return the antiferromagnet ``sum XX + YY + ZZ`` on a ring.

    Example:
        >>> len(heisenberg_hamiltonian(6))
        18
    """
    return _bond_terms(["XX", "YY", "ZZ"], ring(sites), 1.0, sites)


def heisenberg_ansatz(sites: int, layers: int) -> QuantumCircuit:
    """Return singlets on every other bond, then layers of RXX, RYY, RZZ, own angles each.

    The singlets are the ground state of half the bonds; the layers start with the other half.

    Example:
        >>> heisenberg_ansatz(6, 2).num_parameters
        36
    """
    bonds = ring(sites)
    free = iter(ParameterVector("θ", layers * 3 * len(bonds)))
    circuit = QuantumCircuit(sites)
    for left, right in bonds[: sites // 2]:
        _singlet(circuit, left, right)
    for _ in range(layers):
        for bond in bonds[sites // 2 :] + bonds[: sites // 2]:
            circuit.rxx(next(free), *bond)
            circuit.ryy(next(free), *bond)
            circuit.rzz(next(free), *bond)
    return circuit


def _singlet(circuit: QuantumCircuit, left: int, right: int) -> None:
    circuit.x([left, right])
    circuit.h(left)
    circuit.cx(left, right)


def hubbard_hamiltonian(sites: int, repulsion: float, hopping: float = 1.0) -> SparsePauliOp:
    """Return the Fermi-Hubbard model on an open chain at half filling (Jordan-Wigner).

    Qubits 0 to sites-1 hold spin up, the others spin down. The chemical potential is
    ``repulsion / 2``: the lowest state is half filled then (it is not without), and the repulsion
    takes the form ``repulsion / 4 * sum Z_up Z_down``.

    Example:
        >>> hubbard_hamiltonian(4, repulsion=4.0).num_qubits
        8
    """
    hops = _bond_terms(["XX", "YY"], _hops(sites), -hopping / 2, 2 * sites)
    onsite = _bond_terms(["ZZ"], _pairs(sites), repulsion / 4, 2 * sites)
    return SparsePauliOp.sum([hops, onsite])


def hubbard_shift(sites: int, repulsion: float) -> float:
    """Return what the usual form ``repulsion * sum n_up n_down`` adds at half filling.

    Example:
        >>> hubbard_shift(4, repulsion=4.0)
        4.0
    """
    return repulsion * sites / 4


def hubbard_ansatz(sites: int, layers: int) -> QuantumCircuit:
    """Return shared electrons on every other bond, then layers of repulsion and hops.

    The start is the half-filled ground state of every other bond without repulsion. Each layer
    has a phase on every site, then a hop ``exp(-i angle (XX + YY) / 2)`` on every bond, the other
    bonds first, with own angles: the number of electrons of each spin is kept.

    Example:
        >>> hubbard_ansatz(4, 3).num_parameters
        30
    """
    hops, pairs = _hops(sites), _pairs(sites)
    free = iter(ParameterVector("θ", layers * (len(hops) + len(pairs))))
    circuit = QuantumCircuit(2 * sites)
    shared = hops[: 2 * (sites // 2)]
    for left, right in shared:
        _shared_electron(circuit, left, right)
    for _ in range(layers):
        for pair in pairs:
            circuit.rzz(next(free), *pair)
        for hop in hops[len(shared) :] + shared:
            angle = next(free)
            circuit.rxx(angle, *hop)
            circuit.ryy(angle, *hop)
    return circuit


def _shared_electron(circuit: QuantumCircuit, left: int, right: int) -> None:
    circuit.x(right)
    circuit.h(left)
    circuit.cx(left, right)


def _hops(sites: int) -> list[tuple[int, int]]:
    """Return the bonds of both spins, the even bonds first."""
    up = chain(sites)
    bonds = up + [(left + sites, right + sites) for left, right in up]
    return sorted(bonds, key=lambda bond: bond[0] % sites % 2)


def _pairs(sites: int) -> list[tuple[int, int]]:
    return [(site, site + sites) for site in range(sites)]


def _bond_terms(
    paulis: Iterable[str], bonds: Bonds, coefficient: float, num_qubits: int
) -> SparsePauliOp:
    return SparsePauliOp.from_sparse_list(
        [(pauli, list(bond), coefficient) for pauli in paulis for bond in bonds],
        num_qubits=num_qubits,
    )
