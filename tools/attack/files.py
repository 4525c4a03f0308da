"""Attacks on checkpoints: damaged files, full disks, folders that cannot be written to."""

from __future__ import annotations

import os
import resource
import shutil
import warnings
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from qiskit_arcmaes import CheckpointError, CheckpointWarning
from qiskit_arcmaes.engine.checkpoint import load, save

from .cases import Case, draw, expect_same
from .harness import expect, promise

_saved: dict[int, tuple[Case, bytes, Any]] = {}


def _unfinished(rng: np.random.Generator, folder: Path) -> tuple[Case, bytes, Any]:
    """A run, the bytes of its checkpoint, and the result of its resume; some come again."""
    number = int(rng.integers(40))
    if number not in _saved:
        case = draw(np.random.default_rng(number), 500)
        path, most = folder / "first", case.solve().nfev / 2
        case.solve(checkpoint=path, checkpoint_seconds=0, callback=lambda nfev, *_: nfev > most)
        content = path.read_bytes()
        _saved[number] = case, content, case.solve(checkpoint=path, resume=True)
        path.unlink()
    return _saved[number]


def _damaged(rng: np.random.Generator, content: bytes) -> bytes:
    """Bytes flipped, cut, doubled, zeroed, or replaced."""
    kind = str(rng.choice(["flip", "cut", "zero", "insert", "noise", "empty", "text"]))
    data = bytearray(content)
    place = int(rng.integers(len(data)))
    if kind == "flip":
        for spot in rng.integers(len(data), size=int(rng.integers(1, 20))):
            data[spot] ^= int(rng.integers(1, 256))
    elif kind == "cut":
        del data[place:]
    elif kind == "zero":
        data[place : place + 64] = bytes(len(data[place : place + 64]))
    elif kind == "insert":
        data[place:place] = rng.bytes(int(rng.integers(1, 50)))
    elif kind == "noise":
        data = bytearray(rng.bytes(len(data)))
    elif kind == "text":
        data = bytearray(b'{"format": "qiskit-arcmaes checkpoint"}')
    else:
        data = bytearray()
    return bytes(data)


@promise("damage", "A damaged checkpoint is refused by its name and left untouched", 24)
def refuse_damage(rng: np.random.Generator, folder: Path) -> None:
    """What is not refused must be the very run: the damage lay between its parts."""
    case, content, whole = _unfinished(rng, folder)
    path = folder / "run"
    path.write_bytes(_damaged(rng, content))
    _expect_refused(case, path, whole)


@promise("foreign", "A well-formed checkpoint of another content is refused, and runs no code", 6)
def refuse_foreign(rng: np.random.Generator, folder: Path) -> None:
    """Entries of the saved run are replaced, dropped, or exchanged; the archive is whole."""
    case, content, whole = _unfinished(rng, folder)
    path = folder / "run"
    path.write_bytes(content)
    data = load(path)
    name = str(rng.choice(["method", "oracle", "ledger", "history", "settings"]))
    kinds: list[Any] = [None, 5, "text", [], {}, [[1.0]], {"rng": 3}, np.ones(3)]
    if rng.random() < 0.3:
        del data[name]
    else:
        data[name] = kinds[int(rng.integers(len(kinds)))]
    save(path, {key: _plain(value) for key, value in data.items()})
    _expect_refused(case, path, whole)


def _plain(value: Any) -> Any:
    """What was loaded as a record, as a dictionary: other data of the same numbers."""
    fields = getattr(value, "fields", None)
    if fields is not None:
        return {key: _plain(item) for key, item in fields.items()}
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, list) else value


def _expect_refused(case: Case, path: Path, whole: Any) -> None:
    before = path.read_bytes()
    try:
        resumed = case.solve(checkpoint=path, resume=True)
    except CheckpointError as error:
        expect(str(path) in str(error), f"the message names no file: {error}")
        expect(path.read_bytes() == before, "a refused file was changed")
        return
    expect_same(resumed, whole)


@contextmanager
def _full_after(size: int) -> Iterator[None]:
    """No file may become larger: Python ignores the signal, and the write fails."""
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)


@promise("disk", "A full disk loses no result: it is returned, with a warning", 6)
def survive_full_disk(rng: np.random.Generator, folder: Path) -> None:
    """Through a limit on the size of files; what is on the disk is whole, or is not there."""
    case, path = draw(rng, 300), folder / "run"
    whole = case.solve()
    room = int(np.exp(rng.uniform(0, np.log(30_000))))
    with _full_after(room), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = case.solve(checkpoint=path, checkpoint_seconds=0)
    expect_same(result, whole)
    failed = [each for each in caught if each.category is CheckpointWarning]
    expect(bool(failed) or zipfile.is_zipfile(path), "neither a file nor a warning")
    expect(not failed or str(path) in str(failed[0].message), "the warning names no file")
    expect({each.name for each in folder.iterdir()} <= {"run"}, "a draft was left")
    if path.exists():
        expect_same(case.solve(checkpoint=path, resume=True), whole)


@promise("folder", "A folder that vanishes or cannot be written to loses no result", 4)
def survive_folder(rng: np.random.Generator, folder: Path) -> None:
    """Removed, replaced by a file, or read-only, in the middle of the run."""
    case, inner = draw(rng, 300), folder / "inner"
    whole = case.solve()
    inner.mkdir()
    kind = str(rng.choice(["vanish", "file", "read-only"]))
    if kind == "read-only" and os.geteuid() == 0:
        inner = Path("/proc")  # permissions do not bind the superuser; this folder does
    spoiled: list[int] = []

    def spoil(*_: Any) -> None:
        if not spoiled and kind == "read-only" and os.geteuid() != 0:
            inner.chmod(0o500)
        elif not spoiled and kind != "read-only":
            shutil.rmtree(inner)
            if kind == "file":
                inner.write_text("not a folder")
        spoiled.append(1)

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = case.solve(checkpoint=inner / "run", checkpoint_seconds=0, callback=spoil)
    if inner.is_dir() and inner != Path("/proc"):
        inner.chmod(0o700)
    expect_same(result, whole)
    warned = any(each.category is CheckpointWarning for each in caught)
    expect(warned or not spoiled, "no warning")
