"""A method has the same colour in every picture."""

import pytest

from qiskit_arcmaes import GaussianOracle, get_function, minimize
from qiskit_arcmaes.bench.report.style import strokes_of
from qiskit_arcmaes.optimizers import ARCMAES, CMAES, LRACMAES, PSACMAES, UHCMAES, ShotFrugal
from qiskit_arcmaes.viz.colours import colour_of
from qiskit_arcmaes.viz.plotting import plot_runs

OWN = ("frugal", "ar", "ar-paper", "cma", "three-stage", "uh", "lra", "psa")


def test_own_methods_have_colours_of_their_own():
    assert len({colour_of(name) for name in OWN}) == len(OWN)


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        (ShotFrugal, "frugal"),
        (ARCMAES, "ar"),
        (CMAES, "cma"),
        (UHCMAES, "uh"),
        (LRACMAES, "lra"),
        (PSACMAES, "psa"),
    ],
)
def test_classes_have_the_colours_of_their_methods(kind, name):
    assert colour_of(kind.__name__) == colour_of(name) == strokes_of([name])[name].colour


def drawn(names):
    oracle = GaussianOracle(get_function("sphere", 2), seed=1)
    result = minimize(oracle, [1.0, 1.0], 500, "cma", shots=5, seed=1)
    axes = plot_runs(dict.fromkeys(names, result)).axes[0]
    return [line.get_color() for line in axes.get_lines()]


def test_runs_under_the_names_of_methods_have_their_colours():
    assert drawn(["ar", "frugal"]) == [colour_of("ar"), colour_of("frugal")]


@pytest.mark.parametrize("names", [("frugal", "mine"), ("ar, seed 1", "ar, seed 2")])
def test_other_names_are_told_apart(names):
    assert len(set(drawn(names))) == 2
