"""All solvers that are compared, by name.

>>> from qiskit_arcmaes.bench.baselines import solver_for
>>> solver_for("cma@100").name, solver_for("spsa@1000").name
('cma@100', 'spsa@1000')

``name@M`` fixes the shots per evaluation, ``name:L`` the population size, ``name:auto`` takes the
population size that the method has by default; ``cma:20@100`` does both.
"""

from __future__ import annotations

import importlib
import re
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

from qiskit_arcmaes.bench.baselines.contract import Recommendation, Solver, Start
from qiskit_arcmaes.bench.baselines.package_method import PackageMethod
from qiskit_arcmaes.bench.budget_oracle import BudgetOracle

__all__ = [
    "SOLVERS",
    "Family",
    "Recommendation",
    "Solver",
    "Start",
    "incompatibility",
    "solver_for",
]

Needs = Literal["anything", "angles", "rotations", "circuit"]
_HERE = "qiskit_arcmaes.bench.baselines."
_NAME = re.compile(r"(?P<base>[a-z-]+)(?::(?P<popsize>\d+|auto))?(?:@(?P<shots>\d+))?")
_POPSIZE = 100  # the paper's, for its evolution strategies
_SHOTS = 100  # per evaluation, of optimizers that have no idea of shots


@dataclass(frozen=True)
class Family:
    """How solvers of one kind are made.

    Attributes:
        make: Takes ``name`` and the options below; or where such a callable is, as module:name,
            loaded when it is needed, since it may need a package that is not installed.
        options: Which of ``shots`` and ``popsize`` the name may give, and their defaults.
        needs: On what it works: anything; angles of a circuit; single Pauli rotations, so that
            the loss is a sine of each coordinate; or a circuit whose states can be compared.
    """

    make: Any
    options: dict[str, int | None]
    needs: Needs = "anything"

    def build(self, name: str, given: dict[str, int | None]) -> Solver:
        """Make the solver.

        Args:
            name: What it is called.
            given: Options that its name gives.
        """
        make = self.make
        if isinstance(make, str):
            module, attribute = make.split(":")
            make = getattr(importlib.import_module(_HERE + module), attribute)
        solver: Solver = make(name=name, **(self.options | given))
        return solver


def _package_method(method: str, popsize: int | None) -> Family:
    options = {"popsize": popsize, "shots": None}
    return Family(partial(PackageMethod, method=method), options)


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
    "pycma": Family("pycma:PyCMA", {"shots": 1, "popsize": None}),
    "pycma-uh": Family("pycma:PyCMAUncertainty", {"popsize": None}),
    "cmaes-lra": Family("cmaes:CmaesLRA", {"shots": 1, "popsize": None}),
    "spsa": Family("spsa:SPSA", {"shots": _SHOTS}),
    "qnspsa": Family("spsa:QNSPSA", {"shots": _SHOTS}, "circuit"),
    "cobyla": Family("cobyla:COBYLA", {"shots": _SHOTS}),
    "nft": Family("nft:NFT", {"shots": _SHOTS}, "rotations"),
    "umda": Family("umda:UMDA", {"shots": _SHOTS, "popsize": 20}),
    "adam-pairs": Family("adam_pairs:AdamPairs", {}, "angles"),
    "adam-pairs-starts": Family("adam_pairs:AdamPairsStarts", {}, "angles"),
    "icans": Family("cans:ICANS", {}, "rotations"),
    "gcans": Family("cans:GCANS", {}, "rotations"),
}
"""Everything that ``solver_for`` knows."""


def solver_for(name: str) -> Solver:
    """The solver of a name.

    Args:
        name: One of ``SOLVERS``, with ``:population size`` and ``@shots per evaluation`` where it
            has them.

    Raises:
        ValueError: There is no such solver, or it has no such option.

    Example:
        >>> solver_for("ar:20").popsize
        20
    """
    family, given = _parse(name)
    return family.build(name, given)


def incompatibility(name: str, oracle: BudgetOracle) -> str | None:
    """Why a solver does not apply to a problem, in a sentence; None where it does.

    Example:
        >>> from qiskit_arcmaes import GaussianOracle, get_function
        >>> oracle = BudgetOracle(GaussianOracle(get_function("sphere", 2)), 100)
        >>> incompatibility("frugal", oracle) is None
        True
    """
    needs = _parse(name)[0].needs
    if needs == "angles" and not oracle.angles:
        return f"{name} needs angles of a circuit's gates"
    if needs == "circuit" and not oracle.has_states:
        return f"{name} needs a circuit whose states can be compared"
    if needs == "rotations" and not oracle.single_rotations:
        return f"{name} needs parameters that turn one Pauli rotation each"
    return None


def _parse(name: str) -> tuple[Family, dict[str, int | None]]:
    match = _NAME.fullmatch(name)
    if match is None or match["base"] not in SOLVERS:
        known = ", ".join(SOLVERS)
        raise ValueError(
            f"there is no solver {name!r}; take one of {known}, with :L for the population size "
            "and @M for the shots per evaluation where it has them."
        )
    family = SOLVERS[match["base"]]
    given: dict[str, int | None] = {}
    for option in ("popsize", "shots"):
        text = match[option]
        if text is None:
            continue
        if option not in family.options:
            raise ValueError(f"the solver {match['base']!r} has no {option}, as in {name!r}.")
        if text == "0":
            raise ValueError(f"{option} must be at least 1, not 0 as in {name!r}.")
        given[option] = None if text == "auto" else int(text)
    return family, given
