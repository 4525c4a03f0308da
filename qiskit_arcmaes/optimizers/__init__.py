"""The optimizers as Qiskit knows them."""

from qiskit_arcmaes.optimizers.base import ForeignLossWarning, ShotOptimizer
from qiskit_arcmaes.optimizers.classes import (
    ARCMAES,
    CMAES,
    LRACMAES,
    PSACMAES,
    UHCMAES,
    ShotFrugal,
    ThreeStageCMAES,
)
from qiskit_arcmaes.optimizers.data import ShotAskData, ShotOptimizerResult, ShotTellData

__all__ = [
    "ARCMAES",
    "CMAES",
    "LRACMAES",
    "PSACMAES",
    "UHCMAES",
    "ForeignLossWarning",
    "ShotAskData",
    "ShotFrugal",
    "ShotOptimizer",
    "ShotOptimizerResult",
    "ShotTellData",
    "ThreeStageCMAES",
]
