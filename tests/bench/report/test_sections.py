import numpy as np
import pytest

from qiskit_arcmaes.bench.catalog import EXPERIMENTS
from qiskit_arcmaes.bench.report.groups import Condition, Group
from qiskit_arcmaes.bench.report.sections import SECTIONS, sections_of

GROUPS = [
    Group(Condition("h2", 4, None, 1000), method, (0,), np.array([0.1]))
    for method in ("frugal", "uh")
]


@pytest.mark.parametrize("experiment", EXPERIMENTS.values(), ids=lambda each: each.name)
def test_every_experiment_asks_for_known_sections(experiment):
    assert experiment.shows
    assert set(experiment.shows) <= set(SECTIONS)


def test_only_sections_with_something_to_show_are_there_and_the_wanted_ones_come_early():
    assert sections_of(GROUPS, None, ()) == ["ranking", "ecdf", "anytime", "errors"]
    wanted = ("errors", "scaled-error")
    assert sections_of(GROUPS, None, wanted) == ["ranking", "errors", "ecdf", "anytime"]
    assert sections_of(GROUPS[:1], None, ()) == ["ecdf", "anytime", "errors"]


def test_an_unknown_section_is_named():
    with pytest.raises(ValueError, match="'songs' is no section of a report"):
        sections_of(GROUPS, None, ("songs",))
