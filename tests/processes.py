"""Processes of their own, for tests that kill them, interrupt them or need a terminal.

``start`` forks them from one that has imported the package once, so that each runs at once.
"""

import multiprocessing
import os
import pty
import subprocess
import time

from qiskit_arcmaes.engine.checkpoint import load

_CONTEXT = multiprocessing.get_context("forkserver")
_CONTEXT.set_forkserver_preload(["qiskit_arcmaes.optimizers", "qiskit_algorithms", "scipy.stats"])


def start(target, *arguments):
    """Run a function of a module in a process of its own; it ends with the tests at the latest."""
    process = _CONTEXT.Process(target=target, args=arguments, daemon=True)
    process.start()
    return process


def start_with_answer(target, *arguments):
    """The process, and the connection to it: the other end is the function's first argument."""
    ours, theirs = _CONTEXT.Pipe()
    process = start(target, theirs, *arguments)
    theirs.close()
    return process, ours


def finish(process, answer, seconds=120):
    """What the process sent before it ended as it should."""
    assert answer.poll(seconds), "nothing was sent in time"
    told = answer.recv()  # an EOFError where it ended before; its traceback is in the output
    process.join(seconds)
    assert process.exitcode == 0
    return told


def wait_for_jobs(process, path, jobs):
    """Return as soon as the checkpoint of a running process holds so many jobs."""
    while not path.exists() or load(path)["ledger"].fields["jobs"] < jobs:
        assert process.is_alive(), "the run ended before it could be killed"
        time.sleep(0.005)


def written_to_a_terminal(command):
    """What a program writes whose standard output is a terminal; it has to end well."""
    ours, theirs = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "150"}
    process = subprocess.Popen(command, stdout=theirs, env=environment)
    os.close(theirs)
    written = b""
    try:
        while block := os.read(ours, 4096):
            written += block
    except OSError:  # how Linux says that the other end was closed
        pass
    finally:
        os.close(ours)
    assert process.wait() == 0
    return written.decode()
