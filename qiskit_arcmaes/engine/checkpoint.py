"""Checkpoints: plain data in one file, written atomically; loading one runs no code.

A file is an uncompressed zip of .npy arrays and one JSON text that refers to them. Zip's
checksums find damage.
"""

from __future__ import annotations

import contextlib
import dataclasses
import enum
import glob
import io
import json
import os
import tempfile
import types
import typing
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

FORMAT = "qiskit-arcmaes checkpoint"
VERSION = 9

_BIT_GENERATORS = {
    name: getattr(np.random, name) for name in ("PCG64", "PCG64DXSM", "SFC64", "Philox", "MT19937")
}

_UNREADABLE = (
    zipfile.BadZipFile,
    LookupError,
    ValueError,
    TypeError,
    AttributeError,
    NotImplementedError,
    EOFError,
    OSError,
    RecursionError,
)  # what a damaged or foreign file can raise


class CheckpointError(RuntimeError):
    """A checkpoint cannot be used; the message says why, and the file is left as it was.

    Example:
        >>> import pathlib, tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     file = pathlib.Path(folder) / "run.ckpt"
        ...     _ = file.write_text("something else")
        ...     load(file)  # doctest: +ELLIPSIS
        Traceback (most recent call last):
        ...
        qiskit_arcmaes.engine.checkpoint.CheckpointError: ...
    """


def save(path: str | os.PathLike[str], data: Mapping[str, Any]) -> None:
    """Write data to a file, atomically and durably: a reader finds the old file or the new one.

    Args:
        path: Where; the folder must exist.
        data: Numbers, strings, None, arrays, generators, dataclasses, lists and dicts of these.
    """
    encoder = _Encoder()
    text = json.dumps({"format": FORMAT, "version": VERSION, "data": encoder.encode(data)})
    target = Path(path)
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=_draft_prefix(target))
    try:
        with os.fdopen(handle, "wb") as file:
            with zipfile.ZipFile(file, "w") as archive:
                archive.writestr("checkpoint.json", text)
                for key, array in encoder.arrays.items():
                    buffer = io.BytesIO()
                    np.save(buffer, array, allow_pickle=False)
                    archive.writestr(f"{key}.npy", buffer.getvalue())
            file.flush()
            os.fsync(file.fileno())
        os.replace(name, target)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    sync_folder(target.parent)


def remove_drafts(path: str | os.PathLike[str]) -> None:
    """Remove what processes left that were killed while they saved to this path.

    Args:
        path: The checkpoint's path; nobody else may save to it meanwhile.
    """
    target = Path(path)
    for draft in target.parent.glob(f"{glob.escape(_draft_prefix(target))}*"):
        with contextlib.suppress(OSError):  # in a folder that cannot be written to they stay
            draft.unlink()


def _draft_prefix(target: Path) -> str:
    return f".{target.name}.draft-"


def sync_folder(folder: Path) -> None:
    """Let the new names of files outlast a power cut too, where the system can say so.

    Args:
        folder: Where they are.
    """
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def load(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Read what ``save`` wrote; dataclasses come back as ``Record``, see ``rebuild``.

    Raises:
        CheckpointError: The file is missing, damaged, foreign, or of another version.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            content = json.loads(archive.read("checkpoint.json"))
            if content["format"] != FORMAT:
                raise KeyError("format")
            if content["version"] != VERSION:
                raise CheckpointError(
                    f"checkpoint {str(path)!r} has version {content['version']}, this package "
                    f"reads version {VERSION}: resume it with the package that wrote it."
                )
            arrays = {
                name.removesuffix(".npy"): np.load(
                    io.BytesIO(archive.read(name)), allow_pickle=False
                )
                for name in archive.namelist()
                if name.endswith(".npy")
            }
            decoded = _Decoder(arrays).decode(content["data"])
    except FileNotFoundError:
        raise CheckpointError(f"checkpoint {str(path)!r} does not exist.") from None
    except _UNREADABLE as error:
        raise CheckpointError(
            f"checkpoint {str(path)!r} is damaged or was not written by qiskit-arcmaes "
            f"({type(error).__name__}: {error}); it was left untouched: give another path or "
            "remove it."
        ) from error
    if not isinstance(decoded, dict):
        raise CheckpointError(f"checkpoint {str(path)!r} holds no run; it was left untouched.")
    return decoded


def rebuild(kind: Any, data: Any) -> Any:
    """Give loaded data the form of a type: dataclasses, enums, tuples, lists and unions of them.

    Args:
        kind: A type as annotations write it. Of a union of dataclasses the one is taken whose name
            was saved.
        data: What ``load`` returned for it.

    Raises:
        CheckpointError: The data do not have that form.

    Example:
        >>> from dataclasses import dataclass
        >>> @dataclass
        ... class Point:
        ...     x: tuple[float, ...]
        >>> rebuild(Point | None, Record("Point", {"x": [1.0, 2.0]}))
        Point(x=(1.0, 2.0))
    """
    if isinstance(data, Record):
        return _rebuild_record(kind, data)
    origin, parts = typing.get_origin(kind), typing.get_args(kind)
    if origin in (types.UnionType, typing.Union):
        return _rebuild_member(kind, parts, data)
    if isinstance(kind, type) and issubclass(kind, enum.Enum) and isinstance(data, str):
        return kind[data]
    if isinstance(data, list) and origin is tuple:
        types_of = parts[:1] * len(data) if parts[-1] is Ellipsis else parts
        return tuple(rebuild(each, item) for each, item in zip(types_of, data, strict=True))
    if isinstance(data, list) and origin is list:
        return [rebuild(parts[0], item) for item in data]
    if isinstance(data, dict) and origin is dict:
        make_key = int if parts[0] is int else str
        return {make_key(key): rebuild(parts[1], item) for key, item in data.items()}
    return _check_plain(origin or kind, data)


@dataclasses.dataclass(frozen=True)
class Record:
    """A dataclass as it comes out of a file: its name and its fields, not yet rebuilt."""

    name: str
    fields: dict[str, Any]


def _rebuild_record(kind: Any, data: Record) -> Any:
    """Find the dataclass of that name in a type, and fill its fields."""
    union = typing.get_origin(kind) in (types.UnionType, typing.Union)
    choices = typing.get_args(kind) if union else (kind,)
    found = [each for each in choices if getattr(each, "__name__", "") == data.name]
    names = {field.name for field in dataclasses.fields(found[0])} if found else set()
    if names != set(data.fields):
        raise CheckpointError(
            f"the checkpoint's {data.name} does not have the form that this version of "
            "qiskit-arcmaes saves: resume it with the version that wrote it."
        )
    hints = typing.get_type_hints(found[0])
    return found[0](**{name: rebuild(hints[name], data.fields[name]) for name in names})


def _rebuild_member(kind: Any, members: tuple[Any, ...], data: Any) -> Any:
    """Take the first member of a union that the data have the form of."""
    for member in members:
        try:
            return rebuild(member, data)
        except (CheckpointError, LookupError):
            continue
    raise CheckpointError(f"the checkpoint holds a {type(data).__name__} in place of {kind}.")


def _check_plain(kind: Any, data: Any) -> Any:
    """Refuse a number, text or array where another type belongs; an integer is a float too."""
    if kind is Any or not isinstance(kind, type):
        return data
    fits = isinstance(data, int | float) if kind is float else isinstance(data, kind)
    if not fits or (isinstance(data, bool) and kind is not bool):
        raise CheckpointError(
            f"the checkpoint holds a {type(data).__name__} in place of a {kind.__name__}."
        )
    return data


class _Encoder:
    """Turns data into JSON, arrays and generators aside; one generator stays one."""

    def __init__(self) -> None:
        self.arrays: dict[str, np.ndarray[Any, Any]] = {}
        self._generators: dict[int, str] = {}

    def encode(self, value: Any) -> Any:
        if isinstance(value, enum.Enum):
            return value.name
        if value is None or isinstance(value, bool | int | float | str):
            return value
        if isinstance(value, np.ndarray):
            key = f"array{len(self.arrays)}"
            self.arrays[key] = value
            return {"array": key}
        if isinstance(value, np.generic):
            return value.item()
        if isinstance(value, np.random.Generator):
            return self._encode_generator(value)
        if dataclasses.is_dataclass(value):
            fields = {
                f.name: self.encode(getattr(value, f.name)) for f in dataclasses.fields(value)
            }
            return {"record": [type(value).__name__, fields]}
        if isinstance(value, Mapping):
            return {"dict": {str(key): self.encode(item) for key, item in value.items()}}
        if isinstance(value, list | tuple):
            return {"list": [self.encode(item) for item in value]}
        raise TypeError(f"a checkpoint cannot hold {value!r}: state must be plain data.")

    def _encode_generator(self, generator: np.random.Generator) -> Any:
        known = self._generators.get(id(generator))
        if known is not None:
            return {"same_generator": known}
        name = self._generators[id(generator)] = f"generator{len(self._generators)}"
        return {"generator": [name, self.encode(generator.bit_generator.state)]}


class _Decoder:
    """The inverse of ``_Encoder``, dataclasses as ``Record``."""

    def __init__(self, arrays: Mapping[str, np.ndarray[Any, Any]]) -> None:
        self._arrays = arrays
        self._generators: dict[str, np.random.Generator] = {}

    def decode(self, value: Any) -> Any:
        if not isinstance(value, dict):
            return value
        ((kind, content),) = value.items()
        if kind == "array":
            return self._arrays[content]
        if kind == "generator":
            return self._decode_generator(*content)
        if kind == "same_generator":
            return self._generators[content]
        if kind == "record":
            name, fields = content
            return Record(name, {key: self.decode(item) for key, item in fields.items()})
        if kind == "dict":
            return {key: self.decode(item) for key, item in content.items()}
        if kind == "list":
            return [self.decode(item) for item in content]
        raise ValueError(f"unknown kind {kind!r}")

    def _decode_generator(self, name: str, content: Any) -> np.random.Generator:
        state = self.decode(content)
        generator = np.random.Generator(_BIT_GENERATORS[state["bit_generator"]]())
        generator.bit_generator.state = state
        self._generators[name] = generator
        return generator
