"""Pictures of runs. Needs the ``plot`` extra (matplotlib)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from qiskit_arcmaes.history import History

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def plot_run(history: History, reference: float | None = None, title: str = "") -> Figure:
    """Draw a run: value with its error band, shots of every job, and what was spent.

    Args:
        history: ``result.history``.
        reference: The true minimum, drawn as a line, where it is known.
        title: Stands above the picture.

    Example:
        >>> from qiskit_arcmaes import GaussianOracle, get_function, minimize
        >>> oracle = GaussianOracle(get_function("sphere", 3), seed=1)
        >>> result = minimize(oracle, [1.0] * 3, max_shots=5000, seed=1)
        >>> len(plot_run(result.history, reference=0.0).axes)
        3
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 7), layout="constrained")
    value_axis, shots_axis, spent_axis = figure.subplots(3, 1, sharex=True)
    jobs = np.arange(1, len(history) + 1)
    value = history["value"]
    error = history["value_std"]
    value_axis.plot(jobs, value, label="value")
    value_axis.fill_between(
        jobs, value - 2 * error, value + 2 * error, alpha=0.3, label="± 2 std. errors"
    )
    if reference is not None:
        value_axis.axhline(reference, color="black", linestyle=":", label="exact minimum")
    value_axis.set_ylabel("value")
    value_axis.legend()
    shots_axis.step(jobs, history["shots"], where="mid")
    shots_axis.set_yscale("log")
    shots_axis.set_ylabel("shots a point (M)")
    spent_axis.plot(jobs, history["spent"])
    spent_axis.set_ylabel("shots spent")
    spent_axis.set_xlabel("job")
    figure.suptitle(title)
    return figure
