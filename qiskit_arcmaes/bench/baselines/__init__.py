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

from qiskit_arcmaes.bench.baselines.contract import CouldNotStart, Recommendation, Solver, Start
from qiskit_arcmaes.bench.baselines.package_method import PackageMethod
from qiskit_arcmaes.bench.budget_oracle import BudgetOracle
from qiskit_arcmaes.registry import METHODS

__all__ = [
    "SOLVERS",
    "CouldNotStart",
    "Family",
    "Recommendation",
    "Solver",
    "Start",
    "describe_solver",
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
        label: What it is, and whose, in tables.
        needs: On what it works: anything; angles of a circuit; single Pauli rotations, so that
            the loss is a sine of each coordinate; or a circuit whose states can be compared.
    """

    make: Any
    options: dict[str, int | None]
    label: str
    needs: Needs = "anything"

    def build(self, name: str, given: dict[str, int | None]) -> Solver:
        """Make the solver.

        Args:
            name: Name in tables.
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
    label = f"{METHODS[method].label}, of this package"
    return Family(partial(PackageMethod, method=method), options, label)


_ADAM = "Adam (Kingma and Ba) on parameter-shift pairs"
_OUR_BASELINE = "our own baseline, of no other package"

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
    "pycma": Family("pycma:PyCMA", {"shots": 1, "popsize": None}, "CMA-ES of pycma"),
    "pycma-uh": Family(
        "pycma:PyCMAUncertainty", {"popsize": None}, "CMA-ES of pycma with its NoiseHandler"
    ),
    "cmaes-lra": Family(
        "cmaes:CmaesLRA", {"shots": 1, "popsize": None}, "LRA-CMA-ES of its authors' package cmaes"
    ),
    "spsa": Family("spsa:SPSA", {"shots": _SHOTS}, "SPSA of qiskit-algorithms"),
    "qnspsa": Family(
        "spsa:QNSPSA", {"shots": _SHOTS}, "QNSPSA of qiskit-algorithms", needs="circuit"
    ),
    "cobyla": Family("cobyla:COBYLA", {"shots": _SHOTS}, "COBYLA of qiskit-algorithms (SciPy)"),
    "nft": Family("nft:NFT", {"shots": _SHOTS}, "NFT of qiskit-algorithms", needs="rotations"),
    "umda": Family("umda:UMDA", {"shots": _SHOTS, "popsize": 20}, "UMDA of qiskit-algorithms"),
    "adam-pairs": Family("adam_pairs:AdamPairs", {}, f"{_ADAM}: {_OUR_BASELINE}", needs="angles"),
    "adam-pairs-starts": Family(
        "adam_pairs:AdamPairsStarts",
        {},
        f"{_ADAM} from four starts: {_OUR_BASELINE}",
        needs="angles",
    ),
    "icans": Family(
        "cans:ICANS", {}, "iCANS (Kübler and others, 2020), implemented here", needs="rotations"
    ),
    "gcans": Family(
        "cans:GCANS", {}, "gCANS (Gu and others, 2021), implemented here", needs="rotations"
    ),
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


def describe_solver(name: str) -> str:
    """What a name in a table stands for, and whose method it is.

    Args:
        name: As in a store: ``name``, with ``:population size`` and ``@shots`` or ``@B/N``.

    Returns:
        A phrase; for a name that is not known here, that.

    Example:
        >>> describe_solver("ar:20")
        'AR-CMA-ES, of this package'
        >>> describe_solver("spsa@100")
        'SPSA of qiskit-algorithms'
    """
    family = SOLVERS.get(re.split("[:@]", name, maxsplit=1)[0])
    return "unknown to this version" if family is None else family.label


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
    if needs == "circuit" and oracle.ansatz is None:
        return f"{name} needs a circuit whose states can be compared"
    if needs == "rotations" and not (oracle.ansatz and oracle.ansatz.single_rotations):
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
