"""Losses of counts: whether they depend on the number of shots, told from data that is there.

A loss is called again with the very outcomes of an evaluation, repeated or in two parts. Repeated
outcomes have the same shares, so that a loss of shares stays as it is, while counts divided by a
number of the user's grow with the shots. The mean of the parts is the whole for a mean over shots,
and for nothing else: not for a CVaR, a maximum or a logarithm. Nothing is run and nothing charged.
"""

from __future__ import annotations

import logging
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray
from qiskit.primitives import BitArray, DataBin, SamplerPubResult
from qiskit.primitives.containers.sampler_pub import SamplerPub

from qiskit_arcmaes.oracles import OracleError
from qiskit_arcmaes.primitives.control import ShotControl
from qiskit_arcmaes.primitives.engines import Engine, Outcome, PubTask, StandIn
from qiskit_arcmaes.primitives.ledger import Account

Array = NDArray[np.float64]

_log = logging.getLogger("qiskit_arcmaes")

_SAME = 1e-9  # relative: sums of the same numbers in another order
# share of the change from once to twice that is left from 16 to 32 times: 1 for a logarithm of
# counts and more for their powers, about 1/16 for corrections that fade as 1/shots
_LASTING = 0.5
_LOOKS = 3  # evaluations that are looked at: one may have only equal outcomes
_MADE_UP = 37  # shots of an outcome that is made up: two parts of unequal size
_MANY_SHOTS = 64  # at which a CVaR of a quarter has 16 shots in its tail


class CountsCheck:
    """Looks at the first evaluations of a loss that is not known.

    Args:
        fun: The loss, as a function of the point or of points.
        primitives: What it runs on.
    """

    def __init__(self, fun: Callable[[Any], Any], primitives: Sequence[ShotControl]) -> None:
        self._fun = fun
        self._primitives = primitives
        self._looks = _LOOKS
        self._warned = False

    @property
    def pending(self) -> bool:
        """Whether the next evaluation is to be looked at."""
        return self._looks > 0

    def look(self, argument: Array, value: Any, outcomes: Sequence[Outcome], shots: int) -> None:
        """Take in an evaluation.

        Args:
            argument: What the loss was called with.
            value: What it returned.
            outcomes: What its primitives delivered, in order.
            shots: Shots that were set.

        Raises:
            OracleError: The loss grows with the shots.
        """
        self._looks -= 1
        whole = np.ravel(np.asarray(value, dtype=float))
        if not np.isfinite(whole).all() or not any(map(_has_counts, outcomes)):
            return
        try:
            if self._depends_on_shots(argument, whole, outcomes, shots):
                raise OracleError(_GROWS)
            if not self._warned and 1 < shots < _MANY_SHOTS:
                self._compare_parts(argument, whole, outcomes, shots)
        except OracleError:
            raise
        except Exception:  # a loss that cannot be called again is left alone
            _log.debug("the counts of the loss are not checked", exc_info=True)

    def is_mean(self, argument: Array, pub: SamplerPub) -> bool:
        """Whether the loss is a mean over shots, told from outcomes that are made up.

        The loss is called four times, and nothing is run.

        Args:
            argument: What the loss is called with.
            pub: The only one that it submits there.
        """
        made_up = Outcome([_random_result(pub, _MADE_UP)])
        with ExitStack() as stack:
            for primitive in self._primitives:
                stack.enter_context(primitive.leased())
            whole = self._again(argument, [made_up], _MADE_UP)
            twice = self._again(argument, [_repeated(made_up, 2)], 2 * _MADE_UP)
            one, other, mean = self._parts(argument, [made_up], _MADE_UP)
        scale = np.maximum(np.abs(one), np.abs(other))
        remembered = _same(one, other, scale)  # a loss that remembers its last value tells nothing
        return not remembered and _same(twice, whole, scale) and _same(mean, whole, scale)

    def _depends_on_shots(
        self, argument: Array, whole: Array, outcomes: Sequence[Outcome], shots: int
    ) -> bool:
        """Whether repeated outcomes go on changing the loss; small samples may do it a little."""

        def repeated(times: int) -> Array:
            again = [_repeated(one, times) for one in outcomes]
            return self._again(argument, again, times * shots)

        twice = repeated(2)
        if _same(twice, whole, np.abs(whole)):
            return False
        change = np.abs(twice - whole).max()
        return bool(np.abs(repeated(32) - repeated(16)).max() > _LASTING * change)

    def _compare_parts(
        self, argument: Array, whole: Array, outcomes: Sequence[Outcome], shots: int
    ) -> None:
        one, other, mean = self._parts(argument, outcomes, shots)
        if not _same(mean, whole, np.maximum(np.abs(one), np.abs(other))):
            self._warned = True
            warnings.warn(_NO_MEAN.format(shots=shots), stacklevel=6)

    def _parts(
        self, argument: Array, outcomes: Sequence[Outcome], shots: int
    ) -> tuple[Array, Array, Array]:
        """The loss of two parts of the shots, and the mean of both."""
        first = shots // 2
        one, other = (
            self._again(argument, [_part(each, where) for each in outcomes], size)
            for where, size in ((slice(first), first), (slice(first, None), shots - first))
        )
        return one, other, (first * one + (shots - first) * other) / shots

    def _again(self, argument: Array, outcomes: Sequence[Outcome], shots: int) -> Array:
        with _replayed(self._primitives, outcomes, shots):
            return np.ravel(np.asarray(self._fun(argument.copy()), dtype=float))


_GROWS = (
    "fun grows with the number of shots: it divides counts by a number of its own, but the "
    "optimizer changes the shots from job to job. Divide by their sum, as in "
    "counts[bits] / sum(counts.values()), or let fun have a parameter named shots and divide by it."
)
_NO_MEAN = (
    "fun is no mean over its shots, as a CVaR, a maximum or a logarithm is none, so that few shots "
    "make another loss of it. This job had {shots} shots per point; say min_shots to have more, "
    "16/alpha for a CVaR of the share alpha."
)


class _Replay(StandIn):
    """Gives outcomes that are there already."""

    seed_check_shots = 0  # nothing runs

    def __init__(self, engine: Engine, outcomes: Iterator[Outcome]) -> None:
        super().__init__(engine)
        self._outcomes = outcomes

    def run(self, tasks: Sequence[PubTask[Any]], ledger: Account) -> Outcome:
        return next(self._outcomes)


class _Tape(StandIn):
    """Lets the engine run, and keeps the outcomes."""

    def __init__(self, engine: Engine, outcomes: list[Outcome]) -> None:
        super().__init__(engine)
        self._kept = outcomes

    def run(self, tasks: Sequence[PubTask[Any]], ledger: Account) -> Outcome:
        self._kept.append(self._engine.run(tasks, ledger))
        return self._kept[-1]


@contextmanager
def taped(primitives: Sequence[ShotControl], outcomes: list[Outcome]) -> Iterator[None]:
    """Keep what primitives deliver.

    Args:
        primitives: The primitives.
        outcomes: Gets the outcome of every call.

    Example:
        >>> from qiskit import QuantumCircuit
        >>> from qiskit_arcmaes import ShotEstimator
        >>> estimator, outcomes = ShotEstimator(), []
        >>> with taped([estimator], outcomes):
        ...     _ = estimator.run([(QuantumCircuit(1), "Z")])
        >>> float(outcomes[0].results[0].data.evs)
        1.0
    """
    with ExitStack() as stack:
        for primitive in primitives:
            stack.callback(setattr, primitive, "_engine", primitive._engine)
            primitive._engine = _Tape(primitive._engine, outcomes)
        yield


@contextmanager
def _replayed(
    primitives: Sequence[ShotControl], outcomes: Sequence[Outcome], shots: int
) -> Iterator[None]:
    """Let primitives deliver outcomes that are there already."""
    with ExitStack() as stack:
        rest = iter(outcomes)
        for primitive in primitives:
            stack.callback(setattr, primitive, "_engine", primitive._engine)
            stack.callback(primitive.impose, primitive.shots)
            primitive._engine = _Replay(primitive._engine, rest)
            primitive.impose(shots)
        yield


def _random_result(pub: SamplerPub, shots: int) -> SamplerPubResult:
    """A result of random bits."""
    rng = np.random.default_rng(1)
    bits = {
        register.name: BitArray.from_bool_array(
            rng.integers(0, 2, (*pub.shape, shots, register.size)).astype(bool)
        )
        for register in pub.circuit.cregs
    }
    metadata = {"shots": shots, "circuit_metadata": pub.circuit.metadata}
    return SamplerPubResult(DataBin(**bits, shape=pub.shape), metadata)


def _has_counts(outcome: Outcome) -> bool:
    return any(isinstance(bits, BitArray) for one in outcome.results for bits in one.data.values())


def _repeated(outcome: Outcome, times: int) -> Outcome:
    """The same outcome with every shot several times."""
    return _with_shots(outcome, lambda bits: np.concatenate([bits] * times, axis=-2))


def _part(outcome: Outcome, where: slice) -> Outcome:
    """Some of the shots of an outcome."""
    return _with_shots(outcome, lambda bits: bits[..., where, :])


def _with_shots(outcome: Outcome, choose: Callable[[Any], Any]) -> Outcome:
    """The outcome with other shots; what is no counts stays as it is."""
    results = []
    for one in outcome.results:
        data = {
            name: BitArray(choose(bits.array), bits.num_bits) if _is_bits(bits) else bits
            for name, bits in one.data.items()
        }
        kept = any(map(_is_bits, data.values()))
        results.append(
            SamplerPubResult(DataBin(**data, shape=one.data.shape), dict(one.metadata))
            if kept
            else one
        )
    return Outcome(results, outcome.variances)


def _is_bits(value: Any) -> bool:
    return isinstance(value, BitArray)


def _same(one: Array, other: Array, scale: Array) -> bool:
    return bool(np.all(np.abs(one - other) <= _SAME * scale))
