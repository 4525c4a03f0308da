"""Checkpoints: bit for bit after a kill, refused when damaged, never overwritten by accident."""

import os
import signal
import subprocess
import sys
import textwrap
import time
import zipfile

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qiskit_arcmaes import METHODS, CheckpointError, GaussianOracle, get_function, minimize
from qiskit_arcmaes.engine.checkpoint import load, save

SPHERE = get_function("sphere", 4)


def arguments(method, path=None, **kwargs):
    return {"max_shots": 4000, "method": method, "seed": 5, "checkpoint": path, **kwargs}


def oracle():
    return GaussianOracle(SPHERE, tau=1.0, seed=6)


def same(one, two):
    np.testing.assert_array_equal(one.x, two.x)
    assert (one.fun, one.fun_std, one.shots, one.jobs) == (
        two.fun,
        two.fun_std,
        two.shots,
        two.jobs,
    )
    for name in one.history.columns:
        np.testing.assert_array_equal(one.history[name], two.history[name])


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


_SCRIPT = """
    import sys, time
    import numpy as np
    from qiskit_arcmaes import GaussianOracle, get_function, minimize

    class Slow(GaussianOracle):
        def evaluate(self, points, shots):
            time.sleep(0.01)
            return super().evaluate(points, shots)

    method, path = sys.argv[1:]
    minimize(
        Slow(get_function("sphere", 4), tau=1.0, seed=6), np.ones(4), max_shots=4000,
        method=method, seed=5, checkpoint=path, checkpoint_seconds=0,
    )
"""


@pytest.mark.parametrize("method", METHODS)
def test_killed_with_sigkill_and_resumed_is_the_uninterrupted_run(method, tmp_path):
    path = tmp_path / "run.ckpt"
    process = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(_SCRIPT), method, str(path)],
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
    )
    while not path.exists() or load(path)["ledger"].fields["jobs"] < 5:
        assert process.poll() is None, "the run ended before it could be killed"
        time.sleep(0.005)
    process.send_signal(signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL
    assert load(path)["ledger"].fields["spent"] < 3900  # really in the middle
    resumed = minimize(oracle(), np.ones(4), **arguments(method, path, resume=True))
    same(resumed, minimize(oracle(), np.ones(4), **arguments(method)))


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


plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=10,
)


@settings(max_examples=60, deadline=None)
@given(st.dictionaries(st.text(max_size=5), plain, max_size=4))
def test_plain_data_comes_back_the_same(data):
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        save(f"{folder}/x", data)
        assert load(f"{folder}/x") == data


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
