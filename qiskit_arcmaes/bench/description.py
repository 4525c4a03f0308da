"""What a store says about its sweep: settings, versions, machine."""

from __future__ import annotations

import contextlib
import os
import platform
from importlib import metadata
from typing import Any

from qiskit_arcmaes.bench.baselines import SOLVERS
from qiskit_arcmaes.bench.experiments import Experiment
from qiskit_arcmaes.bench.goals import goal_data

_BASELINES = (family.package[0] for family in SOLVERS.values() if family.package)
PACKAGES = tuple(
    dict.fromkeys(["qiskit-arcmaes", "numpy", "scipy", "qiskit", *_BASELINES, "distributed"])
)
"""Whose versions a store tells: what every run uses, and where baselines come from."""


def describe(experiment: Experiment, root_seed: int, command: str) -> dict[str, Any]:
    """The description of a sweep, as JSON data.

    Args:
        experiment: What runs.
        root_seed: All random numbers follow from it.
        command: The command line, or nothing.
    """
    return {
        "experiment": experiment.name,
        "title": experiment.title,
        "shows": list(experiment.shows),
        "notes": list(experiment.notes),
        "goals": [goal_data(goal) for goal in experiment.goals],
        "command": command,
        "settings": experiment.settings(),
        "root_seed": root_seed,
        "versions": versions(),
        "machine": {
            "system": platform.platform(),
            "processor": platform.processor() or platform.machine(),
            "cores": os.cpu_count(),
        },
    }


def versions() -> dict[str, str]:
    """The versions of Python and of the packages that results depend on.

    Example:
        >>> "numpy" in versions()
        True
    """
    found = {"python": platform.python_version()}
    for name in PACKAGES:
        with contextlib.suppress(metadata.PackageNotFoundError):
            found[name] = metadata.version(name)
    return found
