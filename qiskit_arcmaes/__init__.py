"""AR-CMA-ES for Qiskit: an optimizer for VQE and QAOA that decides the shots itself.

The names that need Qiskit load lazily, so that the engine works without importing it.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from qiskit_arcmaes.checkpoint import CheckpointError
from qiskit_arcmaes.functions import FUNCTIONS, get_function
from qiskit_arcmaes.history import History
from qiskit_arcmaes.loop import minimize
from qiskit_arcmaes.methods import METHODS
from qiskit_arcmaes.oracles import CallableOracle, Estimate, GaussianOracle, Oracle, OracleError
from qiskit_arcmaes.result import Result, Stop
from qiskit_arcmaes.run import ConstantLossWarning

if TYPE_CHECKING:
    from qiskit_arcmaes.optimizer_data import ShotOptimizerResult
    from qiskit_arcmaes.optimizers import (
        ARCMAES,
        CMAES,
        LRACMAES,
        PSACMAES,
        UHCMAES,
        ThreeStageCMAES,
    )
    from qiskit_arcmaes.plotting import plot_run, plot_runs
    from qiskit_arcmaes.primitives import ShotEstimator, ShotSampler

_LAZY = {
    "ARCMAES": "qiskit_arcmaes.optimizers",
    "CMAES": "qiskit_arcmaes.optimizers",
    "LRACMAES": "qiskit_arcmaes.optimizers",
    "PSACMAES": "qiskit_arcmaes.optimizers",
    "ThreeStageCMAES": "qiskit_arcmaes.optimizers",
    "UHCMAES": "qiskit_arcmaes.optimizers",
    "ShotOptimizerResult": "qiskit_arcmaes.optimizer_data",
    "ShotEstimator": "qiskit_arcmaes.primitives",
    "ShotSampler": "qiskit_arcmaes.primitives",
    "plot_run": "qiskit_arcmaes.plotting",
    "plot_runs": "qiskit_arcmaes.plotting",
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
