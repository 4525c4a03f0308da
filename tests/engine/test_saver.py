"""Where and when a run is saved; a checkpoint that cannot be written loses no result."""

import os
import shutil

import numpy as np
import pytest

from qiskit_arcmaes import (
    CheckpointError,
    CheckpointWarning,
    GaussianOracle,
    OracleError,
    Stop,
    get_function,
    minimize,
)
from qiskit_arcmaes.engine.checkpoint import load, save
from qiskit_arcmaes.engine.saver import Saver

from ..processes import finish, start_with_answer
from . import full_disk


def sphere(**arguments):
    return GaussianOracle(get_function("sphere", 3), seed=1, **arguments)


def test_it_is_due_after_its_period(tmp_path):
    assert Saver(tmp_path / "run", 0.0, {}).due
    saver = Saver(tmp_path / "run", 1e6, {})
    assert saver.due  # a checkpoint exists from the first job on
    saver.write({})
    assert not saver.due
    with pytest.raises(ValueError, match=r"checkpoint = '.*/no/run': its folder does not exist"):
        Saver(tmp_path / "no" / "run", 0.0, {})


def test_zero_seconds_save_after_every_job(tmp_path):
    seen = []

    def read(*_):
        seen.append(load(tmp_path / "run")["ledger"].fields["jobs"])

    result = minimize(
        sphere(), np.ones(3), max_shots=2000, method="cma", seed=1, callback=read,
        checkpoint=tmp_path / "run", checkpoint_seconds=0,
    )  # fmt: skip
    assert seen == list(range(1, len(result.history) + 1))


def test_what_is_written_is_read_if_the_settings_are_the_same(tmp_path):
    path, settings = tmp_path / "run", {"x0": np.ones(2), "tau": None, "max_shots": 5}
    saver = Saver(path, 0.0, settings)
    saver.write({"value": 7})
    assert saver.read(resume=True)["value"] == 7
    with pytest.raises(CheckpointError, match="already holds a run; pass resume=True"):
        saver.read(resume=False)
    for changed in ({"tau": 1.0}, {"x0": np.ones(3)}, {"max_shots": None}):
        ((name, _),) = changed.items()
        with pytest.raises(CheckpointError, match=f"was made with {name} = .*same arguments"):
            Saver(path, 0.0, {**settings, **changed}).read(resume=True)


@pytest.mark.parametrize("settings", [None, 5, "text", [], [[[[1]]]], {}])
def test_a_foreign_file_has_no_settings(settings, tmp_path):
    path = tmp_path / "run"
    save(path, {"settings": settings})
    with pytest.raises(CheckpointError, match="was made with max_shots = None, not 5"):
        Saver(path, 0.0, {"max_shots": 5}).read(resume=True)


@pytest.mark.parametrize("method", ["frugal", "ar", "cma"])
def test_a_folder_that_vanishes_loses_no_result(method, tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()

    def vanish(*_):
        shutil.rmtree(folder, ignore_errors=True)

    oracle = sphere()
    with pytest.warns(CheckpointWarning, match=r"could not be written .*result will be returned"):
        result = minimize(
            oracle, np.ones(3), max_shots=2000, method=method, seed=1, callback=vanish,
            checkpoint=folder / "run", checkpoint_seconds=0,
        )  # fmt: skip
    plain = minimize(sphere(), np.ones(3), max_shots=2000, method=method, seed=1)
    assert result.stop is Stop.BUDGET
    assert (result.fun, result.shots) == (plain.fun, plain.shots)
    np.testing.assert_array_equal(result.x, plain.x)


def test_a_failed_run_keeps_its_result_without_a_checkpoint(tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()

    class Breaks(GaussianOracle):
        def evaluate(self, points, shots):
            if self.spent > 1000:
                shutil.rmtree(folder, ignore_errors=True)
                raise ConnectionError("gone")
            return super().evaluate(points, shots)

    with pytest.warns(CheckpointWarning), pytest.raises(OracleError, match="gone") as caught:
        minimize(
            Breaks(get_function("sphere", 3), seed=1), np.ones(3), max_shots=5000, method="cma",
            seed=1, checkpoint=folder / "run",
        )  # fmt: skip
    assert caught.value.result.shots > 1000


def test_a_state_that_is_no_plain_data_loses_no_result(tmp_path):
    class Opaque(GaussianOracle):
        @property
        def state(self):
            return {"spent": self.spent, "device": print}

    oracle = Opaque(get_function("sphere", 3), seed=1)
    with pytest.warns(CheckpointWarning, match="state must be plain data"):
        result = minimize(
            oracle, np.ones(3), max_shots=2000, method="cma", seed=1, checkpoint=tmp_path / "run"
        )
    assert result.stop is Stop.BUDGET
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("room", [0, 300, 5000, 15_000])
@pytest.mark.parametrize("method", ["frugal", "cma"])
def test_no_room_on_the_disk_loses_no_result(room, method, tmp_path):
    """The system refuses to write beyond so many bytes; the last whole file stays readable."""
    path = tmp_path / "run"
    told = finish(*start_with_answer(full_disk.tell_shots_and_value, room, method, path))
    plain = full_disk.solve(method)
    assert told == (plain.shots, plain.fun)
    assert os.listdir(tmp_path) in ([], ["run"])  # nothing half written
    if path.exists():
        resumed = full_disk.solve(method, checkpoint=path, resume=True)
        assert (resumed.shots, resumed.fun) == (plain.shots, plain.fun)
