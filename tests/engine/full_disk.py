"""A run in a process that may not write beyond so many bytes, as if the disk were full."""

import resource
import signal
import warnings

import numpy as np

from qiskit_arcmaes import CheckpointWarning, GaussianOracle, get_function, minimize


def solve(method, **arguments):
    """One run, the same for everyone."""
    oracle = GaussianOracle(get_function("sphere", 3), seed=1)
    return minimize(oracle, np.ones(3), max_shots=3000, method=method, seed=1, **arguments)


def tell_shots_and_value(answer, room, method, path):
    """For a process of its own: run with so many bytes of room, and send what came back."""
    limit = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, limit))
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = solve(method, checkpoint=path, checkpoint_seconds=0)
    assert {each.category for each in caught} == {CheckpointWarning}, caught
    answer.send((result.shots, result.fun))
