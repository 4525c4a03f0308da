"""AR-CMA-ES and ShotFrugal for Qiskit: optimizers for VQE and QAOA that decide the shots.

The names that need Qiskit load lazily, so that ``minimize`` works without importing it.
``plot_run`` and ``plot_runs`` need matplotlib, and are imported by name.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from qiskit_arcmaes.api import minimize
from qiskit_arcmaes.engine.checkpoint import CheckpointError
from qiskit_arcmaes.engine.constant_loss import ConstantLossWarning
from qiskit_arcmaes.engine.history import History
from qiskit_arcmaes.engine.result import Result, Stop
from qiskit_arcmaes.engine.saver import CheckpointWarning
from qiskit_arcmaes.functions import FUNCTIONS, get_function
from qiskit_arcmaes.oracles import (
    CallableOracle,
    Estimate,
    GaussianOracle,
    Oracle,
    OracleError,
    Price,
)
from qiskit_arcmaes.registry import METHODS
from qiskit_arcmaes.scipy_interface import ScipyResult, scipy_method
from qiskit_arcmaes.settings import Settings

if TYPE_CHECKING:
    from qiskit_arcmaes.optimizers import (
        ARCMAES,
        CMAES,
        LRACMAES,
        PSACMAES,
        UHCMAES,
        ForeignLossWarning,
        ShotFrugal,
        ShotOptimizerResult,
        ThreeStageCMAES,
    )
    from qiskit_arcmaes.primitives import ShotEstimator, ShotSampler
    from qiskit_arcmaes.viz.plotting import plot_run, plot_runs  # noqa: F401

_LAZY = {
    "ARCMAES": "qiskit_arcmaes.optimizers",
    "ForeignLossWarning": "qiskit_arcmaes.optimizers",
    "CMAES": "qiskit_arcmaes.optimizers",
    "LRACMAES": "qiskit_arcmaes.optimizers",
    "PSACMAES": "qiskit_arcmaes.optimizers",
    "ShotFrugal": "qiskit_arcmaes.optimizers",
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
    "CheckpointWarning",
    "ConstantLossWarning",
    "Estimate",
    "ForeignLossWarning",
    "GaussianOracle",
    "History",
    "Oracle",
    "OracleError",
    "Price",
    "Result",
    "ScipyResult",
    "Settings",
    "ShotEstimator",
    "ShotFrugal",
    "ShotOptimizerResult",
    "ShotSampler",
    "Stop",
    "ThreeStageCMAES",
    "get_function",
    "minimize",
    "scipy_method",
]


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        return getattr(importlib.import_module(_LAZY[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
