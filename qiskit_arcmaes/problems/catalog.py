"""The named problems."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from qiskit_arcmaes.problems import families, maxcut, qaoa
from qiskit_arcmaes.problems.data import read_data
from qiskit_arcmaes.problems.development import DEVELOPMENT
from qiskit_arcmaes.problems.model import Model
from qiskit_arcmaes.problems.problem import Problem
from qiskit_arcmaes.problems.scaling import SCALING
from qiskit_arcmaes.problems.shared_angles import shared_angle_models
from qiskit_arcmaes.problems.ucc import Space, ucc_model

MODELS: dict[str, Callable[[], Model]] = {
    "h2": lambda: families.molecule("h2", "H2 at 0.735 angstrom", reps=1),
    "lih": lambda: families.molecule("lih", "LiH at 1.6 angstrom, core frozen, pi removed", reps=2),
    "h4": lambda: families.molecule("h4", "H4 chain, 0.8 angstrom apart", reps=3),
    "ising4": lambda: families.ising(4, layers=2),
    "ising6": lambda: families.ising(6, layers=4),
    "ising8": lambda: families.ising(8, layers=4),
    "ising10": lambda: families.ising(10, layers=4),
    "heisenberg6": lambda: families.heisenberg(6, layers=2),
    "hubbard4": lambda: families.hubbard(4, repulsion=4.0, layers=3),
    "maxcut8": lambda: maxcut.maxcut_model("maxcut8", 8, maxcut.EDGES_8, reps=3),
    "ucc_h2": lambda: ucc_model("ucc_h2", "h2", "H2 at 0.735 angstrom", Space(2, 2)),
    "ucc_lih": lambda: ucc_model(
        "ucc_lih", "lih", "LiH at 1.6 angstrom, core frozen, pi removed", Space(3, 2)
    ),
    "ucc_h4": lambda: ucc_model("ucc_h4", "h4", "H4 chain, 0.8 angstrom apart", Space(4, 4)),
    "ucc_beh2": lambda: ucc_model(
        "ucc_beh2", "beh2", "BeH2 at 2.2 angstrom, 4 electrons in 3 orbitals", Space(3, 4)
    ),
    **{
        name: partial(qaoa.qaoa_model, name, graph, reps, start)
        for name, graph, reps, start in qaoa.reported()
    },
    **shared_angle_models(),
}
"""How each reported problem is built."""

PROBLEMS = tuple(MODELS)
"""The names of the problems that results are reported on."""


def get_problem(name: str) -> Problem:
    """Return a named problem with its reference energies.

    Args:
        name: One of ``PROBLEMS``, of ``SCALING_PROBLEMS``, which grow in size, or of
            ``DEVELOPMENT_PROBLEMS``, which methods are tuned on.

    Returns:
        The problem.

    Raises:
        ValueError: When there is no problem of that name.

    Example:
        >>> from qiskit_arcmaes.problems import get_problem
        >>> problem = get_problem("maxcut8")
        >>> problem.ground_energy
        -10.0
        >>> problem.energy(problem.best_parameters).round(3)
        array([-9.361])
    """
    build = MODELS.get(name) or DEVELOPMENT.get(name) or SCALING.get(name)
    if build is None:
        raise ValueError(f"name must be one of {', '.join(PROBLEMS)}, not {name!r}.")
    reference = read_data(f"reference_{name}")
    return Problem.from_model(
        build(),
        reference["ground_energy"],
        reference["best_energy"],
        reference["best_parameters"],
    )
