"""The paper's numbers compared with ours, and why they agree or cannot."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from qiskit_arcmaes.bench.method_names import base_name
from qiskit_arcmaes.bench.paper import ERRORS, OURS, REASONS, SHARES, TIMES, Printed
from qiskit_arcmaes.bench.report.groups import Condition, Group, grouped, label_of
from qiskit_arcmaes.bench.report.numbers import short, shots
from qiskit_arcmaes.bench.report.tables import Table, methods_of
from qiskit_arcmaes.bench.tasks import FUNCTION

TITLES = {
    "noiseless": "Errors without noise",
    "noisy": "Errors under noise, τ² = 1",
    "nonsmooth-noiseless": "Non-smooth functions without noise",
    "nonsmooth-noisy": "Non-smooth functions under noise, τ² = 1",
    "times": "Seconds for a run",
    "shares": "Share of the runs below a target, over functions and noise levels",
}


def compare_with_paper(groups: Sequence[Group]) -> list[Table]:
    """Every table of the paper for which the sweep has something to set against.

    Args:
        groups: Of a sweep.

    Returns:
        A table for each budget of ours; mean ± spread as the paper gives them, and mean ± standard
        deviation over the runs for ours, since the paper's spread looks like one.
    """
    groups, tables = [group for group in groups if group.started], []
    for name in TITLES:
        printed = [row for row in (*ERRORS, *TIMES) if row.table == name]
        ours = [group for group in groups if any(_matches(row, group) for row in printed)]
        budgets = {f"{shots(each)} shots": same for each, same in grouped(ours, "budget").items()}
        if name == "noiseless" and ours:  # two budgets in one
            budgets = {"the budget of each row": ours}
        tables += [_table(name, printed, same, place) for place, same in budgets.items()]
    return tables + _shares(groups)


def _table(name: str, printed: Sequence[Printed], groups: Sequence[Group], place: str) -> Table:
    """Each method of the paper, followed by ours that are compared with it."""
    entries: dict[str, dict[str, str]] = {}
    own = grouped(groups, "method")
    for theirs in dict.fromkeys(row.method for row in printed):
        entries[f"{theirs} (paper)"] = {
            FUNCTION + row.problem: f"{short(row.mean)} ± {short(row.spread)}"
            for row in printed
            if row.method == theirs
        }
        ours = [each for each in methods_of(groups) if base_name(each) in OURS[theirs]]
        for method in sorted(ours, key=lambda each: OURS[theirs].index(base_name(each))):
            entries[method] = {
                each.condition.problem: _measured(each, name) for each in own[method]
            }
    frame = pd.DataFrame(entries).fillna("—")
    known = grouped(groups, "problem")
    problems = dict.fromkeys(FUNCTION + row.problem for row in printed)
    rows = [[label_of(each), *frame.loc[each]] for each in problems if each in known]
    budgets = " or ".join(map(shots, dict.fromkeys(row.budget for row in printed)))
    title = f"{TITLES[name]}: the paper at {budgets}, ours at {place}"
    reason = f"{REASONS[name]} Ours: mean ± standard deviation over the runs."
    above = f"### {title}", "", reason, ""
    return Table(["function", *frame], rows, above)


def _matches(row: Printed, group: Group) -> bool:
    budget = row.budget if row.table == "noiseless" else group.condition.budget
    place = Condition(FUNCTION + row.problem, row.dim, row.noise, budget)
    return group.condition == place and base_name(group.method) in OURS[row.method]


def _measured(group: Group, table: str) -> str:
    mean, spread = group.seconds, group.seconds_std
    if table != "times":
        mean = float(np.mean(group.errors))
        spread = float(np.std(group.errors, ddof=1)) if group.errors.size > 1 else None
    return short(mean) + ("" if spread is None else f" ± {short(spread)}")


def _shares(groups: Sequence[Group]) -> list[Table]:
    """One row for each share that the paper's text gives and the sweep has runs for."""
    rows = []
    noisy = [group for group in groups if group.condition.noise in (1.0, 10.0, 100.0)]
    places = grouped(noisy, "dim", "budget")
    for share in SHARES:
        there = places.get((share.dim, share.budget), [])
        ours = [group for group in there if base_name(group.method) in OURS[share.method]]
        where = f"{shots(share.budget)} shots, error ≤ {short(share.target, 1)}"
        for method, own in grouped(ours, "method").items():
            errors = np.concatenate([group.errors for group in own])
            reached = f"{method}: {np.mean(errors <= share.target):.0%} of {errors.size} runs"
            rows.append([where, f"{share.method}: {share.share:.0%}", reached])
    above = f"### {TITLES['shares']}", "", REASONS["shares"], ""
    return [Table(["d = 20", "paper", "ours"], rows, above)] if rows else []
