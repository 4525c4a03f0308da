"""Remake the qubit Hamiltonians of the molecules, data/hamiltonian_<name>.json.

Needs qiskit-nature and pyscf, and this package on the path.

    python tools/make_hamiltonians.py            # write the files
    python tools/make_hamiltonians.py beh2       # write some of them
    python tools/make_hamiltonians.py --check    # compare with the files instead
"""

from __future__ import annotations

import argparse
import json
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from qiskit.quantum_info import SparsePauliOp
from qiskit_nature.second_q.drivers import PySCFDriver
from qiskit_nature.second_q.mappers import ParityMapper
from qiskit_nature.second_q.transformers import ActiveSpaceTransformer, FreezeCoreTransformer

import qiskit_arcmaes.problems as problems
from qiskit_arcmaes.problems.data import read_data

DATA = Path(problems.__file__).parent / "data"
BASIS = "sto3g"
TOLERANCE = 1e-9
"""The self-consistent field is converged to about this; run to run it repeats far better."""


@dataclass(frozen=True)
class Molecule:
    """What is calculated: atoms in angstrom, core orbitals frozen, orbitals removed.

    ``active`` keeps that many electrons and orbitals around the highest occupied one instead.
    """

    atoms: str
    charge: int = 0
    active: tuple[int, int] | None = None
    freeze_core: bool = False
    remove_orbitals: tuple[int, ...] = ()


MOLECULES = {
    "h2": Molecule("H 0 0 0; H 0 0 0.735"),
    "lih": Molecule("Li 0 0 0; H 0 0 1.6", freeze_core=True, remove_orbitals=(3, 4)),
    "h4": Molecule("H 0 0 0; H 0 0 0.8; H 0 0 1.6; H 0 0 2.4"),
    "beh2": Molecule("Be 0 0 0; H 0 0 2.2; H 0 0 -2.2", active=(4, 3)),
    "dev_h2": Molecule("H 0 0 0; H 0 0 1.5"),
    "dev_h3plus": Molecule("H 0 0 0; H 0 0 0.9; H 0 0.78 0.45", charge=1),
    "dev_lih": Molecule("Li 0 0 0; H 0 0 2.2", freeze_core=True, remove_orbitals=(3, 4)),
}


def make(molecule: Molecule) -> dict[str, Any]:
    """Return the content of a molecule's file."""
    structure = PySCFDriver(atom=molecule.atoms, basis=BASIS, charge=molecule.charge).run()
    if molecule.freeze_core:
        transformer = FreezeCoreTransformer(True, list(molecule.remove_orbitals))
        structure = transformer.transform(structure)
    if molecule.active is not None:
        structure = ActiveSpaceTransformer(*molecule.active).transform(structure)
    mapper = ParityMapper(num_particles=structure.num_particles)
    operator = mapper.map(structure.hamiltonian.second_q_op())
    return {
        "molecule": molecule.atoms,
        "basis": BASIS,
        "charge": molecule.charge,
        "active": molecule.active,
        "freeze_core": molecule.freeze_core,
        "remove_orbitals": list(molecule.remove_orbitals),
        "mapping": "parity, two qubits removed",
        "made_by": "tools/make_hamiltonians.py",
        "made_with": {name: version(name) for name in ("qiskit-nature", "pyscf")},
        "shift": float(sum(structure.hamiltonian.constants.values())),
        "terms": {label: float(value.real) for label, value in operator.to_list()},
    }


def difference(one: dict[str, Any], other: dict[str, Any]) -> float:
    """Return the largest difference of the shifts and of the two spectra.

    Orbitals are defined up to their signs, which change the signs of terms but not the spectrum.
    """
    spectra = [
        np.linalg.eigvalsh(SparsePauliOp.from_list(list(data["terms"].items())).to_matrix())
        for data in (one, other)
    ]
    return float(max(np.max(np.abs(spectra[0] - spectra[1])), abs(one["shift"] - other["shift"])))


def check(name: str, content: dict[str, Any]) -> None:
    """Compare with the stored file; stop when they differ."""
    found = difference(content, read_data(f"hamiltonian_{name}"))
    print(f"{name}: {len(content['terms'])} terms, spectrum within {found:.1e} of the stored one")
    if found > TOLERANCE:
        raise SystemExit(f"{name} differs by more than {TOLERANCE:g} from the stored Hamiltonian.")


def main() -> None:
    """Write or check the files."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", default=list(MOLECULES), help="default: all")
    parser.add_argument("--check", action="store_true", help="compare instead of writing")
    arguments = parser.parse_args()
    for name in arguments.names:
        content = make(MOLECULES[name])
        if arguments.check:
            check(name, content)
            continue
        path = DATA / f"hamiltonian_{name}.json"
        path.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
        print(f"{name}: {len(content['terms'])} terms written")


if __name__ == "__main__":
    main()
