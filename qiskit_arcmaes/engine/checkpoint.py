"""Checkpoints: plain data in one file, written atomically; loading one runs no code.

A file is an uncompressed zip of .npy arrays and one JSON text that refers to them. Zip's
checksums find damage.
"""

from __future__ import annotations

import dataclasses
import io
import json
import os
import tempfile
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

FORMAT = "qiskit-arcmaes checkpoint"
VERSION = 1

_BIT_GENERATORS = {
    name: getattr(np.random, name) for name in ("PCG64", "PCG64DXSM", "SFC64", "Philox", "MT19937")
}


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
    """Write data to a file, atomically: a reader finds the old file or the new one, whole.

    Args:
        path: Where; the folder must exist.
        data: Numbers, strings, None, arrays, generators, dataclasses, lists and dicts of these.
    """
    arrays: dict[str, np.ndarray[Any, Any]] = {}
    text = json.dumps({"format": FORMAT, "version": VERSION, "data": _encode(data, arrays)})
    target = Path(path)
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            with zipfile.ZipFile(file, "w") as archive:
                archive.writestr("checkpoint.json", text)
                for key, array in arrays.items():
                    buffer = io.BytesIO()
                    np.save(buffer, array, allow_pickle=False)
                    archive.writestr(f"{key}.npy", buffer.getvalue())
            file.flush()
            os.fsync(file.fileno())
        os.replace(name, target)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def load(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Read what ``save`` wrote; dataclasses come back as dicts, see ``rebuild``.

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
            decoded = _decode(content["data"], arrays)
    except FileNotFoundError:
        raise CheckpointError(f"checkpoint {str(path)!r} does not exist.") from None
    except (zipfile.BadZipFile, KeyError, ValueError, TypeError, EOFError, OSError) as error:
        raise CheckpointError(
            f"checkpoint {str(path)!r} is damaged or was not written by qiskit-arcmaes "
            f"({type(error).__name__}: {error}); it was left untouched: give another path or "
            "remove it."
        ) from error
    if not isinstance(decoded, dict):
        raise CheckpointError(f"checkpoint {str(path)!r} holds no run; it was left untouched.")
    return decoded


def rebuild(template: Any, data: Any) -> Any:
    """Put loaded data into the form of a template: dataclasses where it has dataclasses."""
    if not dataclasses.is_dataclass(template) or isinstance(template, type):
        return data
    names = {item.name for item in dataclasses.fields(template)}
    if not isinstance(data, dict) or set(data) != names:
        raise CheckpointError(
            f"the checkpoint's {type(template).__name__} does not have the fields "
            f"{', '.join(sorted(names))}: it was written by another version."
        )
    fields = {name: rebuild(getattr(template, name), data[name]) for name in names}
    return type(template)(**fields)


def _encode(value: Any, arrays: dict[str, np.ndarray[Any, Any]]) -> Any:
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, np.ndarray):
        key = f"array{len(arrays)}"
        arrays[key] = value
        return {"array": key}
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.random.Generator):
        return {"generator": _encode(value.bit_generator.state, arrays)}
    if dataclasses.is_dataclass(value):
        fields = dataclasses.fields(value)
        return {"dict": {f.name: _encode(getattr(value, f.name), arrays) for f in fields}}
    if isinstance(value, Mapping):
        return {"dict": {str(key): _encode(item, arrays) for key, item in value.items()}}
    if isinstance(value, list | tuple):
        return {"list": [_encode(item, arrays) for item in value]}
    raise TypeError(f"a checkpoint cannot hold {value!r}: state must be plain data.")


def _decode(value: Any, arrays: Mapping[str, np.ndarray[Any, Any]]) -> Any:
    if not isinstance(value, dict):
        return value
    ((kind, content),) = value.items()
    if kind == "array":
        return arrays[content]
    if kind == "generator":
        state = _decode(content, arrays)
        generator = np.random.Generator(_BIT_GENERATORS[state["bit_generator"]]())
        generator.bit_generator.state = state
        return generator
    if kind == "dict":
        return {key: _decode(item, arrays) for key, item in content.items()}
    if kind == "list":
        return [_decode(item, arrays) for item in content]
    raise ValueError(f"unknown kind {kind!r}")
