"""The eight methods, one short file each, behind one ask/tell contract."""

from __future__ import annotations

from qiskit_arcmaes.shift.angles import AnglePairs
from qiskit_arcmaes.strategies.adaptive import AdaptiveReevaluation
from qiskit_arcmaes.strategies.adaptive_paper import LiteralReevaluation, PaperReevaluation
from qiskit_arcmaes.strategies.base import Batch, Method, Setup, State
from qiskit_arcmaes.strategies.fixed import FixedShots
from qiskit_arcmaes.strategies.learning_rate import LearningRateAdaptation
from qiskit_arcmaes.strategies.population import PopulationSizeAdaptation
from qiskit_arcmaes.strategies.three_stage import ThreeStage
from qiskit_arcmaes.strategies.uncertainty import UncertaintyHandling
from qiskit_arcmaes.surrogate.guided import ModelGuided

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


def choose(name: str, model: str | None, setup: Setup) -> type[Method]:
    """The class behind a method's name.

    Args:
        name: One of ``METHODS``.
        model: ``auto`` lets ``ar`` use a local model where the budget pays for one: of first order
            for the angles of circuits, a quadratic for all else. None does not. Other methods have
            no model.
        setup: The problem.
    """
    if name not in METHODS:
        raise ValueError(f"method = {name!r} is unknown; take one of {', '.join(METHODS)}.")
    if model not in (None, "auto"):
        raise ValueError(f"model must be 'auto' or None, not {model!r}.")
    if name == "ar" and model == "auto":
        for local in (AnglePairs, ModelGuided):
            if local.suits(setup):
                return local
    return METHODS[name]


__all__ = ["METHODS", "AnglePairs", "Batch", "Method", "ModelGuided", "Setup", "State", "choose"]
