"""Small problems whose parameters turn more than one rotation once, or are bounded.

Controlled rotations, half angles, sums of parameters and repeated parameters give the loss several
frequencies, or periods other than one turn.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np
from qiskit import QuantumCircuit
from qiskit.circuit import ParameterVector

from qiskit_arcmaes.problems import families, lattices
from qiskit_arcmaes.problems.model import Model

SITES = 4

BOXES = {"box3.5": 3.5, "box2pi": 2 * np.pi}
"""Half widths of bounds that are not one period wide, by the ending of the name."""


def _columns(angles: ParameterVector, circuit: QuantumCircuit, first: int) -> None:
    for site in range(circuit.num_qubits):
        circuit.ry(angles[first + site], site)


def controlled() -> QuantumCircuit:
    """Return layers of RY and of controlled RY and RX on neighbours.

    Example:
        >>> controlled().num_parameters
        11
    """
    angles = ParameterVector("θ", 2 * SITES + SITES - 1)
    circuit = QuantumCircuit(SITES)
    _columns(angles, circuit, 0)
    for site in range(SITES - 1):
        gate = circuit.cry if site % 2 == 0 else circuit.crx
        gate(angles[SITES + site], site, site + 1)
    _columns(angles, circuit, 2 * SITES - 1)
    return circuit


def halves() -> QuantumCircuit:
    """Return RY and RZZ by half their parameter, so that the period is two turns."""
    angles = ParameterVector("θ", 3 * SITES - 1)
    circuit = QuantumCircuit(SITES)
    circuit.h(range(SITES))
    for index, bond in enumerate(lattices.chain(SITES)):
        circuit.rzz(angles[index] / 2, *bond)
    for site in range(SITES):
        circuit.rx(angles[SITES - 1 + site] / 2, site)
        circuit.ry(angles[2 * SITES - 1 + site], site)
    return circuit


def sums() -> QuantumCircuit:
    """Return RZZ and RX by sums of neighbouring parameters."""
    layers = 2
    angles = ParameterVector("θ", layers * SITES)
    circuit = QuantumCircuit(SITES)
    circuit.h(range(SITES))
    for layer in range(layers):
        own = angles[layer * SITES : (layer + 1) * SITES]
        for left, right in lattices.chain(SITES):
            circuit.rzz(own[left] + own[right], left, right)
        for site in range(SITES):
            circuit.rx(own[site], site)
    return circuit


def repeats() -> QuantumCircuit:
    """Return layers of RZZ and RX, each with one parameter for all bonds and one for all sites."""
    layers = 3
    angles = ParameterVector("θ", 2 * layers)
    circuit = QuantumCircuit(SITES)
    circuit.h(range(SITES))
    for layer in range(layers):
        for bond in lattices.chain(SITES):
            circuit.rzz(angles[2 * layer], *bond)
        circuit.rx(angles[2 * layer + 1], range(SITES))
    return circuit


CIRCUITS = {"controlled": controlled, "halves": halves, "sums": sums, "repeats": repeats}
"""The circuits, by what is special about them."""


def shared_angle_model(kind: str, prefix: str = "", field: float = 1.0) -> Model:
    """Return a circuit of ``CIRCUITS`` on an Ising chain.

    Args:
        kind: Name of the circuit.
        prefix: What the name of the problem begins with.
        field: Of the chain, in units of its coupling.
    """
    ansatz = CIRCUITS[kind]()
    return Model(
        name=f"{prefix}{kind}{SITES}",
        description=f"Ising chain of {SITES}, a circuit with {kind}",
        operator=lattices.ising_hamiltonian(SITES, field=field),
        shift=0.0,
        ansatz=ansatz,
        start_range=families.uniform(ansatz, 0.0, 1.0),
    )


def _boxed(build: Callable[[], Model], ending: str) -> Model:
    model, half = build(), BOXES[ending]
    description = f"{model.description}, bounds of ±{half:.3g}"
    return replace(
        model, name=f"{model.name}_{ending}", description=description, limits=(-half, half)
    )


def shared_angle_models() -> dict[str, Callable[[], Model]]:
    """How the reported problems of this kind are built, by name."""
    bounded = {
        "h2": lambda: families.molecule("h2", "H2 at 0.735 angstrom", reps=1),
        "ising4": lambda: families.ising(SITES, layers=2),
    }
    plain: dict[str, Callable[[], Model]] = {
        f"{kind}{SITES}": partial(shared_angle_model, kind) for kind in CIRCUITS
    }
    boxed: dict[str, Callable[[], Model]] = {
        f"{name}_{ending}": partial(_boxed, build, ending)
        for name, build in bounded.items()
        for ending in BOXES
    }
    return plain | boxed
