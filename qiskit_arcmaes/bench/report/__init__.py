"""What a sweep is turned into: a page, figures for a paper, tables for a text."""

from __future__ import annotations

import os
from pathlib import Path

from qiskit_arcmaes.bench.report.anytime import anytime_table
from qiskit_arcmaes.bench.report.figures import write_figures
from qiskit_arcmaes.bench.report.html import page
from qiskit_arcmaes.bench.report.markdown import FIGURES, results_page
from qiskit_arcmaes.bench.store import Store, StoreError

__all__ = ["write_report"]

PAGE, RESULTS, ANYTIME = "report.html", "results.md", "anytime.csv"


def write_report(directory: str | os.PathLike[str]) -> Path:
    """Turn a sweep into a page, figures and a text.

    Args:
        directory: Where the sweep is, finished or not. ``report.html``, ``results.md``, for runs
            on circuits ``anytime.csv`` (their errors during the run), and the folder ``figures``
            are written there.

    Returns:
        The page.

    Raises:
        StoreError: There is no sweep, or no run of it has ended.
    """
    store = Store.open(directory)
    if store.table("runs").empty and store.table("efficiency").empty:
        raise StoreError(f"{str(directory)!r} has no finished run yet; let the sweep go on first.")
    place = Path(directory)
    figures = write_figures(store, place / FIGURES)
    text = results_page(store, figures)
    during = anytime_table(store)
    if len(during):
        during.to_csv(place / ANYTIME, index=False, lineterminator="\n")
    (place / RESULTS).write_text(text, encoding="utf-8")
    (place / PAGE).write_text(page(text, figures), encoding="utf-8")
    return place / PAGE
