"""Checkpoints: bit for bit after a kill, refused when damaged, never overwritten by accident."""

import json
import os
import signal
import tempfile
import zipfile
from dataclasses import dataclass, is_dataclass
from enum import Enum, IntEnum
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from qiskit_arcmaes import METHODS, CheckpointError, GaussianOracle, get_function, minimize
from qiskit_arcmaes.engine.checkpoint import VERSION, Record, load, rebuild, save

from ..durability import written
from ..processes import start, wait_for_jobs
from ..runs import same
from . import slow

SPHERE = get_function("sphere", 4)


def arguments(method, path=None, **kwargs):
    return {"max_shots": 4000, "method": method, "seed": 5, "checkpoint": path, **kwargs}


def oracle():
    return GaussianOracle(SPHERE, tau=1.0, seed=6)


@pytest.mark.parametrize("method", METHODS)
def test_an_interrupted_run_goes_on_bit_for_bit(method, tmp_path):
    whole = minimize(oracle(), np.ones(4), **arguments(method))
    path = tmp_path / "run.ckpt"
    jobs = []

    class Killed(BaseException):
        """Stands for what no handler catches; the file then holds the last whole job."""

    def stop(*_):
        jobs.append(1)
        if len(jobs) == 6:
            raise Killed

    with pytest.raises(Killed):
        minimize(
            oracle(),
            np.ones(4),
            callback=stop,
            checkpoint_seconds=0,
            **arguments(method, path),
        )
    resumed = minimize(oracle(), np.ones(4), **arguments(method, path, resume=True))
    same(resumed, whole)


@pytest.mark.parametrize("method", METHODS)
def test_killed_with_sigkill_and_resumed_is_the_uninterrupted_run(method, tmp_path):
    path = tmp_path / "run.ckpt"
    process = start(slow.solve_slowly, method, path)
    wait_for_jobs(process, path, 5)
    process.kill()
    process.join()
    assert process.exitcode == -signal.SIGKILL
    assert load(path)["ledger"].fields["spent"] < 0.97 * slow.BUDGET  # really in the middle
    resumed = slow.solve(method, checkpoint=path, resume=True)
    same(resumed, slow.solve(method))


def test_resume_without_a_file_starts_and_a_finished_run_stays_finished(tmp_path):
    path = tmp_path / "run.ckpt"
    first = minimize(oracle(), np.ones(4), **arguments("frugal", path, resume=True))
    again = minimize(oracle(), np.ones(4), **arguments("frugal", path, resume=True))
    np.testing.assert_array_equal(first.x, again.x)
    assert again.shots <= 4000


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: data[: len(data) // 2],
        lambda data: data[:300] + bytes([data[300] ^ 1]) + data[301:],
        lambda data: b"",
        lambda data: b"results of another program\n" * 20,
    ],
)
@pytest.mark.parametrize("resume", [False, True])
def test_damaged_or_foreign_files_are_refused_and_left_untouched(damage, resume, tmp_path):
    path = tmp_path / "run.ckpt"
    minimize(oracle(), np.ones(4), **arguments("cma", path))
    content = damage(path.read_bytes())
    path.write_bytes(content)
    with pytest.raises(CheckpointError, match=r"damaged or was not written.*left untouched"):
        minimize(oracle(), np.ones(4), **arguments("cma", path, resume=resume))
    assert path.read_bytes() == content
    assert os.listdir(tmp_path) == ["run.ckpt"]


def test_foreign_zip_and_other_versions_are_refused(tmp_path):
    path = tmp_path / "run.ckpt"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("checkpoint.json", '{"format": "other"}')
    with pytest.raises(CheckpointError, match="not written by qiskit-arcmaes"):
        load(path)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(
            "checkpoint.json", '{"format": "qiskit-arcmaes checkpoint", "version": 99}'
        )
    with pytest.raises(CheckpointError, match="has version 99"):
        load(path)
    with pytest.raises(CheckpointError, match="does not exist"):
        load(tmp_path / "none")


def test_a_run_is_not_overwritten_unasked(tmp_path):
    path = tmp_path / "run.ckpt"
    minimize(oracle(), np.ones(4), **arguments("cma", path))
    content = path.read_bytes()
    with pytest.raises(CheckpointError, match="already holds a run; pass resume=True"):
        minimize(oracle(), np.ones(4), **arguments("cma", path))
    assert path.read_bytes() == content


@pytest.mark.parametrize(
    ("change", "name"),
    [
        ({"method": "uh"}, "method"),
        ({"seed": 6}, "seed"),
        ({"max_shots": 30_000}, "max_shots"),
        ({"popsize": 30}, "popsize"),
        ({"sigma0": 3.0}, "sigma0"),
        ({"bounds": [(-9, 9)] * 4, "sigma0": 0.2 * np.pi}, "lower bounds"),
    ],
)
def test_resume_with_other_arguments_is_refused(change, name, tmp_path):
    path = tmp_path / "run.ckpt"
    minimize(oracle(), np.ones(4), **arguments("cma", path))
    with pytest.raises(CheckpointError, match=f"was made with {name} = .*same arguments"):
        minimize(oracle(), np.ones(4), **{**arguments("cma", path, resume=True), **change})


def test_a_missing_folder_is_named(tmp_path):
    with pytest.raises(ValueError, match="its folder does not exist"):
        minimize(oracle(), np.ones(4), **arguments("cma", tmp_path / "no" / "run"))


def test_a_checkpoint_is_on_the_disk_before_it_takes_its_name(tmp_path, monkeypatch):
    """A power cut leaves the old file or the new one: content first, then the name."""
    seen = written(monkeypatch)
    save(tmp_path / "run", {"a": np.arange(3)})
    draft = seen[0][1]
    assert draft.startswith(".run.draft-")
    assert seen == [("sync", draft), ("replace", draft, "run"), ("sync", tmp_path.name)]
    assert [path.name for path in tmp_path.iterdir()] == ["run"]


def test_loading_runs_no_code(tmp_path):
    """An object array needs pickle: refused, not executed."""
    path = tmp_path / "run.ckpt"
    save(path, {"a": np.arange(3)})
    with zipfile.ZipFile(path) as archive:
        text = archive.read("checkpoint.json")
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("checkpoint.json", text)
        with archive.open("array0.npy", "w") as file:
            np.save(file, np.array([print], dtype=object), allow_pickle=True)
    with pytest.raises(CheckpointError, match="damaged or was not written"):
        load(path)


class Colour(Enum):
    RED = "r"
    BLUE = "b"


class Level(IntEnum):
    LOW = 1
    HIGH = 2


@dataclass
class Inner:
    name: str
    values: np.ndarray


@dataclass
class Outer:
    count: int
    size: float
    flag: bool
    colour: Colour
    level: Level
    inner: Inner | None
    parts: list[Inner]
    pair: tuple[int, Inner]
    many: tuple[float, ...]
    table: dict[str, Inner]
    numbered: dict[int, float]
    either: Inner | Colour | float
    rng: np.random.Generator
    again: np.random.Generator
    anything: Any = None


numbers = st.integers(-(2**70), 2**70) | st.floats(allow_nan=False)
arrays = st.lists(st.floats(allow_nan=False), max_size=4).map(np.array)
inners = st.builds(Inner, st.text(max_size=5), arrays)
plain = st.recursive(
    st.none() | st.booleans() | numbers | st.text(max_size=5) | arrays,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=10,
)
generators = st.integers(0, 2**32).map(np.random.default_rng)


def equal(one, two):
    """Whether two pieces of nested data are the same, types included."""
    if type(one) is not type(two):
        return False
    if isinstance(one, np.ndarray):
        return one.dtype == two.dtype and bool(np.array_equal(one, two))
    if isinstance(one, np.random.Generator):
        return equal(one.bit_generator.state, two.bit_generator.state)
    if is_dataclass(one):
        return equal(vars(one), vars(two))
    if isinstance(one, dict):
        return one.keys() == two.keys() and all(equal(one[key], two[key]) for key in one)
    if isinstance(one, list | tuple):
        return len(one) == len(two) and all(map(equal, one, two))
    return bool(one == two)


def there_and_back(data):
    with tempfile.TemporaryDirectory() as folder:
        save(f"{folder}/x", data)
        return load(f"{folder}/x")


@settings(max_examples=100, deadline=None)
@given(st.dictionaries(st.text(max_size=5), plain, max_size=4))
def test_plain_data_comes_back_the_same(data):
    assert equal(there_and_back(data), data)


@settings(max_examples=100, deadline=None)
@given(
    st.builds(
        Outer,
        count=st.integers(-(2**70), 2**70),
        size=st.floats(allow_nan=False),
        flag=st.booleans(),
        colour=st.sampled_from(Colour),
        level=st.sampled_from(Level),
        inner=st.none() | inners,
        parts=st.lists(inners, max_size=3),
        pair=st.tuples(st.integers(), inners),
        many=st.lists(st.floats(allow_nan=False)).map(tuple),
        table=st.dictionaries(st.text(max_size=3), inners, max_size=2),
        numbered=st.dictionaries(st.integers(), st.floats(allow_nan=False), max_size=2),
        either=inners | st.sampled_from(Colour) | st.floats(allow_nan=False),
        rng=generators,
        again=generators,
        anything=plain,
    )
)
def test_states_are_rebuilt_from_their_types(state):
    state.again = state.rng  # one generator stays one object
    rebuilt = rebuild(Outer, there_and_back({"state": state})["state"])
    assert equal(rebuilt, state)
    assert rebuilt.again is rebuilt.rng


def test_two_generators_stay_two():
    data = there_and_back({"a": np.random.default_rng(1), "b": np.random.default_rng(1)})
    assert data["a"] is not data["b"]


@pytest.mark.parametrize(
    ("kind", "data"),
    [
        (int, 1.5),
        (int, True),
        (int, None),
        (float, "1"),
        (float, True),
        (str, 1),
        (bool, 1),
        (np.ndarray, [1.0]),
        (np.random.Generator, 5),
        (Inner, None),
        (Inner, {"name": "a"}),
        (Inner, Record("Inner", {"name": "a"})),
        (Inner, Record("Other", {"name": "a", "values": np.ones(1)})),
        (Inner, Record("Inner", {"name": 5, "values": np.ones(1)})),
        (Inner | None, "a"),
        (float | None, "a"),
        (Colour, 5),
        (Colour | None, "GREEN"),
        (list[float], 5),
        (list[float], ["a"]),
        (tuple[float, ...], 5),
        (dict[str, float], [1.0]),
        (dict[str, float], {"a": "b"}),
    ],
    ids=str,
)
def test_data_of_another_form_are_refused(kind, data):
    with pytest.raises(CheckpointError, match="checkpoint"):
        rebuild(kind, data)


def write(path, content):
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("checkpoint.json", content)


def well_formed(data):
    return json.dumps({"format": "qiskit-arcmaes checkpoint", "version": VERSION, "data": data})


@pytest.mark.parametrize(
    "content",
    [
        well_formed(5),
        well_formed([1, 2]),
        well_formed({"dict": {}}),
        well_formed({"dict": {"settings": None}}),
        well_formed({"list": []}),
        well_formed({"array": "array7"}),
        well_formed({"array": ["a"]}),
        well_formed({"generator": [1, 2]}),
        well_formed({"generator": ["a", {"dict": {"bit_generator": "MT"}}]}),
        well_formed({"same_generator": "nobody"}),
        well_formed({"record": ["Name"]}),
        well_formed({"record": 5}),
        well_formed({"dict": 5}),
        well_formed({"list": 5}),
        well_formed({"unknown": 5}),
        well_formed({"two": 1, "keys": 2}),
        well_formed({}),
        '{"format": "qiskit-arcmaes checkpoint"}',
        "[]",
        "null",
        "7",
        "[" * 100_000 + "]" * 100_000,
        well_formed({"dict": {"a": 1}})[:-2]
        + ', "b": '
        + '{"list": [' * 2000
        + "]}" * 2000
        + "}}}",
    ],
    ids=lambda content: content[-60:] if len(content) < 300 else "deep",
)
def test_foreign_files_that_are_well_formed_are_refused(content, tmp_path):
    """No KeyError, no RecursionError: the file is named and left as it was."""
    path = tmp_path / "run"
    write(path, content)
    before = path.read_bytes()
    with pytest.raises(CheckpointError, match="run'"):
        minimize(oracle(), np.ones(4), **arguments("cma", path, resume=True))
    assert path.read_bytes() == before


def places(node, path=()):
    """Every place in nested JSON, as the keys that lead there."""
    yield path
    children = node.items() if isinstance(node, dict) else ()
    children = enumerate(node) if isinstance(node, list) else children
    for key, child in children:
        yield from places(child, (*path, key))


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """The parts of a real checkpoint of every kind of method, in the middle of its run."""
    found = {}
    for method in ("frugal", "ar", "lra", "psa"):
        path = tmp_path_factory.mktemp("saved") / "run"
        minimize(oracle(), np.ones(4), **arguments(method, path, max_jobs=8))
        with zipfile.ZipFile(path) as archive:
            found[method] = {name: archive.read(name) for name in archive.namelist()}
    return found


ODD = ["remove", None, "text", True, [], {}, {"list": []}, {"dict": {}}]


@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(data=st.data())
def test_a_checkpoint_with_another_piece_inside_is_refused_or_goes_on(saved, tmp_path, data):
    """One place of a real file holds something of another type, or nothing."""
    method = data.draw(st.sampled_from(sorted(saved)))
    content = json.loads(saved[method]["checkpoint.json"])
    place = data.draw(st.sampled_from([p for p in places(content["data"]) if p]))
    node = content["data"]
    for key in place[:-1]:
        node = node[key]
    odd = data.draw(st.sampled_from(ODD))
    assume(node[place[-1]] != odd)
    if odd == "remove":
        del node[place[-1]]
    else:
        node[place[-1]] = odd
    path = tmp_path / "run"
    with zipfile.ZipFile(path, "w") as archive:
        for name, part in saved[method].items():
            archive.writestr(name, json.dumps(content) if name == "checkpoint.json" else part)
    fresh = oracle()
    try:
        result = minimize(fresh, np.ones(4), **arguments(method, path, resume=True))
    except CheckpointError:
        assert fresh.spent == 0
    else:
        assert result.shots <= 4000


def test_generators_and_arrays_come_back_the_same(tmp_path):
    for kind in (np.random.PCG64, np.random.SFC64, np.random.MT19937, np.random.Philox):
        rng = np.random.Generator(kind(3))
        rng.normal(size=5)
        save(tmp_path / "x", {"rng": rng, "a": np.array([[1.5, np.nan]]), "n": np.float64(0.1)})
        loaded = load(tmp_path / "x")
        np.testing.assert_array_equal(loaded["rng"].normal(size=4), rng.normal(size=4))
        np.testing.assert_array_equal(loaded["a"], [[1.5, np.nan]])
        assert loaded["n"] == 0.1
    with pytest.raises(TypeError, match="state must be plain data"):
        save(tmp_path / "y", {"f": print})
    assert os.listdir(tmp_path) == ["x"]
