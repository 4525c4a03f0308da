"""Child processes that are killed or interrupted from outside."""

from __future__ import annotations

import functools
import os
import pickle
import signal
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from .harness import Attempt, expect

LONGEST = 300.0  # seconds that a child gets to end by itself


def fork(task: Callable[[], Any]) -> int:
    """Run a task in a child process: a copy of this one, so that it begins at once.

    Args:
        task: What to do; the child exits with 0 after it, with 1 after an error, and with the
            number of a SystemExit.
    """
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})  # until the child can be interrupted
    child = os.fork()
    if child:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
        return child
    code = [1]
    try:
        try:
            _do(task, code)
        finally:
            os._exit(code[0])
    finally:  # an interrupt fell into the lines above
        os._exit(code[0])


def _do(task: Callable[[], Any], code: list[int]) -> None:
    """In a child: do a task, and note the exit code."""
    try:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 1)
        os.dup2(null, 2)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
        task()
        code[0] = 0
    except SystemExit as error:
        code[0] = int(error.code or 0)
    except KeyboardInterrupt:
        code[0] = 130
    except BaseException:
        code[0] = 1


def end(child: int) -> int:
    """Wait for a child; return its exit code, or minus the signal that ended it."""
    limit = time.monotonic() + LONGEST
    while time.monotonic() < limit:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.002)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    expect(False, f"a child process did not end in {LONGEST} seconds")
    return 1


def send_after(child: int, number: int, seconds: float) -> int:
    """Send a signal to a child after a while, and wait for its end.

    Args:
        child: Its process.
        number: The signal.
        seconds: How long it may work before.
    """
    time.sleep(seconds)
    os.kill(child, number)  # it is not waited for yet, so the number is its own
    return end(child)


def call_in_child(task: Callable[[], Any]) -> Any:
    """What a task returns, computed in a child process: this one starts no pool of threads.

    Transpilation starts a pool that does not survive a fork; later children would wait for it.

    Args:
        task: Returns something that can be pickled.

    Raises:
        BrokenPromiseError: The task raised something, or did not end.
    """
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "answer"
        code = end(fork(lambda: file.write_bytes(pickle.dumps(_outcome(task)))))
        expect(code == 0, f"a child process ended with {code}")
        answer, error = pickle.loads(file.read_bytes())
        expect(error is None, str(error))
        return answer


def _outcome(task: Callable[[], Any]) -> tuple[Any, str | None]:
    """What a task returned, and what it raised."""
    try:
        return task(), None
    except Exception as error:
        return None, f"{type(error).__name__}: {error}"


def in_child(attempt: Attempt) -> Attempt:
    """Try a promise in a child process, because what it runs starts a pool of threads.

    Args:
        attempt: Tries it.
    """

    @functools.wraps(attempt)
    def elsewhere(rng: np.random.Generator, folder: Path) -> int | None:
        killed: int | None = call_in_child(lambda: attempt(rng, folder))
        return killed

    return elsewhere


def kill_after(task: Callable[[], Any], seconds: float) -> int:
    """Run a task in a child that gets SIGKILL; whether it fell into its work, 0 or 1."""
    return int(send_after(fork(task), signal.SIGKILL, seconds) == -signal.SIGKILL)
