"""Aer's simulators of devices."""

from __future__ import annotations

from typing import Any

import numpy as np
from qiskit_aer import AerSimulator


def as_simulator(backend: Any) -> AerSimulator:
    """Aer's simulator of a device; a simulator is taken as it is."""
    if isinstance(backend, AerSimulator):
        return backend
    if not hasattr(backend, "target"):
        raise TypeError(
            f"backend must be an AerSimulator or a BackendV2 to simulate, not {backend!r}; pass a "
            "primitive as the first argument instead."
        )
    return AerSimulator.from_backend(backend)


def draw_seed(rng: np.random.Generator) -> int:
    """A new seed for one job of a simulator."""
    return int(rng.integers(1, 2**31 - 1))
