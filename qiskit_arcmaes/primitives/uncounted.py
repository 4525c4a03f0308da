"""Primitives that a loss may not run on, because the budget does not count them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

from qiskit_arcmaes.oracles import OracleError, ShotLoss
from qiskit_arcmaes.oracles.bound_loss import BoundLoss
from qiskit_arcmaes.primitives.control import ShotControl, live_primitives
from qiskit_arcmaes.primitives.ledger import Cost
from qiskit_arcmaes.primitives.recording import DryThreads, Recording

_WAY_OUT = (
    "submit to all primitives before the first result is asked for, as in "
    "`a, b = estimator.run(...), sampler.run(...)`, and name them all where primitive= is given, "
    "as in ShotFrugal(max_shots, primitive=[estimator, sampler])."
)


class UncountedPrimitiveError(OracleError):
    """A loss asked a primitive to run something that the budget does not count; it was not run.

    Example:
        >>> from qiskit_arcmaes import ShotEstimator
        >>> with refused([ShotEstimator()]) as others:
        ...     others[0].run([])
        Traceback (most recent call last):
        ...
        qiskit_arcmaes.primitives.uncounted.UncountedPrimitiveError: fun also runs on a \
ShotEstimator that max_shots does not count: submit to all primitives before the first result is \
asked for, as in `a, b = estimator.run(...), sampler.run(...)`, and name them all where primitive= \
is given, as in ShotFrugal(max_shots, primitive=[estimator, sampler]).
    """


class _Refusal(Recording):
    """Refuses what other primitives only record."""

    def __init__(self, kind: str, threads: DryThreads) -> None:
        super().__init__(threads=threads)
        self._kind = kind

    def add(self, cost: Cost, pubs: list[object]) -> None:
        raise _uncounted(self._kind)


def _uncounted(kind: str) -> UncountedPrimitiveError:
    return UncountedPrimitiveError(
        f"fun also runs on a {kind} that max_shots does not count: {_WAY_OUT}"
    )


def others_than(primitives: Iterable[ShotControl]) -> list[ShotControl]:
    """All live primitives but some, without those that an optimizer in another thread holds."""
    counted = list(primitives)
    return [
        other
        for other in live_primitives()
        if other not in counted and not other.is_held_elsewhere()
    ]


@contextmanager
def refused(primitives: Iterable[ShotControl]) -> Iterator[list[ShotControl]]:
    """Let primitives refuse whatever this thread, or one that it starts, asks them to run.

    Args:
        primitives: Primitives that are not counted.

    Yields:
        The primitives as a list.

    Raises:
        UncountedPrimitiveError: From within, by ``run`` of such a primitive, before a shot.
    """
    others, threads = list(primitives), DryThreads()
    before = [other._recording for other in others]
    for other in others:
        other._recording = _Refusal(type(other).__name__, threads)
    try:
        yield others
    finally:
        for other, recording in zip(others, before, strict=True):
            other._recording = recording


def refuse_recorded(others: Iterable[ShotControl], records: Iterable[Recording]) -> None:
    """Refuse a loss whose dry run asked primitives that are not counted.

    Args:
        others: Primitives that are not counted.
        records: What each of them was asked to run.

    Raises:
        UncountedPrimitiveError: Before a shot.
    """
    for other, record in zip(others, records, strict=True):
        if record.calls:
            raise _uncounted(type(other).__name__)


def refuse_given(fun: Any, found: Iterable[ShotControl]) -> None:
    """Refuse a loss that was handed a primitive which its dry run did not find.

    A dry run ends where the first result is asked for: what is submitted after it is not seen.

    Args:
        fun: The loss; what a ``functools.partial`` or scipy's ``args`` bind is looked at.
        found: The primitives that it runs on, by its dry run.

    Raises:
        UncountedPrimitiveError: Before a shot.

    Example:
        >>> from qiskit_arcmaes import ShotEstimator, ShotSampler
        >>> estimator, sampler = ShotEstimator(), ShotSampler()
        >>> refuse_given(partial(print, estimator), [estimator])
        >>> refuse_given(partial(print, estimator, b=sampler), [estimator])
        Traceback (most recent call last):
        ...
        qiskit_arcmaes.primitives.uncounted.UncountedPrimitiveError: fun is given a ShotSampler \
that it does not submit to before it asks for its first result, so that max_shots could not count \
it. Leave it out where fun does not need it; otherwise submit to all primitives before the first \
result is asked for, as in `a, b = estimator.run(...), sampler.run(...)`, and name them all where \
primitive= is given, as in ShotFrugal(max_shots, primitive=[estimator, sampler]).
    """
    known = list(found)
    for value in _given(fun):
        if isinstance(value, ShotControl) and value not in known:
            raise UncountedPrimitiveError(
                f"fun is given a {type(value).__name__} that it does not submit to before it asks "
                "for its first result, so that max_shots could not count it. Leave it out where "
                f"fun does not need it; otherwise {_WAY_OUT}"
            )


def _given(fun: Any) -> list[Any]:
    """Arguments that a loss was bound to."""
    if isinstance(fun, ShotLoss):
        return _given(fun.fun)
    if isinstance(fun, BoundLoss):
        return [*fun.args, *_given(fun.fun)]
    if isinstance(fun, partial):
        return [*fun.args, *fun.keywords.values(), *_given(fun.func)]
    return []
