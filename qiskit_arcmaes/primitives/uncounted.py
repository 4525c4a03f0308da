"""Primitives that a loss may not run on, because the budget does not count them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

from qiskit_arcmaes.oracles import ShotLoss
from qiskit_arcmaes.oracles.bound_loss import BoundLoss
from qiskit_arcmaes.primitives.control import COUNTED, ShotControl, live_primitives
from qiskit_arcmaes.primitives.errors import WAY_OUT, UncountedPrimitiveError, uncounted
from qiskit_arcmaes.primitives.recording import Recording


def others_than(primitives: Iterable[ShotControl]) -> list[ShotControl]:
    """All live primitives but some, without those that an optimizer in another thread holds."""
    counted = list(primitives)
    return [
        other
        for other in live_primitives()
        if other not in counted and not other.is_held_elsewhere()
    ]


@contextmanager
def only(primitives: Iterable[ShotControl]) -> Iterator[None]:
    """Let all other primitives refuse what is asked of them in this context.

    It reaches the threads in which the calls of a loss are gathered, and no threads of others.

    Args:
        primitives: Primitives that are counted.

    Raises:
        UncountedPrimitiveError: From within, by ``run`` of another primitive, before a shot.

    Example:
        >>> from qiskit_arcmaes import ShotEstimator, ShotSampler
        >>> with only([ShotSampler()]):
        ...     ShotEstimator().run([])
        Traceback (most recent call last):
        ...
        qiskit_arcmaes.primitives.errors.UncountedPrimitiveError: fun also runs on a ShotEstimator \
that max_shots does not count: submit to all primitives before the first result is asked for, as \
in `a, b = estimator.run(...), sampler.run(...)`, and name them all where primitive= is given, as \
in ShotFrugal(max_shots, primitive=[estimator, sampler]).
    """
    token = COUNTED.set(tuple(primitives))
    try:
        yield
    finally:
        COUNTED.reset(token)


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
            raise uncounted(other)


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
        qiskit_arcmaes.primitives.errors.UncountedPrimitiveError: fun is given a ShotSampler \
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
                f"fun does not need it; otherwise {WAY_OUT}"
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
