"""AR-CMA-ES for Qiskit: an optimizer for VQE and QAOA that decides the shots itself.

The names that need Qiskit load lazily, so that the engine works without importing it.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from qiskit_arcmaes.oracles import CallableOracle, Estimate, GaussianOracle, Oracle, OracleError

if TYPE_CHECKING:
    from qiskit_arcmaes.primitives import ShotEstimator, ShotSampler

_LAZY = {
    "ShotEstimator": "qiskit_arcmaes.primitives",
    "ShotSampler": "qiskit_arcmaes.primitives",
}

__all__ = [
    "CallableOracle",
    "Estimate",
    "GaussianOracle",
    "Oracle",
    "OracleError",
    "ShotEstimator",
    "ShotSampler",
]


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        return getattr(importlib.import_module(_LAZY[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
