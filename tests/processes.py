"""Processes of their own, for tests that kill or interrupt them.

They are forked from one that has imported the package once, so that each starts at once.
"""

import multiprocessing
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
