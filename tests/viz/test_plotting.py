"""Pictures of runs: what is drawn is what the history holds."""

import itertools
import subprocess
import sys

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg

from qiskit_arcmaes import (
    ARCMAES,
    METHODS,
    GaussianOracle,
    History,
    get_function,
    minimize,
    plot_run,
    plot_runs,
)
from qiskit_arcmaes.engine.history import COMMON

SPHERE = get_function("sphere", 3)


def solve(method="frugal", seed=1, shots=4000, **settings):
    oracle = GaussianOracle(SPHERE, seed=seed)
    return minimize(oracle, [1.0] * 3, max_shots=shots, method=method, seed=seed, **settings)


def lines(axes):
    return {line.get_label(): line.get_ydata() for line in axes.get_lines()}


def diagnostics(result):
    own = [name for name in result.history.columns if name not in COMMON]
    return [name for name in own if np.isfinite(result.history[name]).any()]


SETTINGS = [{"method": name} for name in METHODS]
SETTINGS += [{"method": "frugal", "bounds": [(-np.pi, np.pi)] * 3}]


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_every_kind_of_run_has_its_picture(settings):
    """Over the shots spent: the value with its band and the truth, and the shots per point."""
    result = solve(**settings)
    history, picture = result.history, result.plot(reference=0.0, title="a sphere")
    value, shots = picture.axes
    assert [axes.get_ylabel() for axes in picture.axes] == ["value", "shots per point"]
    assert shots.get_xlabel() == "shots spent"
    (curve,) = shots.get_lines()
    np.testing.assert_array_equal(curve.get_xdata(), history["spent"])
    np.testing.assert_array_equal(curve.get_ydata(), history["shots"])
    known = np.isfinite(history["value"])
    drawn = value.get_lines()[0]
    np.testing.assert_array_equal(drawn.get_xdata(), history["spent"][known])
    np.testing.assert_array_equal(drawn.get_ydata(), history["value"][known])
    band = value.collections[0].get_paths()[0].vertices[:, 1]
    with_error = known & np.isfinite(history["value_std"])
    upper = history["value"] + 2 * history["value_std"]
    assert np.isclose(band[:, None], upper[with_error]).any(axis=0).all()
    assert lines(value)["true minimum"] == [0.0, 0.0]
    assert picture.get_suptitle() == "a sphere"


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_details_are_the_methods_own_columns_under_their_labels(settings):
    """One panel for every diagnostic, under the words that the method has for it."""
    result = solve(**settings)
    _, _, *panels = result.plot(details=True).axes
    shown = diagnostics(result)
    assert shown
    titles = [panel.get_title().replace("\n", " ") for panel in panels]
    assert titles == [result.labels[name] for name in shown]
    for panel, name in zip(panels, shown, strict=True):
        (curve,) = panel.get_lines()
        np.testing.assert_array_equal(curve.get_xdata(), result.history["spent"])
        np.testing.assert_array_equal(curve.get_ydata(), result.history[name])


def test_optimizers_draw_the_same_picture():
    result = ARCMAES(4000, seed=1).minimize(GaussianOracle(SPHERE, seed=1), [1.0] * 3)
    assert len(result.plot(reference=0.0).axes) == 2
    assert len(result.plot(details=True).axes) == 2 + len(diagnostics(result))


@pytest.mark.parametrize(
    ("values", "scale"),
    [
        ([1.0, 2.0, 3.0], "linear"),
        ([1.0, 10.0, 100.0], "log"),
        ([-1.0, 1.0, 100.0], "symlog"),
        ([-1.0, 1.0, 2.0], "linear"),
        ([0.0, 0.0, 100.0], "linear"),
        ([np.nan, 1.0, 100.0], "log"),
    ],
)
def test_a_panel_has_the_axis_that_shows_all_values(values, scale):
    history = History()
    for value in values:
        history.append({**dict.fromkeys(COMMON, 1.0), "something_new": value})
    panel = plot_run(history, details=True).axes[-1]
    assert panel.get_title() == "something new"
    assert panel.get_yscale() == scale


def test_labels_stand_above_the_panels():
    history = History()
    for value in (1.0, 2.0):
        history.append({**dict.fromkeys(COMMON, 1.0), "gain": value})
    panel = plot_run(history, labels={"gain": "expected gain"}, details=True).axes[-1]
    assert panel.get_title() == "expected gain"


def test_columns_without_a_finite_value_have_no_panel():
    history = History()
    history.append({**dict.fromkeys(COMMON, 1.0), "gain": np.nan})
    assert len(plot_run(history, details=True).axes) == 2


def test_the_fresh_estimate_stands_at_the_end():
    result = solve()
    axes = result.plot().axes[0]
    (point,) = [each for each in axes.containers if each.get_label() == "result"]
    assert point.lines[0].get_xydata().tolist() == [[result.history["spent"][-1], result.fun]]
    without = plot_run(result.history).axes[0]
    assert not without.containers
    assert "true minimum" not in lines(without)


def test_a_run_stopped_before_its_last_estimate_can_be_drawn():
    def stop(*_):
        return True

    result = solve("cma", callback=stop)
    assert len(result.history) == 1
    result.fun = result.fun_std = float("nan")
    assert result.plot()._repr_png_().startswith(b"\x89PNG")


def test_several_runs_are_drawn_over_the_shots_they_spent():
    results = {"frugal": solve(), "uh": [solve("uh", seed) for seed in range(4)]}
    picture = plot_runs(results, reference=0.0, title="two")
    value, shots = picture.axes
    assert list(lines(value)) == list(lines(shots)) == ["frugal", "uh"]
    single = results["frugal"].history
    known = np.isfinite(single["value"])
    np.testing.assert_array_equal(lines(value)["frugal"], np.abs(single["value"])[known])
    band = value.collections[0].get_paths()[0].vertices[:, 1]
    ends = [run.history["value"][-1] for run in results["uh"]]
    assert lines(value)["uh"][-1] == pytest.approx(np.median(np.abs(ends)))
    lower, upper = np.quantile(np.abs(ends), [0.25, 0.75])
    assert np.isclose(band, lower).any()
    assert np.isclose(band, upper).any()
    assert value.get_yscale() == "log"


def test_without_a_reference_the_value_itself_is_drawn():
    result = solve("cma")
    value, _ = plot_runs({"cma": result}).axes
    np.testing.assert_array_equal(lines(value)["cma"], result.history["value"])
    assert value.get_yscale() == "linear"
    with pytest.raises(ValueError, match="results is empty"):
        plot_runs({})


def test_a_run_loads_nothing_that_only_pictures_need():
    code = (
        "import sys, qiskit_arcmaes as q\n"
        "r = q.minimize(lambda x: float(x @ x), [1.0], max_shots=500, seed=1, tau=0.0,\n"
        "               progress=True)\n"
        "repr(r), r._repr_html_(), r.history._repr_html_()\n"
        "print({'matplotlib', 'rich', 'IPython'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout == "set()\n"


def test_without_matplotlib_the_error_says_what_to_install():
    code = (
        "import sys, qiskit_arcmaes as q\n"
        "sys.modules['matplotlib'] = sys.modules['matplotlib.axes'] = None\n"
        "r = q.minimize(lambda x: float(x @ x), [1.0], max_shots=500, seed=1, tau=0.0)\n"
        "r.plot()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "pictures need matplotlib: pip install 'qiskit-arcmaes[plot]'" in done.stderr


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_titles_and_numbers_do_not_touch(settings):
    """All texts of the picture, as drawn: no two of them overlap."""
    picture = solve(**settings).plot(title="a sphere", details=True)
    canvas = FigureCanvasAgg(picture)
    canvas.draw()
    texts = [picture._suptitle, *(axes.title for axes in picture.axes)]
    for axes in picture.axes:
        texts += [axes.xaxis.label, axes.yaxis.label]
        for axis in (axes.xaxis, axes.yaxis):
            low, high = sorted(axis.get_view_interval())
            texts += [t.label1 for t in axis.get_major_ticks() if low <= t.get_loc() <= high]
    boxes = [t.get_window_extent() for t in texts if t.get_visible() and t.get_text()]
    touching = [(a, b) for a, b in itertools.combinations(boxes, 2) if a.overlaps(b)]
    assert not touching


@pytest.mark.parametrize("unit", ["Hartree", "hartree", "Ha"])
def test_energies_in_hartree_have_a_line_for_chemical_accuracy(unit):
    """Only where the caller names the unit and the true minimum."""
    result = solve()
    value, _ = result.plot(reference=-1.0, unit=unit).axes
    assert lines(value)["chemical accuracy"] == [1.6e-3, 1.6e-3]
    assert lines(value)["true minimum"] == [0.0, 0.0]
    known = np.isfinite(result.history["value"])
    drawn = value.get_lines()[0].get_ydata()
    np.testing.assert_allclose(drawn, result.history["value"][known] + 1.0)
    (point,) = [each for each in value.containers if each.get_label() == "result"]
    assert point.lines[0].get_ydata() == pytest.approx([result.fun + 1.0])
    assert value.get_ylabel() == f"value minus true minimum ({unit})"
    several, _ = plot_runs({"frugal": result}, reference=-1.0, unit=unit).axes
    assert lines(several)["chemical accuracy"] == [1.6e-3, 1.6e-3]


@pytest.mark.parametrize(
    ("settings", "label"),
    [
        ({"unit": "eV", "reference": 0.0}, "value (eV)"),
        ({"unit": "Hartree"}, "value (Hartree)"),
        ({"reference": 0.0}, "value"),
    ],
)
def test_other_units_and_unknown_minima_have_no_such_line(settings, label):
    result = solve()
    value, _ = result.plot(**settings).axes
    assert "chemical accuracy" not in lines(value)
    assert value.get_ylabel() == label
    several, _ = plot_runs({"frugal": result}, **settings).axes
    assert "chemical accuracy" not in lines(several)


def test_the_legend_stands_above_the_data():
    axes = plot_run(solve().history, reference=0.0).axes[0]
    axes.figure.draw_without_rendering()
    box = axes.get_legend().get_window_extent()
    assert box.y0 >= axes.get_window_extent().y1 - 1


def test_shots_per_point_are_written_out_where_they_hardly_change():
    axes = plot_run(solve("cma", tau=0.0).history).axes[1]
    axes.figure.draw_without_rendering()
    written = [text.get_text() for text in axes.get_yticklabels(which="both")]
    assert any(text.isdigit() for text in written)
    assert not any("$" in text for text in written)
