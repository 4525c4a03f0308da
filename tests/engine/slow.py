"""A run that is slow enough to be killed or interrupted from outside in its middle."""

import signal
import time

import numpy as np

from qiskit_arcmaes import GaussianOracle, get_function, minimize

BUDGET = 4000


class Slow(GaussianOracle):
    """Takes ten milliseconds for every job."""

    def evaluate(self, points, shots):
        time.sleep(0.01)
        return super().evaluate(points, shots)


def solve(method, kind=GaussianOracle, **arguments):
    """One run, the same for everyone, and the same numbers when it is slow."""
    oracle = kind(get_function("sphere", 4), tau=1.0, seed=6)
    return minimize(oracle, np.ones(4), max_shots=BUDGET, method=method, seed=5, **arguments)


def solve_slowly(method, path):
    """For a process that is killed."""
    solve(method, Slow, checkpoint=path, checkpoint_seconds=0)


def tell_how_it_stopped(answer, method, path):
    """For a process that is interrupted."""
    signal.signal(signal.SIGINT, signal.default_int_handler)  # background processes ignore it
    answer.send(solve(method, Slow, checkpoint=path, checkpoint_seconds=0).stop.name)
