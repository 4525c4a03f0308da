"""One frozen class of settings: every field is checked by name, shown and described everywhere."""

import dataclasses
import inspect
import re
import typing

import numpy as np
import pytest

import qiskit_arcmaes
from qiskit_arcmaes import GaussianOracle, Settings, get_function, minimize
from qiskit_arcmaes.settings import Options, documents_options, inherit_arguments, shows_options

OPTIMIZERS = (
    "ShotFrugal", "ARCMAES", "CMAES", "ThreeStageCMAES", "UHCMAES", "LRACMAES", "PSACMAES",
)  # fmt: skip
FIELDS = {field.name: field for field in dataclasses.fields(Settings)}
BAD = {
    "max_shots": [0, -1, 10.5, True, None, "many", 10**400, 1e20, np.nan, np.inf, [5]],
    "method": ["arr", None, 5, ["ar"]],
    "shots": [0, 1.5, True, "1", 10**400],
    "min_shots": [0, -3, 0.5, False, 10**400],
    "overhead": [-1, np.nan, np.inf, "1", 1e300],
    "sigma0": [0.0, -1.0, np.nan, np.inf, True, 1e300, 1e-300, 1j],
    "bounds": [5, [1, 2, 3], "abc", [("a", "b")] * 3, [(0, 1j)] * 3, [(2, 1)] * 3, [(0, 1)] * 2],
    "periodic": ["yes", 5, ["a"] * 3, [1j] * 3, [np.nan] * 3, [-1.0] * 3, [True] * 2],
    "restarts": [-1, 1.5, True, "many", 10**400],
    "popsize": [1, 0, 2.5, 1e9, 10**7],
    "tau": [-0.5, np.inf, np.nan, 1e300, 1e-300, 10**400, 1j, "1"],
    "seed": ["abc", 1.5, -1, True, [1.5], object()],
    "vectorized": ["yes", 1, 0],
    "callback": [5, "print"],
    "maxiter": [0, -1, 1.5],
    "max_jobs": [1, 0, 2.5],
    "final_shots": [0, 0.0, -0.1, 1.5, np.nan, np.inf, True, "all", 10**400],
    "target": [np.nan, np.inf, "low", True, 1j, -1e300, -(10**400)],
    "target_std": [0, -1.0, np.nan, np.inf, "small", 1e-300, 5e-324],
    "max_seconds": [0, -1.0, np.inf, np.nan, 1e300],
    "checkpoint": [5, 1.5, ["run"]],
    "checkpoint_seconds": [-1, None, np.nan, "1"],
    "resume": [1, None, "yes"],
    "progress": [1, None, "yes"],
    "on_interrupt": ["stop", None, True],
}
CHECKED_WITH_THE_RUN = ("method", "bounds", "periodic")  # the dimension or the registry says


def test_every_field_has_values_that_are_refused():
    assert set(BAD) == set(FIELDS)


@pytest.mark.parametrize(
    ("name", "value"),
    [(name, value) for name, values in BAD.items() for value in values],
    ids=lambda value: value if isinstance(value, str) else type(value).__name__,
)
def test_values_out_of_range_are_refused_by_name(name, value):
    """At construction where it can be known there, and always before the first shot."""
    given = {"max_shots": 10_000, name: value}
    oracle = GaussianOracle(get_function("sphere", 3), seed=1)
    with pytest.raises((ValueError, TypeError), match=rf"^{name}\b"):
        minimize(oracle, np.zeros(3), **given)
    assert oracle.spent == 0
    if name not in CHECKED_WITH_THE_RUN:
        with pytest.raises((ValueError, TypeError), match=rf"^{name} "):
            Settings(**given)


@pytest.mark.parametrize(
    "given",
    [
        {"max_shots": 1},
        {"max_shots": 1e6},
        {"max_shots": np.int32(500)},
        {"max_shots": np.float32(500)},
        {"max_shots": 2**53},
        {"popsize": 10**6},
        {"tau": 0},
        {"tau": 1e100},
        {"overhead": 0},
        {"seed": np.random.default_rng(1)},
        {"seed": [1, 2]},
        {"checkpoint_seconds": 0},
        {"max_jobs": 2},
        {"restarts": 0},
        {"final_shots": 1},
        {"final_shots": 1e-6},
        {"target": -1.5},
        {"target": 0},
        {"target_std": 1e-6},
    ],
    ids=lambda given: "-".join(given),
)
def test_the_ends_of_the_ranges_are_taken(given):
    settings = Settings(**{"max_shots": 10, **given})
    ((name, value),) = given.items()
    assert getattr(settings, name) == value


def test_numbers_come_in_plain_types():
    settings = Settings(max_shots=np.float64(1e4), shots=np.int64(3), tau=1, sigma0=np.float32(0.5))
    assert type(settings.max_shots) is int
    assert type(settings.shots) is int
    assert type(settings.tau) is float
    assert type(settings.sigma0) is float


def test_settings_are_frozen():
    with pytest.raises(dataclasses.FrozenInstanceError):
        Settings(max_shots=10).max_shots = 20


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ({}, {"max_shots"}),
        ({"overhead": None, "checkpoint_seconds": 30, "tau": None}, {"max_shots"}),
        ({"tau": 0.0, "resume": True}, {"max_shots", "tau", "resume"}),
        ({"bounds": np.array([[0.0, 1.0]])}, {"max_shots", "bounds"}),
    ],
    ids=lambda names: "-".join(sorted(names)),
)
def test_unusual_is_what_differs_from_the_defaults(given, shown):
    assert set(Settings(max_shots=10, **given).unusual) == shown


def test_options_are_the_settings_that_may_be_left_out():
    assert set(Options.__annotations__) == set(FIELDS) - {"max_shots", "method"}
    types, wanted = typing.get_type_hints(Options), typing.get_type_hints(Settings)
    assert types == {name: wanted[name] for name in types}


ENTRIES = [minimize, *(getattr(qiskit_arcmaes, name) for name in OPTIMIZERS)]


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.__name__)
def test_every_option_is_in_the_signature_with_its_default(entry):
    parameters = inspect.signature(entry).parameters
    assert not any(each.kind is each.VAR_KEYWORD for each in parameters.values())
    for name in Options.__annotations__:
        assert parameters[name].kind is inspect.Parameter.KEYWORD_ONLY
        assert parameters[name].default == FIELDS[name].default
    assert "max_shots" in parameters


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.__name__)
def test_every_argument_is_described(entry):
    text = inspect.getdoc(entry)
    assert "**options" not in text
    described = re.findall(r"^    (\w+): \S", text[text.index("Args:") :], re.M)
    for name in inspect.signature(entry).parameters:
        assert described.count(name) == 1, name


def test_settings_describe_every_field():
    described = re.findall(r"^    (\w+): \S", inspect.getdoc(Settings), re.M)
    assert described == list(FIELDS)


def test_what_was_taken_away_is_unknown():
    oracle = GaussianOracle(get_function("sphere", 3), seed=1)
    with pytest.raises(TypeError, match="unexpected keyword argument 'model'"):
        minimize(oracle, np.ones(3), max_shots=1000, model=None)
    with pytest.raises(TypeError, match="unexpected keyword argument 'model'"):
        qiskit_arcmaes.ARCMAES(1000, model=None)


def test_an_option_of_the_functions_own_is_shown_once():
    @shows_options
    def run(x0, seed=5, **options): ...

    parameters = inspect.signature(run).parameters
    assert list(parameters).count("seed") == 1
    assert parameters["seed"].default == 5


def test_words_of_the_functions_own_are_kept():
    @documents_options
    def run(x0, **options):
        """Run.

        Args:
            x0: Start.
            seed: Of everything.
            **options: See ``Settings``.

        Returns:
            Nothing.
        """

    text = inspect.getdoc(run)
    assert text.count("    seed: ") == 1
    assert "    seed: Of everything." in text
    assert "    max_jobs: Most jobs" in text
    assert text.endswith("Returns:\n    Nothing.")


def test_arguments_are_inherited_before_the_example_and_only_once():
    base = "Base.\n\nArgs:\n    x: A point.\n        Two lines.\n\nRaises:\n    ValueError: No."
    plain = inspect.cleandoc(inherit_arguments("Plain.\n\nExample:\n    >>> 1\n    1", base))
    assert plain == (
        "Plain.\n\nArgs:\n    x: A point.\n        Two lines.\n\nExample:\n    >>> 1\n    1"
    )
    own = "Own.\n\nArgs:\n    y: Another."
    assert inherit_arguments(own, base) == own
    assert inherit_arguments("Plain.", None) == "Plain."
