"""The goals of the experiments on the test-bed."""

from __future__ import annotations

from qiskit_arcmaes.bench.goals import Goal, Measure


def function_goals(problems: tuple[str, ...], budgets: tuple[int, ...]) -> tuple[Goal, ...]:
    """Half of the best baseline where there is something to gain, and never far behind."""
    return (
        Goal(
            "At most half of the best other in the geometric mean over the cases where the best "
            "method gains a factor 2 and stays above the floor",
            Measure.GAINING_RATIO,
            0.5,
            problems,
            budgets,
        ),
        Goal(
            "At most 1.2 times the best other at the 90th percentile of all cases",
            Measure.HIGH_RATIO,
            1.2,
            problems,
            budgets,
        ),
        Goal(
            "No case ends above the start by more than the noise explains",
            Measure.RISE,
            1.0,
            problems,
            budgets,
        ),
        Goal("Case by case, for information", Measure.FLOORED_RATIO, 1.2, problems, budgets),
    )
