"""Promises, tries of them, and the loop that makes one try after the other."""

from __future__ import annotations

import contextlib
import json
import signal
import tempfile
import time
import traceback
import warnings
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

Attempt = Callable[[np.random.Generator, Path], int | None]
"""Tries a promise once, in an empty folder; returns the processes that it killed, if any."""

SECONDS_PER_TRY = 120  # of processor time: what takes longer hangs
SEEDS_PER_PART = 1_000_000
TRIES_PER_SAVE = 50


class BrokenPromiseError(Exception):
    """What was promised did not happen."""


class HangError(BaseException):
    """A try does not end."""


@dataclass(frozen=True)
class Promise:
    """What the package promises, and how it is attacked.

    Attributes:
        name: For the command line.
        text: For the table.
        attempt: Tries it once.
        weight: How often it is tried, relative to the others; 1.9 is 11 of 1,000 tries.
    """

    name: str
    text: str
    attempt: Attempt
    weight: float


PROMISES: dict[str, Promise] = {}


def promise(name: str, text: str, weight: float) -> Callable[[Attempt], Attempt]:
    """Register the function below as the attack on a promise.

    Args:
        name: For the command line.
        text: For the table.
        weight: How often it is tried, relative to the others.
    """

    def register(attempt: Attempt) -> Attempt:
        PROMISES[name] = Promise(name, text, attempt, weight)
        return attempt

    return register


def expect(holds: bool, what: str) -> None:
    """Say that a promise is broken unless something holds.

    Args:
        holds: What must be true.
        what: What is wrong if it is not.
    """
    if not holds:
        raise BrokenPromiseError(what)


@dataclass
class Tally:
    """What a part of an attack has counted.

    Attributes:
        part: Its number: all seeds follow from it.
        tries: How often each promise was tried.
        kills: Processes killed in the middle of their work.
        broken: Seed and error of every try that failed, by promise.
    """

    part: int
    tries: Counter[str] = field(default_factory=Counter)
    kills: Counter[str] = field(default_factory=Counter)
    broken: dict[str, list[list[Any]]] = field(default_factory=dict)

    def to_json(self) -> str:
        """One line of JSON for each promise."""
        return "".join(
            json.dumps(
                {
                    "part": self.part,
                    "promise": name,
                    "tries": self.tries[name],
                    "kills": self.kills[name],
                    "broken": self.broken.get(name, []),
                }
            )
            + "\n"
            for name in self.tries
        )


def run_part(
    promises: list[Promise],
    part: int,
    seconds: float,
    tries: int | None,
    say: Callable[[str], Any],
    keep: Callable[[Tally], Any],
) -> Tally:
    """Try promises in proportion to their weights until the time or the number of tries is over.

    Args:
        promises: What to try.
        part: The number of the part, >= 0.
        seconds: Most wall-clock time; the try that is under way ends.
        tries: Most tries, or None.
        say: Is given a line for each broken promise.
        keep: Is given the counts now and then, so that a part that is stopped counts too.
    """
    tally, end = Tally(part), time.monotonic() + seconds
    while time.monotonic() < end and (tries is None or tally.tries.total() < tries):
        chosen = min(promises, key=lambda each: (tally.tries[each.name] + 1) / each.weight)
        seed = part * SEEDS_PER_PART + tally.tries[chosen.name]
        error = try_once(chosen, seed, tally)
        if error is not None:
            say(f"BROKEN: {chosen.name}: {error}\n  again: --only {chosen.name} --seed {seed}")
        if tally.tries.total() % TRIES_PER_SAVE == 0:
            keep(tally)
    keep(tally)
    return tally


def try_once(chosen: Promise, seed: int, tally: Tally, show: bool = False) -> str | None:
    """Try a promise once and count it; return what was wrong.

    Args:
        chosen: The promise.
        seed: All that is random follows from it.
        tally: Where it is counted.
        show: Whether to print the traceback of an error.
    """
    rng = np.random.default_rng([zlib.crc32(chosen.name.encode()), seed])
    tally.tries[chosen.name] += 1
    try:
        with _quiet(), _limited(), tempfile.TemporaryDirectory(prefix="attack-") as folder:
            tally.kills[chosen.name] += chosen.attempt(rng, Path(folder)) or 0
        return None
    except (Exception, HangError, KeyboardInterrupt, SystemExit) as error:
        if show:
            traceback.print_exc()
        last = traceback.extract_tb(error.__traceback__)[-1]
        words = f"{type(error).__name__}: {str(error)[:300]} ({Path(last.filename).name})"
        tally.broken.setdefault(chosen.name, []).append([seed, words])
        return words


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


@contextlib.contextmanager
def _limited() -> Iterator[None]:
    def hang(*_: Any) -> None:
        raise HangError(f"no end after {SECONDS_PER_TRY} seconds of processor time")

    before = signal.signal(signal.SIGVTALRM, hang)
    signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS_PER_TRY)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
