"""Pictures of runs. Needs the ``plot`` extra (matplotlib)."""

from __future__ import annotations

import io
import textwrap
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from qiskit_arcmaes.engine.history import COMMON, History
from qiskit_arcmaes.viz.colours import colour_of

try:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.ticker import EngFormatter, FixedLocator, MaxNLocator, NullFormatter
except ImportError as error:
    raise ImportError(
        "pictures need matplotlib: pip install 'qiskit-arcmaes[plot]'. The numbers are in "
        "result.history."
    ) from error

Array = NDArray[np.float64]

_ACROSS = 3  # panels side by side for the diagnostics
_TICKS = 5  # intervals between the numbers below a diagnostic, at most
_LABEL_WIDTH = 34  # characters per line above a panel
_DECADES = 30.0  # ratio of largest to smallest value above which an axis is logarithmic
_FEW_DECADES = 10.0  # ratio of the ends of an axis of shots below which ticks between are numbered
_NAMES_ACROSS = 4  # names in a row of a legend
_BAND = 2.0  # half the height of an error band, in standard errors
_HARTREE = ("hartree", "ha", "eh")  # how the unit may be spelled, in lower case
_CHEMICAL_ACCURACY = 1.6e-3  # Hartree: 1 kcal/mol


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
    labels: Mapping[str, str] | None = None,
    details: bool = False,
    unit: str = "",
) -> Picture:
    """Draw a run over the shots spent: value with its error band, and shots per point.

    Args:
        history: ``result.history``.
        reference: The true minimum, drawn as a line, where it is known; in the loss's units.
        title: Stands above the picture.
        final: The fresh estimate at the end and its standard error.
        labels: What the method's own columns mean, ``result.labels``.
        details: Whether to draw one more panel for each diagnostic of the method.
        unit: Unit of the loss. "Hartree" together with ``reference`` draws the energy above the
            reference, with a line for chemical accuracy (1.6 mHa): the axis is linear near the
            reference, and logarithmic beyond.

    Returns:
        A figure; notebooks show it, ``savefig`` writes it.

    Example:
        >>> from qiskit_arcmaes import GaussianOracle, get_function, minimize
        >>> oracle = GaussianOracle(get_function("sphere", 3), seed=1)
        >>> result = minimize(oracle, [1.0] * 3, max_shots=5000, seed=1)
        >>> picture = plot_run(result.history, reference=0.0)
        >>> [axes.get_ylabel() for axes in picture.axes]
        ['value', 'shots per point']
    """
    diagnostics = _shown(history) if details else []
    rows = -(-len(diagnostics) // _ACROSS)
    picture = Picture(figsize=(9, 5.6 + 1.6 * rows), layout="constrained")
    grid = picture.add_gridspec(2 + rows, _ACROSS, height_ratios=[2.2, 1.4] + [1.2] * rows)
    value_axes = picture.add_subplot(grid[0, :])
    shots_axes = picture.add_subplot(grid[1, :], sharex=value_axes)
    if reference is not None and _is_hartree(unit):
        _draw_value(value_axes, history, 0.0, final, zero=reference)
        _draw_chemical_accuracy(value_axes)
        _scale_both_signs(value_axes, *_distances(history, reference))
        value_axes.set_ylabel(f"value minus true minimum ({unit})")
    else:
        _draw_value(value_axes, history, reference, final)
        value_axes.set_ylabel(_with_unit("value", unit))
    _add_legend(value_axes)
    value_axes.tick_params(labelbottom=False)
    shots_axes.step(history["spent"], history["shots"], where="mid", linewidth=1)
    _label_shots(shots_axes)
    shots_axes.xaxis.set_major_formatter(EngFormatter(sep=""))
    for place, name in enumerate(diagnostics):
        axes = picture.add_subplot(grid[2 + place // _ACROSS, place % _ACROSS])
        label = (labels or {}).get(name, name.replace("_", " "))
        _draw_diagnostic(axes, history["spent"], history[name], label)
    picture.suptitle(title)
    return picture


def _add_legend(axes: Axes) -> None:
    """A legend above the panel, where it hides no data."""
    axes.legend(
        loc="lower left",
        bbox_to_anchor=(0.0, 1.0),
        ncols=_NAMES_ACROSS,
        fontsize="small",
        frameon=False,
    )


def _label_shots(axes: Axes) -> None:
    """A logarithmic axis of shots per point, its numbers written out."""
    axes.set_yscale("log")
    axes.yaxis.set_major_formatter("{x:,.0f}")
    low, high = axes.get_ylim()
    few = high < _FEW_DECADES * low  # no power of ten might be in view
    axes.yaxis.set_minor_formatter("{x:,.0f}" if few else NullFormatter())
    axes.set_ylabel("shots per point")
    axes.set_xlabel("shots spent")


def _shown(history: History) -> list[str]:
    """The diagnostics that have a finite value."""
    own = [name for name in history.columns if name not in COMMON]
    return [name for name in own if np.isfinite(history[name]).any()]


def _is_hartree(unit: str) -> bool:
    return unit.strip().lower() in _HARTREE


def _with_unit(label: str, unit: str) -> str:
    return f"{label} ({unit})" if unit else label


def _distances(history: History, reference: float) -> tuple[float, float]:
    """How far the second half of the run lies from the reference, and all of it at most."""
    distance = np.abs(history["value"] - reference) + np.nan_to_num(_BAND * history["value_std"])
    known = np.isfinite(distance)
    late = distance[known & (history["spent"] >= history["spent"][-1] / 2)]
    typical = max(float(np.median(late)) if late.size else 0.0, _CHEMICAL_ACCURACY)
    return typical, max(float(np.max(distance[known], initial=0.0)), typical)


def _draw_chemical_accuracy(axes: Axes) -> None:
    axes.axhline(
        _CHEMICAL_ACCURACY, color="0.35", linestyle="--", linewidth=1, label="chemical accuracy"
    )


def _draw_value(
    axes: Axes,
    history: History,
    reference: float | None,
    final: tuple[float, float] | None,
    zero: float = 0.0,
) -> None:
    """The value above ``zero`` with its band, the fresh estimate, and the truth as a line."""
    spent, value, band = history["spent"], history["value"] - zero, _BAND * history["value_std"]
    known = np.isfinite(value)
    label = "value at the present point, ± 2 standard errors"
    axes.plot(spent[known], value[known], linewidth=1, label=label)
    axes.fill_between(spent, value - band, value + band, alpha=0.3)
    if final is not None and np.isfinite(final[0]):
        style: dict[str, Any] = {"fmt": "o", "markersize": 4, "color": "black"}
        axes.errorbar(spent[-1], final[0] - zero, _BAND * final[1], label="result", **style)
    if reference is not None:
        axes.axhline(reference, color="black", linestyle=":", label="true minimum")


def _draw_diagnostic(axes: Axes, spent: Array, values: Array, label: str) -> None:
    axes.plot(spent, values, linewidth=1)
    axes.set_title(textwrap.fill(label, _LABEL_WIDTH), fontsize="small")
    axes.tick_params(labelsize="x-small")
    axes.xaxis.set_major_locator(MaxNLocator(_TICKS))
    axes.xaxis.set_major_formatter(EngFormatter(sep=""))
    finite = values[np.isfinite(values)]
    size = np.abs(finite)
    typical = float(np.median(size))
    if np.all(finite > 0) and size.max() > _DECADES * size.min():
        axes.set_yscale("log")
        axes.yaxis.set_minor_formatter(NullFormatter())
    elif typical > 0 and size.max() > _DECADES * typical:
        _scale_both_signs(axes, typical, size.max())


def _scale_both_signs(axes: Axes, typical: float, largest: float) -> None:
    """An axis that is linear up to the power of ten below ``typical``, logarithmic beyond."""
    first, last = int(np.floor(np.log10(typical))), int(np.ceil(np.log10(largest)))
    stride = max(1, -(-(last - first) // 3))
    powers = [10.0**power for power in range(first, last + 1, stride)]
    axes.set_yscale("symlog", linthresh=powers[0], linscale=stride)
    axes.yaxis.set_major_locator(FixedLocator([*(-power for power in powers), 0.0, *powers]))


def plot_runs(
    results: Mapping[str, HasHistory | Sequence[HasHistory]],
    reference: float | None = None,
    title: str = "",
    unit: str = "",
) -> Picture:
    """Draw several runs over the shots they spent: value, or its distance from the truth, and M.

    Args:
        results: A result for each name, or several of one kind (runs with other seeds): of these
            the median is drawn, with the range from the lower to the upper quartile. Under the
            names of methods ("frugal", "ARCMAES") each has the colour that it has everywhere.
        reference: The true minimum, where it is known: then the distance of the value from it is
            drawn on a logarithmic axis. A value is what its method estimates, noise included.
        title: Stands above the picture.
        unit: Unit of the loss. "Hartree" together with ``reference`` draws a line for chemical
            accuracy (1.6 mHa).

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
        ...     for method in ("frugal", "ar")
        ... }
        >>> picture = plot_runs(results, reference=0.0)
        >>> [text.get_text() for text in picture.axes[0].get_legend().get_texts()]
        ['frugal', 'ar']
    """
    if not results:
        raise ValueError("results is empty; give at least one result under its name.")
    picture = Picture(figsize=(9, 6), layout="constrained")
    value_axis, shots_axis = picture.subplots(2, 1, sharex=True, height_ratios=[2, 1])
    for (name, given), colour in zip(results.items(), _colours(list(results)), strict=True):
        runs = list(given) if isinstance(given, Sequence) else [given]
        style: dict[str, Any] = {"color": colour, "label": name}
        _draw_curves(value_axis, [_value_curve(run, reference) for run in runs], style)
        _draw_curves(
            shots_axis, [(run.history["spent"], run.history["shots"]) for run in runs], style
        )
    if reference is not None and _is_hartree(unit):
        _draw_chemical_accuracy(value_axis)
    label = "value" if reference is None else "distance from the true minimum"
    value_axis.set_ylabel(_with_unit(label, unit))
    _add_legend(value_axis)
    shots_axis.set_xscale("log")
    _label_shots(shots_axis)
    if reference is not None:
        value_axis.set_yscale("log")
    picture.suptitle(title)
    return picture


def _colours(names: Sequence[str]) -> list[str]:
    """Colours of the methods by name; matplotlib's, in turn, where a name is not that of a method.

    Names of one method (``"ar, seed 1"``, ``"ar, seed 2"``) would look the same, so that they get
    matplotlib's colours too.
    """
    known = [colour_of(name) for name in names]
    if None in known or len(set(known)) < len(known):
        return [f"C{number % 10}" for number in range(len(names))]
    return [colour for colour in known if colour]


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
