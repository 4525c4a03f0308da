"""The methods that are compared on the test-bed, at equal shots.

Methods that do not choose their shots average as many as give a run at most 2·10^4 evaluations,
fewer where a run would take minutes otherwise; one shot per evaluation is tried up to 10^5 shots.
"""

from __future__ import annotations

OURS = (
    *("frugal", "ar:auto", "ar-paper:auto@B/2e4", "ar-literal:auto@B/2e4", "cma:auto@B/2e4"),
    *("three-stage:auto", "uh:auto", "lra:auto@B/2e4", "psa@B/2e4"),
)
"""All methods of this package, with their default population sizes."""

OTHERS = ("pycma@B/2e4", "pycma-uh", "cobyla@B/1e3", "cobyla-tutorial", "spsa@B/5e3", "tbpsa@B/5e3")
"""Methods of other packages, at all budgets."""

AVERAGED = "pycma@B/1e3"
"""pycma with more averaging, where the budget pays it."""

ONE_SHOT = ("cma:auto@1", "lra:auto@1", "pycma@1")
"""At 10^5 shots, where 2·10^4 evaluations take five shots each; below, all take one anyway."""

BOBYQA_EVALUATIONS = {2: 1000, 5: 1000, 10: 500, 20: 300, 40: 200}
"""Of Py-BOBYQA by dimension: at d = 40 an evaluation takes it a tenth of a second."""


def methods_at(dim: int, budget: int) -> tuple[str, ...]:
    """The methods that run in dimension ``dim`` with ``budget`` shots.

    Example:
        >>> methods_at(10, 1000)[-2:]
        ('tbpsa@B/5e3', 'bobyqa@B/500')
    """
    averaged = (AVERAGED,) if budget > 1000 else ()
    one_shot = ONE_SHOT if budget == 10**5 else ()
    return (*OURS, *OTHERS, *averaged, *one_shot, f"bobyqa@B/{BOBYQA_EVALUATIONS[dim]}")
