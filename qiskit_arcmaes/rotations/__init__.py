"""The Pauli-rotation form as plain arrays: frequencies, light cones, classes, shift rules.

Nothing here imports Qiskit; ``qiskit_arcmaes.circuits`` makes a form of a circuit.
"""

from qiskit_arcmaes.rotations.analysis import Analysis, AnalysisLimits, MeanLoss, analyse, mean_loss
from qiskit_arcmaes.rotations.cones import parameter_classes
from qiskit_arcmaes.rotations.expansion import Expansion, ExpansionLimits, expand
from qiskit_arcmaes.rotations.flips import SpectrumLimits
from qiskit_arcmaes.rotations.form import RotationForm, Terms, make_form
from qiskit_arcmaes.rotations.paulis import Paulis
from qiskit_arcmaes.rotations.rules import RuleLimits, best_rule
from qiskit_arcmaes.rotations.shift_rules import RuleKind, ShiftRule
from qiskit_arcmaes.rotations.slopes import GateByGateRule, choose_rule, gate_by_gate_rule
from qiskit_arcmaes.rotations.spectrum import Spectrum, listed

__all__ = [
    "Analysis",
    "AnalysisLimits",
    "Expansion",
    "ExpansionLimits",
    "GateByGateRule",
    "MeanLoss",
    "Paulis",
    "RotationForm",
    "RuleKind",
    "RuleLimits",
    "ShiftRule",
    "Spectrum",
    "SpectrumLimits",
    "Terms",
    "analyse",
    "best_rule",
    "choose_rule",
    "expand",
    "gate_by_gate_rule",
    "listed",
    "make_form",
    "mean_loss",
    "parameter_classes",
]
