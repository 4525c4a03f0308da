"""The goals of the experiments on circuits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log10

from qiskit_arcmaes.bench.goals import CHEMICAL_ACCURACY, Goal, Measure

Names = tuple[str, ...]
Budgets = tuple[int, ...]

_WRITTEN = {"lih": "LiH", "h4": "H4"}
_MOLECULES = {
    "lih": ((10**5, 0.017), (10**6, 1.3e-3), (10**7, 2e-4)),
    "h4": ((10**5, 0.06), (10**6, 0.023), (10**7, 9e-3)),
}
"""Errors to reach with hardware-efficient circuits, by budget."""


def _power(budget: int) -> str:
    """A power of ten in words of a goal; reports raise the exponent."""
    return f"10^{round(log10(budget))}"


def excitation_goals(names: Names, budgets: Budgets) -> tuple[Goal, ...]:
    """UCCSD from Hartree-Fock: never worse than the start, in the end half of the best other."""
    return (
        Goal("The median is never above the start", Measure.START, 1.0, names, budgets),
        Goal(
            "No run ends above the start by more than 1.6 mHa or a tenth of its error",
            Measure.WORST,
            1.0,
            names,
            budgets,
        ),
        Goal(
            "The start's error is halved wherever the best baseline halves it",
            Measure.HALVED,
            1.0,
            names,
            budgets,
        ),
        Goal(
            "With the most shots at most half of the best baseline's error",
            Measure.RATIO,
            0.5,
            names,
            budgets[-1:],
        ),
    )


def graph_goals(problems_at: Mapping[int, Sequence[str]]) -> tuple[Goal, ...]:
    """QAOA: at most 1.1 of the best other everywhere, half of it for random starts from 10^5."""
    goals = []
    for budget, names in problems_at.items():
        goals.append(
            Goal(
                f"At most 1.1 times the best other, {_power(budget)} shots",
                Measure.RATIO,
                1.1,
                tuple(names),
                (budget,),
            )
        )
    for budget, names in problems_at.items():
        drawn = tuple(name for name in names if name.endswith("_random"))
        if budget >= 10**5:
            goals.append(
                Goal(
                    f"Random starts: at most half of the best other, {_power(budget)} shots",
                    Measure.RATIO,
                    0.5,
                    drawn,
                    (budget,),
                )
            )
    return tuple(goals)


def molecule_goals() -> tuple[Goal, ...]:
    """LiH and H4: errors to reach."""
    return tuple(
        Goal(
            f"{_WRITTEN[name]}, {_power(budget)} shots: at most {limit:g}",
            Measure.ERROR,
            limit,
            (name,),
            (budget,),
        )
        for name, limits in _MOLECULES.items()
        for budget, limit in limits
    )


def lattice_goals(names: Names) -> tuple[Goal, ...]:
    """Lattices: 0.75 of tuned Adam in the mean, never above 1.1."""
    budgets = (10**5, 10**6, 10**7)
    return (
        Goal(
            "At most 0.75 of tuned Adam in the geometric mean",
            Measure.MEAN_RATIO,
            0.75,
            names,
            budgets,
        ),
        Goal("At most 1.1 of tuned Adam in every cell", Measure.RATIO, 1.1, names, budgets),
    )


def hydrogen_goals(budgets: Budgets, accurate: int) -> tuple[Goal, ...]:
    """H2: below every rival, and chemical accuracy from few shots."""
    return (
        Goal("Below every rival", Measure.RATIO, 1.0, ("h2",), budgets),
        Goal(
            f"Within 1.6 mHa from {accurate} shots",
            Measure.ERROR,
            CHEMICAL_ACCURACY,
            ("h2",),
            (accurate,),
        ),
    )


def small_goals(names: Names, budgets: Budgets) -> tuple[Goal, ...]:
    """Small budgets: 1.1 of the best other in the mean; the cells are shown too."""
    return (
        Goal(
            "At most 1.1 times the best other in the geometric mean",
            Measure.MEAN_RATIO,
            1.1,
            names,
            budgets,
        ),
        Goal("Cell by cell, for information", Measure.RATIO, 1.1, names, budgets),
    )


def few_jobs_goals(names: Names, budget: int, jobs: Sequence[int]) -> tuple[Goal, ...]:
    """Few jobs: the budget is used, and the error is no worse than SPSA's with as many."""
    goals = []
    for count in jobs:
        own = f"frugal%jobs={count}"
        rivals = (f"spsa%jobs={count}", f"spsa%weighted%jobs={count}")
        goals += [
            Goal(
                f"{count} jobs: at least 90% of the budget used",
                Measure.UNUSED,
                0.1,
                names,
                (budget,),
                own,
            ),
            Goal(
                f"{count} jobs: no worse than SPSA with as many",
                Measure.RATIO,
                1.0,
                names,
                (budget,),
                own,
                rivals,
            ),
        ]
    return tuple(goals)


def shared_goals(names: Names, budgets: Budgets) -> tuple[Goal, ...]:
    """Shared and bounded angles: at most 1.1 of the best rival."""
    return (Goal("At most 1.1 times the best rival", Measure.RATIO, 1.1, names, budgets),)


def device_goals(names: Names, budget: int) -> tuple[Goal, ...]:
    """The noisy device: ahead of SPSA, COBYLA and NFT."""
    words = "Ahead of SPSA, COBYLA and NFT"
    return (Goal(words, Measure.RATIO, 1.0, names, (budget,)),)
