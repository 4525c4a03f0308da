"""Finding the primitives that a loss runs on, by a dry run."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from qiskit_arcmaes.primitives.calls import Threads
from qiskit_arcmaes.primitives.control import ShotControl, live_primitives
from qiskit_arcmaes.primitives.recording import DRY_RUN


@dataclass(frozen=True)
class DryRun:
    """What a dry run of a loss showed.

    Attributes:
        primitives: The shot-controlled primitives that it asked to run something, in the order of
            their first call. Empty: the loss is foreign, it runs on something else.
        calls: How often the loss was really evaluated: 0 when primitives were found, because
            nothing was run, and 1 when it is foreign.
        value: What the foreign loss returned, NaN when it raised or returned no number.
    """

    primitives: tuple[ShotControl, ...]
    calls: int
    value: float = np.nan


def find_primitives(fun: Callable[[Any], Any], x0: ArrayLike) -> DryRun:
    """Call a loss once and see which shot-controlled primitives it asks to run something.

    All live ``ShotEstimator`` and ``ShotSampler`` objects record while ``fun`` is called at
    ``x0``. The first result that is asked for raises, which leaves ``fun`` before it can call back
    or remember anything: nothing is run and nothing is charged. Without live primitives ``fun`` is
    not called.

    Calls are recorded only when they come from the thread of the dry run or from one that was
    started during it; other threads go on running their jobs. A primitive that an optimizer in
    another thread holds is not recorded. Dry runs in several threads wait for each other, so
    ``fun`` must not wait for one in a thread of its own.

    Args:
        fun: A loss, as an algorithm hands it to an optimizer; takes a point of shape (d,).
        x0: Where to call it, shape (d,).

    Raises:
        RuntimeError: When ``fun`` ran a shot-controlled primitive in a thread that was there
            before.

    Example:
        >>> from qiskit import QuantumCircuit
        >>> from qiskit_arcmaes import ShotEstimator
        >>> estimator, other = ShotEstimator(), ShotEstimator()
        >>> def fun(x):
        ...     return estimator.run([(QuantumCircuit(1), "Z")]).result()[0].data.evs
        >>> found = find_primitives(fun, [0.0])
        >>> found.primitives == (estimator,), found.calls, estimator.ledger.shots
        (True, 0, 0)
        >>> foreign = find_primitives(lambda x: x @ x, [2.0])
        >>> foreign.primitives, foreign.calls, foreign.value
        ((), 1, 4.0)
    """
    with DRY_RUN, ExitStack() as stack:
        free = [primitive for primitive in live_primitives() if not primitive.is_held_elsewhere()]
        if not free:
            return DryRun((), 0)
        threads = Threads()
        before = [primitive.ledger.shots for primitive in free]
        records = [stack.enter_context(primitive.recording(threads)) for primitive in free]
        with threads.left_behind_early(free):
            value = _call(fun, np.array(x0, dtype=float))
    pairs = [pair for pair in zip(records, free, strict=True) if pair[0].calls]
    if pairs:
        pairs.sort(key=lambda pair: pair[0].first)
        return DryRun(tuple(primitive for _, primitive in pairs), 0)
    for primitive, shots in zip(free, before, strict=True):
        if primitive.ledger.shots != shots:
            raise RuntimeError(
                f"a {type(primitive).__name__} ran {primitive.ledger.shots - shots:,} shots in a "
                "thread that was there before the dry run of fun, so it is unclear whether fun "
                "runs on it; say so with primitive=, or keep other threads from using it."
            )
    return DryRun((), 1, value)


def _call(fun: Callable[[Any], Any], point: Any) -> float:
    """The value of a loss; what it raises will be raised again where it is evaluated in earnest."""
    try:
        return float(np.asarray(fun(point), dtype=float).item())
    except Exception:
        return np.nan
