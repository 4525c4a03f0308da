"""The sections that a report can have."""

from __future__ import annotations

from collections.abc import Sequence

from qiskit_arcmaes.bench.report.anytime import on_circuits, on_functions
from qiskit_arcmaes.bench.report.gain_curves import Efficiency
from qiskit_arcmaes.bench.report.groups import Group
from qiskit_arcmaes.bench.report.paper_comparison import compare_with_paper
from qiskit_arcmaes.bench.report.scaling import is_scaling
from qiskit_arcmaes.bench.report.tables import scaled_error, slopes

SECTIONS = {
    "scaling": "Growth with the number of qubits",
    "ranking": "All problems at once",
    "ecdf": "How often which error is reached",
    "convergence": "Error over shots",
    "anytime": "Error during the run",
    "budget": "Error against budget",
    "efficiency": "Gain per shot",
    "scaled-error": "Error times budget",
    "errors": "Errors, problem by problem",
    "seconds": "Seconds",
    "paper": "Comparison with the paper",
}
"""Name to heading, in the order of the page."""


def sections_of(
    groups: Sequence[Group], efficiency: Efficiency | None, shows: Sequence[str]
) -> list[str]:
    """Which sections a report of these groups has.

    Args:
        groups: Of a sweep.
        efficiency: Its curves of gain per shot, if it has them.
        shows: What the experiment is about: these sections come first. The others follow, since the
            data has them.

    Returns:
        Names of ``SECTIONS``, each with something to show.

    Raises:
        ValueError: ``shows`` names an unknown section.
    """
    unknown = [name for name in shows if name not in SECTIONS]
    if unknown:
        raise ValueError(
            f"shows: {unknown[0]!r} is no section of a report; take {', '.join(SECTIONS)}."
        )
    there = {
        "scaling": is_scaling(groups),
        "ranking": len({group.method for group in groups}) > 1,
        "ecdf": any(group.started for group in groups),
        "convergence": any(on_functions(group) for group in groups),
        "anytime": any(on_circuits(group) for group in groups),
        "budget": bool(slopes(groups)),
        "efficiency": efficiency is not None,
        "scaled-error": any(scaled_error(group) is not None for group in groups),
        "errors": bool(groups),
        "seconds": any(group.seconds is not None for group in groups),
        "paper": bool(compare_with_paper(groups)),
    }
    order = [*shows, *(name for name in SECTIONS if name not in shows)]
    if there["ranking"] and "ranking" not in shows:
        order = ["ranking", *(name for name in order if name != "ranking")]
    return [name for name in order if there[name]]
