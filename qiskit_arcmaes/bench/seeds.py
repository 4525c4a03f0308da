"""Seeds that depend on what a run is, never on when, where or in which order it runs."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass

import numpy as np

from qiskit_arcmaes.bench.tasks import Task


@dataclass(frozen=True)
class Seeds:
    """The seeds of one task, integers from 1 to 2**31 - 1.

    Attributes:
        start: Places the start point; the same for all methods and budgets.
        noise: The oracle's noise; the same for all methods and budgets.
        method: The method's own random choices.
    """

    start: int
    noise: int
    method: int


def seeds_of(task: Task, root: int) -> Seeds:
    """The seeds of a task.

    Args:
        task: The run.
        root: The sweep's root seed, >= 0.

    Returns:
        Seeds that are the same in every process; start and noise do not depend on the method, the
        budget or the experiment, so that methods meet on equal terms.

    Example:
        >>> one = Task("ecdf", "function:sphere", 10, 1.0, 1000, "frugal", 0)
        >>> other = Task("ecdf", "function:sphere", 10, 1.0, 10_000, "cma@10", 0)
        >>> a, b = seeds_of(one, 7), seeds_of(other, 7)
        >>> a.start == b.start, a.noise == b.noise, a.method == b.method
        (True, True, False)
    """
    shared = (root, task.problem, task.dim, task.noise, task.run)
    return Seeds(
        _seed("start", *shared), _seed("noise", *shared), _seed("method", *shared, task.method)
    )


def _seed(*words: object) -> int:
    digest = hashlib.sha256(json.dumps(words).encode()).digest()
    state = np.random.SeedSequence(int.from_bytes(digest)).generate_state(1, np.uint64)
    return 1 + int(state[0]) % (2**31 - 1)
