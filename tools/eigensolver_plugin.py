"""A pytest plugin: the optimizers of qiskit-algorithms become ours, under their old names.

For the package's own tests of its eigensolvers: ``nox -s eigensolvers``. Their primitives stay as
they are, so that ``max_shots`` counts calls of the loss; those of a sampler are noisy.
"""

from __future__ import annotations

import warnings
from typing import Any

import qiskit_algorithms.optimizers as theirs

from qiskit_arcmaes import ForeignLossWarning, ShotFrugal

REPLACED = ("COBYLA", "L_BFGS_B", "NELDER_MEAD", "P_BFGS", "SLSQP", "SPSA", "TNC")
CALLS = 1500


class Replacement(ShotFrugal):
    """ShotFrugal that takes, and forgets, the arguments of any other optimizer."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(max_shots=CALLS, seed=1)


def pytest_configure() -> None:
    """Exchange the classes before the tests import them."""
    warnings.simplefilter("ignore", ForeignLossWarning)
    for name in REPLACED:
        setattr(theirs, name, type(name, (Replacement,), {"__module__": __name__}))
