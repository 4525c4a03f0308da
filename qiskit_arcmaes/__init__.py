"""AR-CMA-ES for Qiskit: an optimizer for VQE and QAOA that decides the shots itself.

The names that need Qiskit load lazily, so that the engine works without importing it.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from qiskit_arcmaes.api import minimize
from qiskit_arcmaes.engine.checkpoint import CheckpointError
from qiskit_arcmaes.engine.history import History
from qiskit_arcmaes.engine.result import Result, Stop
from qiskit_arcmaes.engine.run import ConstantLossWarning
from qiskit_arcmaes.functions import FUNCTIONS, get_function
from qiskit_arcmaes.oracles import CallableOracle, Estimate, GaussianOracle, Oracle, OracleError
from qiskit_arcmaes.registry import METHODS

if TYPE_CHECKING:
    from qiskit_arcmaes.optimizers.data import ShotOptimizerResult
    from qiskit_arcmaes.optimizers.optimizers import (
        ARCMAES,
        CMAES,
        LRACMAES,
        PSACMAES,
        UHCMAES,
        ThreeStageCMAES,
    )
    from qiskit_arcmaes.primitives import ShotEstimator, ShotSampler
    from qiskit_arcmaes.viz.plotting import plot_run, plot_runs

_LAZY = {
    "ARCMAES": "qiskit_arcmaes.optimizers",
    "CMAES": "qiskit_arcmaes.optimizers",
    "LRACMAES": "qiskit_arcmaes.optimizers",
    "PSACMAES": "qiskit_arcmaes.optimizers",
    "ThreeStageCMAES": "qiskit_arcmaes.optimizers",
    "UHCMAES": "qiskit_arcmaes.optimizers",
    "ShotOptimizerResult": "qiskit_arcmaes.optimizers",
    "ShotEstimator": "qiskit_arcmaes.primitives",
    "ShotSampler": "qiskit_arcmaes.primitives",
    "plot_run": "qiskit_arcmaes.viz.plotting",
    "plot_runs": "qiskit_arcmaes.viz.plotting",
}

__all__ = [
    "ARCMAES",
    "CMAES",
    "FUNCTIONS",
    "LRACMAES",
    "METHODS",
    "PSACMAES",
    "UHCMAES",
    "CallableOracle",
    "CheckpointError",
    "ConstantLossWarning",
    "Estimate",
    "GaussianOracle",
    "History",
    "Oracle",
    "OracleError",
    "Result",
    "ShotEstimator",
    "ShotOptimizerResult",
    "ShotSampler",
    "Stop",
    "ThreeStageCMAES",
    "get_function",
    "minimize",
    "plot_run",
    "plot_runs",
]


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        return getattr(importlib.import_module(_LAZY[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
