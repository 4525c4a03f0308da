"""The optimizers as Qiskit knows them."""

from qiskit_arcmaes.optimizers.data import ShotAskData, ShotOptimizerResult, ShotTellData
from qiskit_arcmaes.optimizers.optimizers import (
    ARCMAES,
    CMAES,
    LRACMAES,
    PSACMAES,
    UHCMAES,
    ShotOptimizer,
    ThreeStageCMAES,
)

__all__ = [
    "ARCMAES",
    "CMAES",
    "LRACMAES",
    "PSACMAES",
    "UHCMAES",
    "ShotAskData",
    "ShotOptimizer",
    "ShotOptimizerResult",
    "ShotTellData",
    "ThreeStageCMAES",
]
