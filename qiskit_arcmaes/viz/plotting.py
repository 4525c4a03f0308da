"""Pictures of runs. Needs the ``plot`` extra (matplotlib)."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from qiskit_arcmaes.engine.history import COMMON, History

try:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
except ImportError as error:
    raise ImportError(
        "pictures need matplotlib: pip install 'qiskit-arcmaes[plot]'. The numbers are in "
        "result.history."
    ) from error

Array = NDArray[np.float64]

_ACROSS = 4  # panels side by side for what the method believed
_DECADES = 30.0  # ratio of largest to smallest value above which an axis is logarithmic
_BAND = 2.0  # half the height of an error band, in standard errors

MEANING = {
    "noise": "variance of one shot",
    "gain": "expected gain",
    "gain_error": "gain: part lost to noise",
    "gain_noise": "gain: part lost to noise",
    "efficiency": "gain per cost",
    "curvature": "trace of the curvature",
    "odd_misfit": "misfit of the slopes",
    "even_misfit": "misfit of the curvatures",
    "width": "widest axis of the cloud",
    "cut": "share of the step taken",
    "start": "start",
    "leader": "leader: model (0), population (1)",
    "spacing": "spacing of the pairs (rad)",
    "disagreement": "slopes: two spacings differ",
    "slope": "length of the mean slope",
    "rate": "step (rad)",
    "order": "order of the model",
    "trigonometric": "trigonometric form (1) or quadratic (0)",
    "misfit": "misfit",
    "signal": "signal: σ²‖g‖²",
    "a": "a of Eq. (15)",
    "b": "b of Eq. (15)",
    "lipschitz": "Lipschitz constant K",
    "gradient_square": "‖g‖²",
    "rate_mean": "learning rate of the mean",
    "rate_covariance": "learning rate of C",
    "popsize": "population",
    "path_length": "squared length of the path",
    "stage": "stage",
    "uncertainty": "uncertainty of the ranks",
}
"""What stands above the panels of the columns that a method adds to the history."""


class HasHistory(Protocol):
    """What ``minimize`` and the optimizers return, as far as pictures need it."""

    history: History
    fun: float
    fun_std: float


class Picture(Figure):
    """A matplotlib figure that notebooks show without pyplot."""

    def _repr_png_(self) -> bytes:
        file = io.BytesIO()
        self.savefig(file, format="png", dpi=100)
        return file.getvalue()


def plot_run(
    history: History,
    reference: float | None = None,
    title: str = "",
    final: tuple[float, float] | None = None,
) -> Picture:
    """Draw a run: value with its error band, shots of every job, what the method believed.

    Args:
        history: ``result.history``.
        reference: The true minimum, drawn as a line, where it is known; in the loss's units.
        title: Stands above the picture.
        final: The fresh estimate at the end and its standard error.

    Returns:
        A figure; notebooks show it, ``savefig`` writes it.

    Example:
        >>> from qiskit_arcmaes import GaussianOracle, get_function, minimize
        >>> oracle = GaussianOracle(get_function("sphere", 3), seed=1)
        >>> result = minimize(oracle, [1.0] * 3, max_shots=5000, seed=1)
        >>> picture = plot_run(result.history, reference=0.0)
        >>> [axes.get_ylabel() for axes in picture.axes[:3]]
        ['value', 'size of the error', 'shots']
    """
    beliefs = [name for name in history.columns if name not in COMMON]
    beliefs = [name for name in beliefs if np.isfinite(history[name]).any()]
    rows = -(-len(beliefs) // _ACROSS)
    picture = Picture(figsize=(9, 6.4 + 1.5 * rows), layout="constrained")
    grid = picture.add_gridspec(3 + rows, _ACROSS, height_ratios=[2.2, 1.5, 1.8] + [1.2] * rows)
    main = [picture.add_subplot(grid[row, :]) for row in range(3)]
    jobs = np.arange(1.0, len(history) + 1)
    _draw_value(main[0], jobs, history, reference, final)
    _draw_error(main[1], jobs, history, reference)
    _draw_shots(main[2], jobs, history)
    for axes in main:
        axes.legend(fontsize="small", framealpha=0.6)
    main[2].set_xlabel("job")
    for place, name in enumerate(beliefs):
        axes = picture.add_subplot(grid[3 + place // _ACROSS, place % _ACROSS])
        _draw_belief(axes, jobs, name, history[name])
    picture.suptitle(title)
    return picture


def _draw_value(
    axes: Axes,
    jobs: Array,
    history: History,
    reference: float | None,
    final: tuple[float, float] | None,
) -> None:
    value, band = history["value"], _BAND * history["value_std"]
    known = np.isfinite(value)
    axes.plot(jobs[known], value[known], label="value as the method believes it", linewidth=1)
    axes.fill_between(jobs, value - band, value + band, alpha=0.3, label="± 2 standard errors")
    if final is not None and np.isfinite(final[0]):
        axes.errorbar(
            len(jobs) + 1,
            final[0],
            _BAND * final[1],
            fmt="o",
            markersize=4,
            color="black",
            label="fresh estimate",
        )
    if reference is not None:
        axes.axhline(reference, color="black", linestyle=":", label="true minimum")
    axes.set_ylabel("value")


def _draw_error(axes: Axes, jobs: Array, history: History, reference: float | None) -> None:
    axes.plot(jobs, history["value_std"], color="tab:gray", label="standard error of the value")
    if reference is not None:
        distance = np.abs(history["value"] - reference)
        axes.plot(jobs, distance, linewidth=1, label="distance of the value from the true minimum")
    axes.set_yscale("log")
    axes.set_ylabel("size of the error")


def _draw_shots(axes: Axes, jobs: Array, history: History) -> None:
    axes.step(jobs, history["shots"], where="mid", label="shots a point (M)")
    axes.step(jobs, np.diff(history["spent"], prepend=0), where="mid", label="shots of the job")
    axes.plot(jobs, history["spent"], color="tab:gray", label="all shots so far")
    axes.set_yscale("log")
    axes.set_ylabel("shots")


def _draw_belief(axes: Axes, jobs: Array, name: str, values: Array) -> None:
    axes.plot(jobs, values, linewidth=1)
    axes.set_title(MEANING.get(name, name), fontsize="small")
    axes.tick_params(labelsize="x-small")
    finite = values[np.isfinite(values)]
    size = np.abs(finite)
    typical = float(np.median(size))
    if np.all(finite > 0) and size.max() > _DECADES * size.min():
        axes.set_yscale("log")
    elif typical > 0 and size.max() > _DECADES * typical:
        axes.set_yscale("symlog", linthresh=typical)


def plot_runs(
    results: Mapping[str, HasHistory | Sequence[HasHistory]],
    reference: float | None = None,
    title: str = "",
) -> Picture:
    """Draw several runs over the shots they spent: value, or its distance from the truth, and M.

    Args:
        results: A result for each name, or several of one kind (runs with other seeds): of these
            the median is drawn, with the range from the lower to the upper quartile.
        reference: The true minimum, where it is known: then the distance of the value from it is
            drawn on a logarithmic axis. A value is what its method believes, noise included.
        title: Stands above the picture.

    Returns:
        A figure; notebooks show it, ``savefig`` writes it.

    Example:
        >>> from qiskit_arcmaes import GaussianOracle, get_function, minimize
        >>> sphere = get_function("sphere", 3)
        >>> results = {
        ...     method: [
        ...         minimize(GaussianOracle(sphere, seed=s), [1.0] * 3, max_shots=5000,
        ...                  method=method, seed=s) for s in range(3)
        ...     ]
        ...     for method in ("ar", "uh")
        ... }
        >>> picture = plot_runs(results, reference=0.0)
        >>> [text.get_text() for text in picture.axes[0].get_legend().get_texts()]
        ['ar', 'uh']
    """
    if not results:
        raise ValueError("results is empty; give at least one result under its name.")
    picture = Picture(figsize=(9, 6), layout="constrained")
    value_axis, shots_axis = picture.subplots(2, 1, sharex=True, height_ratios=[2, 1])
    for number, (name, given) in enumerate(results.items()):
        runs = list(given) if isinstance(given, Sequence) else [given]
        style: dict[str, Any] = {"color": f"C{number % 10}", "label": name}
        _draw_curves(value_axis, [_value_curve(run, reference) for run in runs], style)
        _draw_curves(
            shots_axis, [(run.history["spent"], run.history["shots"]) for run in runs], style
        )
    value_axis.set_ylabel("value" if reference is None else "distance from the true minimum")
    value_axis.legend()
    shots_axis.set_ylabel("shots a point (M)")
    shots_axis.set_xlabel("shots spent")
    shots_axis.set_xscale("log")
    shots_axis.set_yscale("log")
    if reference is not None:
        value_axis.set_yscale("log")
    picture.suptitle(title)
    return picture


def _value_curve(result: HasHistory, reference: float | None) -> tuple[Array, Array]:
    history = result.history
    value = history["value"]
    return history["spent"], value if reference is None else np.abs(value - reference)


def _draw_curves(axes: Axes, curves: Sequence[tuple[Array, Array]], style: dict[str, Any]) -> None:
    """One curve as it is; of several the median, with the quartiles as a band."""
    curves = [(spent[np.isfinite(values)], values[np.isfinite(values)]) for spent, values in curves]
    curves = [curve for curve in curves if len(curve[0])]
    if len(curves) == 1:
        axes.plot(*curves[0], linewidth=1, **style)
    elif curves:
        low = max(spent[0] for spent, _ in curves)
        high = max(max(spent[-1] for spent, _ in curves), low * 1.01)
        common = np.geomspace(low, high, 200)
        table = np.array([_at(spent, values, common) for spent, values in curves])
        lower, middle, upper = np.quantile(table, [0.25, 0.5, 0.75], axis=0)
        axes.plot(common, middle, linewidth=1, **style)
        axes.fill_between(common, lower, upper, alpha=0.2, color=style["color"], linewidth=0)


def _at(spent: Array, values: Array, common: Array) -> Array:
    """The value that was the last one when so much was spent."""
    return values[np.maximum(np.searchsorted(spent, common, side="right") - 1, 0)]
