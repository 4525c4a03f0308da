import matplotlib as mpl
import numpy as np
import pytest

from qiskit_arcmaes.bench.goals import CHEMICAL_ACCURACY
from qiskit_arcmaes.bench.report import drawing
from qiskit_arcmaes.bench.report.groups import Condition, Group
from qiskit_arcmaes.bench.report.style import family_of
from qiskit_arcmaes.bench.report.summary import MOST_ROWS, summary_figure
from qiskit_arcmaes.viz.colours import colour_of, written_name

METHODS = {"frugal": 1.0, "spsa@100": 10.0, "uh": 100.0}


def groups_on(problems, noise=None, budgets=(1000, 10_000)):
    return [
        Group(Condition(problem, 4, noise, budget), name, (0, 1, 2), error * np.array([1.0, 2, 4]))
        for problem in problems
        for budget in budgets
        for name, error in METHODS.items()
    ]


def summary(groups):
    with mpl.rc_context(drawing.RC):
        figure, name, caption = summary_figure(groups)
    assert name == "summary"
    return figure.axes[0], caption


def marks(axes):
    """Colour and place of every mark, by the name of its method."""
    points = [line for line in axes.lines if line.get_marker() in ("o", "s", "^", "D")]
    return {line.get_label(): (line.get_color(), line.get_xdata()[0]) for line in points}


def test_molecules_have_names_a_unit_and_the_line_of_chemical_accuracy():
    axes, caption = summary(groups_on(["h2", "ucc_lih"]))
    assert [label.get_text() for label in axes.get_yticklabels()] == ["H₂", "LiH UCCSD"]
    assert axes.get_xlabel() == "error (hartree)"
    assert [text.get_text() for text in axes.texts] == ["chemical accuracy"]
    assert CHEMICAL_ACCURACY in [line.get_xdata()[0] for line in axes.lines]
    assert "10⁴ shots" in caption
    assert marks(axes) == {
        written_name(family_of(name)): (colour_of(name), 2 * each) for name, each in METHODS.items()
    }


def one_group(method, error, problem="h2"):
    return Group(
        Condition(problem, 4, None, 1000), method, (0, 1, 2), error * np.array([1.0, 2, 4])
    )


def test_of_each_family_the_best_setting_is_drawn_problem_by_problem():
    settings = {"frugal": 1.0, "adam-60": 5.0, "adam-250%weighted": 3.0, "spsa@10": 9.0}
    axes, caption = summary([one_group(name, error) for name, error in settings.items()])
    places = {name: place for name, (_, place) in marks(axes).items()}
    assert places == {"ShotFrugal": 2.0, "Adam": 6.0, "SPSA": 18.0}
    assert "best of its settings" in caption


def test_every_problem_shows_its_best_other_where_no_method_ran_on_all():
    """Six rows, of each another method the best: none is left with our own mark alone."""
    rivals = {"h2": "nft@10", "lih": "icans", "h4": "spsa@10", "ising4": "umda", "ising6": "uh"}
    groups = [one_group("frugal", 1.0, problem) for problem in rivals]
    groups += [one_group(rival, 3.0, problem) for problem, rival in rivals.items()]
    groups += [one_group("cobyla@100", 5.0, problem) for problem in rivals]
    axes, _ = summary(groups)
    assert {"NFT", "iCANS", "SPSA", "umda", "UH-CMA-ES"} <= marks(axes).keys()
    assert "COBYLA" not in marks(axes)


def test_limits_on_jobs_are_rows_in_their_order():
    names = ["frugal%jobs=100", "spsa%jobs=100", "frugal%jobs=20", "spsa%jobs=20"]
    axes, _ = summary([one_group(name, 1.0) for name in names])
    assert [label.get_text() for label in axes.get_yticklabels()] == ["H₂, 20 jobs", "H₂, 100 jobs"]


def test_functions_have_no_such_line():
    axes, _ = summary(groups_on(["function:trid"], noise=1.0))
    assert axes.get_xlabel() == "error (loss above the minimum)"
    assert not axes.texts


def test_many_problems_are_summed_up_by_ratios_to_the_best():
    problems = [f"ising{number}" for number in range(MOST_ROWS + 1)]
    axes, caption = summary(groups_on(problems))
    written = {"ShotFrugal": "frugal", "SPSA": "spsa", "UH-CMA-ES": "uh"}
    assert {label.get_text() for label in axes.get_yticklabels()} == set(written)
    places = {name: place for name, (_, place) in marks(axes).items()}
    assert places == pytest.approx({family_of(name): error for name, error in METHODS.items()})
    assert f"{MOST_ROWS + 1} problems" in caption


def test_without_runs_there_is_none():
    assert summary_figure([]) is None
