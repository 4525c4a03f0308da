"""Attacks on what a checkpoint holds: from when on, and which plan."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from qiskit_arcmaes import CheckpointError
from qiskit_arcmaes.engine.checkpoint import load

from .cases import draw
from .harness import expect, promise


@promise("first", "A checkpoint exists from the first job on, whatever checkpoint_seconds is", 6)
def save_first(rng: np.random.Generator, folder: Path) -> None:
    """Looked for in the first callback."""
    case, path, seen = draw(rng, 300), folder / "run", []

    def look(*_: Any) -> bool:
        seen.append(load(path)["ledger"].fields["jobs"])
        return len(seen) > 2

    case.solve(checkpoint=path, checkpoint_seconds=1e9, callback=look)
    expect(all(jobs == 1 for jobs in seen), f"the checkpoint holds {seen} jobs")


@promise("plan", "A resume with another argument of the plan is refused by its name", 6)
def refuse_changes(rng: np.random.Generator, folder: Path) -> None:
    """One argument changes; the file stays as it was."""
    case, path = draw(rng, 300), folder / "run"
    case.solve(checkpoint=path)
    before = path.read_bytes()
    changes: dict[str, Any] = {
        "max_shots": case.options["max_shots"] + 1,
        "max_jobs": case.options.get("max_jobs", 40) + 1,
        "seed": case.seed + 1,
        "sigma0": 0.123,
        "popsize": 17,
        "shots": 7,
        "tau": 0.77,
    }
    name = str(rng.choice(list(changes)))
    try:
        case.solve(checkpoint=path, resume=True, **{name: changes[name]})
    except CheckpointError as error:
        expect(str(path) in str(error), f"the message names no file: {error}")
        expect("was made with" in str(error), f"the message names no argument: {error}")
    except ValueError as error:  # the budget does not pay the changed run
        expect("max_shots" in str(error), str(error))
    else:
        expect(False, f"another {name} was accepted")
    expect(path.read_bytes() == before, "the file was changed")
