import re

import pytest

from qiskit_arcmaes.bench.catalog import EXPERIMENTS
from qiskit_arcmaes.bench.report.page import results_page
from qiskit_arcmaes.bench.report.sections import SECTIONS, sections_of
from qiskit_arcmaes.bench.store import Record, Scores, Store
from qiskit_arcmaes.bench.tasks import Task


@pytest.mark.parametrize("experiment", EXPERIMENTS.values(), ids=lambda each: each.name)
def test_every_experiment_asks_for_known_sections(experiment):
    assert experiment.shows
    assert set(experiment.shows) <= set(SECTIONS)


def test_goals_and_the_ranking_come_first_and_the_names_of_the_methods_last():
    wanted = sections_of(("errors", "scaled-error"))
    assert wanted == ["goals", "ranking", "errors", "scaled-error", "anytime", "methods"]
    assert sections_of(("scaling", "errors")) == ["goals", "scaling", "errors", "methods"]
    assert sections_of(("errors", "ranking"))[1:3] == ["errors", "ranking"]
    assert sections_of(()) == list(SECTIONS)


def test_only_sections_with_something_to_show_are_on_the_page(tmp_path):
    store = Store.create(tmp_path / "sweep", {"experiment": "part", "settings": {}, "root_seed": 1})
    assert "## " not in results_page(store, [])
    task = Task("part", "function:sphere", 2, 0.0, 1000, "frugal", 0)
    store.add(Record(task, Scores(1, 0.5, None, None, 9, 1, "budget spent"), [(9, 0.5)]))
    headings = re.findall("^## (.*)", results_page(store, []), re.MULTILINE)
    assert headings == ["Errors, problem by problem", "Seconds", "Methods"]
    other = Task("part", "function:sphere", 2, 0.0, 1000, "uh", 0)
    store.add(Record(other, Scores(1, 0.25, None, None, 9, 1, "budget spent"), [(9, 0.25)]))
    page = results_page(store, [])
    assert re.findall("^## (.*)", page, re.MULTILINE) == ["All problems at once", *headings]
    assert "| sphere | 0.50 | **0.25** |" in page


def test_an_unknown_section_is_named():
    with pytest.raises(ValueError, match="'songs' is no section of a report"):
        sections_of(("songs",))
