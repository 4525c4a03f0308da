"""How all solvers that are compared are made: one entry for each."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from qiskit_arcmaes.bench.baselines.contract import Solver
from qiskit_arcmaes.bench.baselines.missing import Missing
from qiskit_arcmaes.bench.baselines.package_method import PackageMethod
from qiskit_arcmaes.bench.baselines.requirements import Needs
from qiskit_arcmaes.registry import METHODS

_HERE = "qiskit_arcmaes.bench.baselines."
_POPSIZE = 100  # the paper's, for its evolution strategies
_SHOTS = 100  # per evaluation, of optimizers that have no idea of shots
_ADAM = "Adam (Kingma and Ba) on parameter-shift pairs"
_EXACT_ADAM = "Adam (Kingma and Ba) on exact parameter shifts"
_OUR_BASELINE = "our own baseline, of no other package"
_QISKIT_ALGORITHMS = ("qiskit-algorithms", "qiskit_algorithms")

TUNED_ADAM = {60: 0.2, 250: 0.15, 1000: 0.07}
"""Steps and first step in radians. 250 and 1000 steps are settings known to be good on Ising-6, a
reported problem, at 10^6 and 10^7 shots; 60 steps are for budgets that pay few. The rates were not
swept; which of the three runs where is chosen on the development set."""


@dataclass(frozen=True)
class Family:
    """How solvers of one kind are made.

    Attributes:
        make: Takes ``name`` and the options below; or where such a callable is, as module:name,
            loaded when it is needed, since it may need a package that is not installed.
        options: Which of ``shots``, ``popsize`` and ``jobs`` the name may give, and their defaults.
        label: What it is, and whose, in tables.
        needs: On what it works.
        fixed: Further arguments of ``make``.
        package: Name on PyPI and module of the package that it comes from, which may be missing;
            None for what this package has itself.
    """

    make: Any
    options: dict[str, int | None]
    label: str
    needs: Needs = "anything"
    fixed: Mapping[str, Any] = field(default_factory=dict)
    package: tuple[str, str] | None = None

    @property
    def installed(self) -> bool:
        """Whether the package that it comes from is there."""
        return self.package is None or importlib.util.find_spec(self.package[1]) is not None

    def build(self, name: str, given: dict[str, int | None]) -> Solver:
        """Make the solver; where its package is missing, one that cannot start.

        Args:
            name: Name in tables.
            given: Options that its name gives.
        """
        if self.package is not None and not self.installed:
            return Missing(name, self.package[0])
        make = self.make
        if isinstance(make, str):
            module, attribute = make.split(":")
            make = getattr(importlib.import_module(_HERE + module), attribute)
        solver: Solver = make(name=name, **self.fixed, **(self.options | given))
        return solver


def _package_method(method: str, popsize: int | None) -> Family:
    options = {"popsize": popsize, "shots": None, "jobs": None}
    label = f"{METHODS[method].label}, of this package"
    return Family(partial(PackageMethod, method=method), options, label)


def _tuned_adam(make: str, steps: int, words: str) -> Family:
    label = f"{_EXACT_ADAM}, {words}: {_OUR_BASELINE}"
    return Family(make, {}, label, "spectra", {"steps": steps, "rate": TUNED_ADAM[steps]})


def _rosalin(allocation: str, words: str) -> Family:
    label = f"Rosalin of qoro-divi ({words})"
    return Family(
        "rosalin:Rosalin", {}, label, "spectra", {"allocation": allocation}, ("qoro-divi", "divi")
    )


SOLVERS: dict[str, Family] = {
    "frugal": _package_method("frugal", None),
    "ar": _package_method("ar", _POPSIZE),
    "ar-paper": _package_method("ar-paper", _POPSIZE),
    "ar-literal": _package_method("ar-literal", _POPSIZE),
    "cma": _package_method("cma", _POPSIZE),
    "three-stage": _package_method("three-stage", _POPSIZE),
    "uh": _package_method("uh", _POPSIZE),
    "lra": _package_method("lra", _POPSIZE),
    "psa": _package_method("psa", None),
    "pycma": Family(
        "pycma:PyCMA",
        {"shots": 1, "popsize": None},
        "CMA-ES of pycma",
        package=("cma", "cma"),
    ),
    "pycma-uh": Family(
        "pycma:PyCMAUncertainty",
        {"popsize": None},
        "CMA-ES of pycma with its NoiseHandler",
        package=("cma", "cma"),
    ),
    "cmaes-lra": Family(
        "cmaes:CmaesLRA",
        {"shots": 1, "popsize": None},
        "LRA-CMA-ES of its authors' package cmaes",
        package=("cmaes", "cmaes"),
    ),
    "spsa": Family(
        "spsa:SPSA",
        {"shots": _SHOTS, "jobs": None},
        "SPSA of qiskit-algorithms",
        package=_QISKIT_ALGORITHMS,
    ),
    "qnspsa": Family(
        "spsa:QNSPSA",
        {"shots": _SHOTS},
        "QNSPSA of qiskit-algorithms",
        "circuit",
        package=_QISKIT_ALGORITHMS,
    ),
    "cobyla": Family(
        "cobyla:COBYLA",
        {"shots": _SHOTS},
        "COBYLA of qiskit-algorithms (SciPy)",
        package=_QISKIT_ALGORITHMS,
    ),
    "bobyqa": Family(
        "bobyqa:BOBYQA",
        {"shots": _SHOTS},
        "Py-BOBYQA with its settings for noise",
        package=("Py-BOBYQA", "pybobyqa"),
    ),
    "tbpsa": Family(
        "tbpsa:TBPSA",
        {"shots": _SHOTS},
        "TBPSA of nevergrad",
        package=("nevergrad", "nevergrad"),
    ),
    "cobyla-tutorial": Family(
        "cobyla:COBYLATutorial",
        {},
        "COBYLA of qiskit-algorithms (SciPy), fifty evaluations",
        package=_QISKIT_ALGORITHMS,
    ),
    "nft": Family(
        "nft:NFT",
        {"shots": _SHOTS},
        "NFT of qiskit-algorithms",
        "rotations",
        package=_QISKIT_ALGORITHMS,
    ),
    "sequential": Family(
        "sequential:Sequential",
        {"shots": _SHOTS},
        "NFT (Nakanishi and others, 2020) for several frequencies, implemented here",
        "series",
    ),
    "excitation-solve": Family(
        "excitation_solve:ExcitationSolve",
        {"shots": _SHOTS},
        "ExcitationSolve of its authors' package excitationsolve",
        "excitations",
        package=("excitationsolve", "excitationsolve"),
    ),
    "umda": Family(
        "umda:UMDA",
        {"shots": _SHOTS, "popsize": 20},
        "UMDA of qiskit-algorithms",
        package=_QISKIT_ALGORITHMS,
    ),
    "adam-pairs": Family("adam_pairs:AdamPairs", {}, f"{_ADAM}: {_OUR_BASELINE}", "angles"),
    "adam-pairs-starts": Family(
        "adam_pairs:AdamPairsStarts", {}, f"{_ADAM} from four starts: {_OUR_BASELINE}", "angles"
    ),
    **{
        f"adam-{steps}": _tuned_adam("adam:Adam", steps, f"{steps} steps of {rate:g} rad at first")
        for steps, rate in TUNED_ADAM.items()
    },
    "adam-starts": _tuned_adam("adam:AdamStarts", 250, "four starts"),
    "rosalin": _rosalin("icans", "iCANS"),
    "rosalin-gcans": _rosalin("gcans", "gCANS"),
    "icans": Family(
        "cans:ICANS", {}, "iCANS (Kübler and others, 2020), implemented here", "rotations"
    ),
    "gcans": Family("cans:GCANS", {}, "gCANS (Gu and others, 2021), implemented here", "rotations"),
    "santaqlaus": Family(
        "santaqlaus:SantaQlaus",
        {},
        "SantaQlaus (Ito and Fujii, 2023), implemented here",
        "spectra",
    ),
}
"""Everything that ``solver_for`` knows."""
