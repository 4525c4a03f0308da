"""Two sweeps side by side: medians, their ratio, and whether the difference could be chance."""

from __future__ import annotations

import numpy as np
import pandas as pd
from scipy import stats

from qiskit_arcmaes.bench.report.groups import groups_of
from qiskit_arcmaes.bench.store import Status, Store
from qiskit_arcmaes.bench.tasks import FUNCTION


def compare(first: Store, second: Store) -> pd.DataFrame:
    """Compare the errors of two sweeps, group by group.

    Args:
        first: One sweep, A.
        second: The other, B; groups that only one of them has are left out.

    Returns:
        One row for each group (``problem``, ``d``, ``noise``, ``budget``, ``method``) with the
        numbers of ``runs``, the median errors ``A`` and ``B`` (NaN where a run could not start),
        their ratio ``B/A`` (NaN where both are zero, or one is missing) and ``p`` of the two-sided
        Mann-Whitney rank test that neither tends to be lower.

    Raises:
        ValueError: They have no group in common.
    """
    theirs = {(group.condition, group.method): group for group in groups_of(second)}
    rows = []
    for one in groups_of(first):
        place, other = one.condition, theirs.get((one.condition, one.method))
        if other is not None:
            counts = "/".join(str(len(each.runs) + each.could_not_start) for each in (one, other))
            medians = [each.median if each.started else np.nan for each in (one, other)]
            tested = one.started and other.started
            chance = stats.mannwhitneyu(one.errors, other.errors).pvalue if tested else np.nan
            where = place.problem.removeprefix(FUNCTION), place.dim, place.noise, place.budget
            rows.append((*where, one.method, counts, *medians, chance))
    if not rows:
        raise ValueError(
            f"{str(first.directory)!r} and {str(second.directory)!r} have no problem, dimension, "
            "noise, budget and method in common."
        )
    head = ["problem", "d", "noise", "budget", "method", "runs", "A", "B", "p"]
    found = pd.DataFrame(rows, columns=head).astype({"noise": float})
    found.insert(head.index("p"), "B/A", found.B / found.A)
    return found


def comparison_table(comparisons: pd.DataFrame) -> str:
    """The comparisons as a table of text.

    Args:
        comparisons: What ``compare`` returns.

    Returns:
        One line per group, with a head and, in the end, the geometric mean of the ratios and the
        number of differences that a Bonferroni correction leaves significant at 5%.
    """
    shown = comparisons.copy()
    for name in ("problem", "method"):  # to the left
        width = max(len(name), shown[name].str.len().max())
        shown[name] = shown[name].str.ljust(width)
        shown = shown.rename(columns={name: name.ljust(width)})
    forms = {"noise": "{:g}", "budget": "{:g}", "B/A": "{:.3g}", "p": "{:.2g}"}
    for name, form in (forms | dict.fromkeys("AB", "{:.2e}")).items():
        shown[name] = shown[name].map(form.format)
    missing = {"noise": "", "A": Status.COULD_NOT_START, "B": Status.COULD_NOT_START}
    shown = shown.replace({name: {"nan": text} for name, text in missing.items()})
    return "\n".join([shown.to_string(index=False), "", *_summary(comparisons)])


def _summary(comparisons: pd.DataFrame) -> list[str]:
    comparable = comparisons.dropna(subset="p")
    ratios = comparable["B/A"]
    finite = ratios[(ratios > 0) & np.isfinite(ratios)]
    strong = ratios[comparable.p < 0.05 / max(len(comparable), 1)]
    lower, lines = int((strong < 1).sum()), []
    if len(finite):
        lines.append(f"geometric mean of B/A: {stats.gmean(finite):.3g} over {len(finite)} groups")
    lines.append(
        f"of {len(comparable)} groups B is lower in {lower} and higher in {len(strong) - lower} "
        f"beyond chance (rank test, p < 0.05/{len(comparable)})"
    )
    missing = len(comparisons) - len(comparable)
    if missing:
        lines.append(f"groups in which a method could not start, and which do not count: {missing}")
    return lines
