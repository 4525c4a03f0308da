"""Runs that interrupt themselves with a real SIGINT, for a process of their own.

Tests import the same parts to resume such a run.
"""

import signal

import numpy as np

from qiskit_arcmaes import METHODS, GaussianOracle, get_function, minimize
from qiskit_arcmaes.registry import Entry
from qiskit_arcmaes.strategies.fixed import FixedShots

BUDGET = 4000
JOB = 9  # the job in which the interrupt comes
PLACES = (
    *("before the shots", "after the shots"),
    *("in tell", "in a callback", "in the last estimate"),
)


class SignalledTell(FixedShots):
    """CMA-ES that gets the interrupt in the middle of an update, where it has to wait."""

    armed = False

    def _move(self, distribution):
        if self.armed and distribution.generation == JOB:
            signal.raise_signal(signal.SIGINT)
        super()._move(distribution)


class SignalledOracle(GaussianOracle):
    """Gets the interrupt inside a job, before or after its shots."""

    def __init__(self, place):
        super().__init__(get_function("sphere", 4), tau=1.0, seed=6)
        self.place = place or "nowhere"
        self.calls = 0

    def evaluate(self, points, shots):
        self.calls += 1
        last = len(points) == 16 and bool(np.all(points == points[0]))
        if self.place == "before the shots" and self.calls == JOB:
            signal.raise_signal(signal.SIGINT)
        if self.place == "in the last estimate" and last:
            signal.raise_signal(signal.SIGINT)
        estimate = super().evaluate(points, shots)
        if self.place.startswith("after the shots") and self.calls == JOB:
            signal.raise_signal(signal.SIGINT)
        if self.place == "after the shots, twice" and self.calls == JOB:
            signal.raise_signal(signal.SIGINT)
        return estimate


class TwiceSignalledOracle(SignalledOracle):
    """Gets a second interrupt while the run is saved."""

    @property
    def state(self):
        if self.calls == JOB:
            signal.raise_signal(signal.SIGINT)
        return GaussianOracle.state.fget(self)

    @state.setter
    def state(self, state):
        GaussianOracle.state.fset(self, state)


def make_oracle(place):
    """The oracle that interrupts in a place; None for one that never does."""
    kind = TwiceSignalledOracle if place == "during the save" else SignalledOracle
    return kind("before the shots" if place == "during the save" else place)


def solve(oracle, method, **arguments):
    """One run, the same for everyone."""
    METHODS["signalled"] = Entry(SignalledTell, "signalled")
    try:
        return minimize(oracle, np.ones(4), max_shots=BUDGET, method=method, seed=5, **arguments)
    finally:
        del METHODS["signalled"]


def tell_what_came_back(answer, place, method, path, on_interrupt):
    """Interrupt a run, and send what came back."""
    signal.signal(signal.SIGINT, signal.default_int_handler)  # background processes ignore it
    jobs = []

    def callback(*_):
        jobs.append(1)
        if place == "in a callback" and len(jobs) == JOB:
            signal.raise_signal(signal.SIGINT)

    SignalledTell.armed = place == "in tell"
    oracle, raised = make_oracle(place), False
    try:
        result = solve(
            oracle, method, checkpoint=path, callback=callback, on_interrupt=on_interrupt
        )
    except KeyboardInterrupt as interrupt:
        result, raised = interrupt.result, True
    restored = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    answer.send({
        "raised": raised, "restored": restored, "stop": result.stop.name, "fun": result.fun,
        "fun_std": result.fun_std, "success": result.success, "shots": result.shots,
        "spent": oracle.spent, "calls": oracle.calls, "jobs": result.jobs, "nit": result.nit,
        "rows": len(result.history), "x": result.x.tolist(), "message": result.message,
    })  # fmt: skip
