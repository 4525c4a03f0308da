"""The eight methods, one short file each, behind one ask/tell contract."""

from __future__ import annotations

from qiskit_arcmaes.methods.adaptive import AdaptiveReevaluation
from qiskit_arcmaes.methods.adaptive_paper import LiteralReevaluation, PaperReevaluation
from qiskit_arcmaes.methods.base import Batch, Method, Setup, State
from qiskit_arcmaes.methods.fixed import FixedShots
from qiskit_arcmaes.methods.learning_rate import LearningRateAdaptation
from qiskit_arcmaes.methods.population import PopulationSizeAdaptation
from qiskit_arcmaes.methods.three_stage import ThreeStage
from qiskit_arcmaes.methods.uncertainty import UncertaintyHandling

METHODS: dict[str, type[Method]] = {
    method.name: method
    for method in (
        AdaptiveReevaluation,
        PaperReevaluation,
        LiteralReevaluation,
        FixedShots,
        ThreeStage,
        UncertaintyHandling,
        LearningRateAdaptation,
        PopulationSizeAdaptation,
    )
}

__all__ = ["METHODS", "Batch", "Method", "Setup", "State"]
