"""All solvers that are compared, by name.

>>> from qiskit_arcmaes.bench.baselines import solver_for
>>> solver_for("cma@100").name, solver_for("spsa@1000").name
('cma@100', 'spsa@1000')

``name@M`` fixes the shots per evaluation, ``name:L`` the population size, ``name:auto`` takes the
population size that the method has by default; ``cma:20@100`` does both. Conditions follow:
``%weighted`` and ``%jobs=N``, see ``bench.method_names``.
"""

from __future__ import annotations

import re

from qiskit_arcmaes.bench.baselines.contract import CouldNotStart, Recommendation, Solver, Start
from qiskit_arcmaes.bench.baselines.families import SOLVERS, Family
from qiskit_arcmaes.bench.baselines.requirements import unmet_need
from qiskit_arcmaes.bench.budget_oracle import BudgetOracle
from qiskit_arcmaes.bench.method_names import split_conditions

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

_NAME = re.compile(r"(?P<base>[a-z][a-z0-9-]*)(?::(?P<popsize>\d+|auto))?(?:@(?P<shots>\d+))?")


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
    family = SOLVERS.get(re.split("[:@%]", name, maxsplit=1)[0])
    return "unknown to this version" if family is None else family.label


def incompatibility(name: str, oracle: BudgetOracle) -> str | None:
    """Why a solver does not apply to a problem, in a sentence; None where it does.

    Example:
        >>> from qiskit_arcmaes import GaussianOracle, get_function
        >>> oracle = BudgetOracle(GaussianOracle(get_function("sphere", 2)), 100)
        >>> incompatibility("frugal", oracle) is None
        True
    """
    lack = unmet_need(_parse(name)[0].needs, oracle)
    return None if lack is None else f"{name} needs {lack}"


def _parse(name: str) -> tuple[Family, dict[str, int | None]]:
    plain, conditions = split_conditions(name)
    match = _NAME.fullmatch(plain)
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
    if conditions.jobs is not None:
        if "jobs" not in family.options:
            raise ValueError(f"the solver {match['base']!r} cannot limit its jobs, as in {name!r}.")
        given["jobs"] = conditions.jobs
    return family, given
