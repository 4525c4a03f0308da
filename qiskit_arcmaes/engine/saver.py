"""Where, when and with which settings a run is saved."""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from qiskit_arcmaes.engine import checkpoint
from qiskit_arcmaes.engine.checkpoint import CheckpointError


class CheckpointWarning(UserWarning):
    """A checkpoint could not be written; the run goes on without it.

    Example:
        >>> import pathlib, tempfile, warnings
        >>> from qiskit_arcmaes import minimize
        >>> folder = tempfile.TemporaryDirectory()
        >>> def vanish(*_):
        ...     folder.cleanup()
        >>> with warnings.catch_warnings(record=True) as caught:
        ...     warnings.simplefilter("always")
        ...     result = minimize(lambda x: float(x @ x), [1.0], max_shots=500, method="cma",
        ...                       seed=1, callback=vanish,
        ...                       checkpoint=pathlib.Path(folder.name) / "run")
        >>> caught[-1].category.__name__, result.shots > 400
        ('CheckpointWarning', True)
    """


class Saver:
    """Saves a run to a file, and reads it back if its settings are the same.

    Drafts that killed processes left beside the file are removed.

    Args:
        path: The file; its folder must exist.
        period: Seconds between saves, >= 0.
        settings: What must be the same when the run is resumed.
    """

    def __init__(self, path: Path, period: float, settings: Mapping[str, Any]) -> None:
        if not path.parent.is_dir():
            raise ValueError(f"checkpoint = {str(path)!r}: its folder does not exist; create it.")
        self.path = path
        self.period = period
        self.settings = settings
        self._last = -math.inf  # due at once: a checkpoint exists from the first job on
        checkpoint.remove_drafts(path)

    def read(self, resume: bool) -> dict[str, Any]:
        """Load the file that is there, or say why it cannot be used."""
        data = checkpoint.load(self.path)
        if not resume:
            raise CheckpointError(
                f"checkpoint {str(self.path)!r} already holds a run; pass resume=True to go on "
                "with it, or remove the file."
            )
        settings = data.get("settings")
        for name, value in self.settings.items():
            saved = settings.get(name) if isinstance(settings, dict) else None
            if not _same(saved, value):
                raise CheckpointError(
                    f"checkpoint {str(self.path)!r} was made with {name} = {saved!r}, not "
                    f"{value!r}; resume with the same arguments."
                )
        return data

    @property
    def due(self) -> bool:
        """Whether it is time to save again."""
        return time.monotonic() - self._last >= self.period

    def write(self, data: Mapping[str, Any]) -> None:
        """Save, atomically; what was paid for is not lost because a file cannot be written."""
        self._last = time.monotonic()
        try:
            checkpoint.save(self.path, {"settings": self.settings, **data})
        except (OSError, TypeError, ValueError, RecursionError) as error:
            warnings.warn(
                f"checkpoint {str(self.path)!r} could not be written ({error}); the run goes on, "
                "and its result will be returned.",
                CheckpointWarning,
                stacklevel=2,
            )


def _same(left: Any, right: Any) -> bool:
    if left is None or right is None:
        return left is right
    try:
        return bool(np.array_equal(left, right))
    except ValueError:  # not even an array: a foreign file
        return False
