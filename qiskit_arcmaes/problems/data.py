"""The stored numbers: Hamiltonians of molecules and reference energies."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any


def read_data(name: str) -> dict[str, Any]:
    """Return the content of ``data/<name>.json``.

    Example:
        >>> sorted(read_data("hamiltonian_h2")["terms"])
        ['II', 'IZ', 'XX', 'ZI', 'ZZ']
    """
    text = files("qiskit_arcmaes.problems").joinpath("data", f"{name}.json").read_text("utf-8")
    data: dict[str, Any] = json.loads(text)
    return data
