import numpy as np
import pytest

from qiskit_arcmaes.bench.catalog import EXPERIMENTS
from qiskit_arcmaes.bench.report.cells import Cell, Place
from qiskit_arcmaes.bench.report.parts import PARTS, parts_of

CELLS = [
    Cell(Place("h2", 4, None, 1000), method, (0,), np.array([0.1]), None, None, None)
    for method in ("ar", "uh")
]


@pytest.mark.parametrize("experiment", EXPERIMENTS.values(), ids=lambda each: each.name)
def test_every_experiment_asks_for_parts_that_there_are(experiment):
    assert experiment.shows
    assert set(experiment.shows) <= set(PARTS)


def test_only_parts_with_something_to_show_are_there_and_the_wanted_ones_come_early():
    assert parts_of(CELLS, None, ()) == ["ranking", "ecdf", "errors"]
    assert parts_of(CELLS, None, ("errors", "wall")) == ["ranking", "errors", "ecdf"]
    assert parts_of(CELLS[:1], None, ()) == ["ecdf", "errors"]


def test_an_unknown_part_is_named():
    with pytest.raises(ValueError, match="'songs' is no part of a report"):
        parts_of(CELLS, None, ("songs",))
