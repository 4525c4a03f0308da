"""Child processes that are killed or interrupted from outside."""

from __future__ import annotations

import os
import pickle
import signal
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from .harness import expect

LONGEST = 300.0  # seconds that a child gets to end by itself


def fork(task: Callable[[], Any]) -> int:
    """Run a task in a child process: a copy of this one, so that it begins at once.

    Args:
        task: What to do; the child exits with 0 after it, with 1 after an error, and with the
            number of a SystemExit.
    """
    child = os.fork()
    if child:
        return child
    code = 1
    try:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 1)
        os.dup2(null, 2)
        task()
        code = 0
    except SystemExit as error:
        code = int(error.code or 0)
    except KeyboardInterrupt:
        code = 130
    finally:
        os._exit(code)


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
    """
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "answer"
        code = end(fork(lambda: file.write_bytes(pickle.dumps(task()))))
        expect(code == 0, f"a child process ended with {code}")
        return pickle.loads(file.read_bytes())


def kill_after(task: Callable[[], Any], seconds: float) -> int:
    """Run a task in a child that gets SIGKILL; whether it fell into its work, 0 or 1."""
    return int(send_after(fork(task), signal.SIGKILL, seconds) == -signal.SIGKILL)
