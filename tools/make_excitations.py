"""Remake the excitations of the UCCSD circuits, data/excitations_<space>.json.

Needs qiskit-nature, and this package on the path. The excitations of a circuit depend on the number
of orbitals and electrons alone, so that molecules with the same active space share a file.

    python tools/make_excitations.py
"""

from __future__ import annotations

import json
from importlib.metadata import version
from pathlib import Path
from typing import Any

from qiskit.quantum_info import Statevector
from qiskit_nature.second_q.circuit.library import UCCSD, HartreeFock
from qiskit_nature.second_q.mappers import ParityMapper

import qiskit_arcmaes.problems as problems
from qiskit_arcmaes.problems.ucc import SPACES, Space

DATA = Path(problems.__file__).parent / "data"


def make(space: Space) -> dict[str, Any]:
    """Return the content of a file: occupied qubits and the generator of each excitation."""
    electrons = (space.electrons // 2, space.electrons // 2)
    mapper = ParityMapper(num_particles=electrons)
    start = HartreeFock(space.orbitals, electrons, mapper)
    (bits,) = Statevector(start).to_dict()
    ansatz = UCCSD(space.orbitals, electrons, mapper, initial_state=start)
    return {
        "orbitals": space.orbitals,
        "electrons": space.electrons,
        "mapping": "parity, two qubits removed",
        "made_by": "tools/make_excitations.py",
        "made_with": {"qiskit-nature": version("qiskit-nature")},
        "occupied": [qubit for qubit, bit in enumerate(reversed(bits)) if bit == "1"],
        "excitations": [
            {label: round(float(value.real), 12) for label, value in operator.to_list()}
            for operator in ansatz.operators
        ],
    }


def main() -> None:
    """Write the files."""
    for space in SPACES:
        content = make(space)
        path = DATA / f"excitations_{space.name}.json"
        path.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
        print(f"{space.name}: {len(content['excitations'])} excitations written")


if __name__ == "__main__":
    main()
