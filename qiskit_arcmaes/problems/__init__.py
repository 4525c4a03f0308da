"""Quantum benchmark problems whose ground energy and best reachable energy are known.

>>> from qiskit_arcmaes.problems import PROBLEMS, get_problem
>>> get_problem("lih")
Problem('lih', qubits=4, dim=12, groups=25)
"""

from __future__ import annotations

from qiskit_arcmaes.problems.catalog import PROBLEMS, get_problem
from qiskit_arcmaes.problems.development import DEVELOPMENT_PROBLEMS
from qiskit_arcmaes.problems.maxcut import maxcut_problem
from qiskit_arcmaes.problems.problem import Problem
from qiskit_arcmaes.problems.scaling import SCALING_PROBLEMS

__all__ = [
    "DEVELOPMENT_PROBLEMS",
    "PROBLEMS",
    "SCALING_PROBLEMS",
    "Problem",
    "get_problem",
    "maxcut_problem",
]
