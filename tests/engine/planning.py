"""A small method that plans by measurement group, and oracles that spoil its plans."""

import os
from contextlib import contextmanager
from dataclasses import dataclass, replace

import numpy as np

from qiskit_arcmaes import METHODS, minimize
from qiskit_arcmaes.bench.shot_oracle import ShotOracle
from qiskit_arcmaes.method import Batch, Method, Progress, State
from qiskit_arcmaes.oracles import GroupEstimate, MeasurementPlan, NotPlainError
from qiskit_arcmaes.problems import get_problem
from qiskit_arcmaes.registry import Entry

BUDGET = 20_000
SHOTS = 10
RATE = 0.3
START = np.full(4, 0.4)


@dataclass(kw_only=True)
class DescentState(State):
    """Where the descent is, and whether its jobs may be planned."""

    point: np.ndarray
    steps: int = 0
    planned: bool = True


class PlannedDescent(Method):
    """Gradient descent on pairs half a turn apart, measured by group in random proportions."""

    state: DescentState

    def __init__(self, setup, rng):
        super().__init__(setup, rng)
        self.state = DescentState(rng=rng, point=setup.start, planned=setup.circuit is not None)

    def ask(self):
        shifts = np.pi / 2 * np.eye(self.setup.dim)
        points = self.state.point + np.concatenate([shifts, -shifts])
        if not self.state.planned:
            return Batch(points, SHOTS, "descent")
        circuit = self.setup.circuit
        shots = self.state.rng.integers(2, 2 * SHOTS, (len(points), circuit.num_groups))
        parts = np.zeros((1, len(circuit.coefficients)), dtype=int)
        plan = MeasurementPlan(points, shots, np.zeros(len(points), dtype=int), parts)
        return Batch(points, SHOTS, "planned descent", plan=plan)

    def tell(self, batch, estimate):
        self._step(estimate.values)

    def tell_groups(self, batch, estimate):
        self._step(np.nan_to_num(estimate.means).sum(axis=(1, 2)))

    def _step(self, values):
        plus, minus = np.split(values, 2)
        self.state.point = self.state.point - RATE * (plus - minus) / 2
        self.state.steps += 1

    def forget_plans(self):
        super().forget_plans()
        self.state = replace(self.state, planned=False, point=self.setup.start)

    @property
    def recommendation(self):
        return self.state.point

    def report(self):
        return Progress(self.state.steps, 0.1, SHOTS)

    def first_jobs(self):
        return [(2 * self.setup.dim, 2 * SHOTS)]


class Spoiled(ShotOracle):
    """Answers the fifth plan in another way."""

    jobs = 0

    def __init__(self, spoil):
        super().__init__(get_problem("h2"), seed=3)
        self.spoil = spoil

    def measure(self, plan):
        self.jobs += 1
        if self.jobs != 5:
            return super().measure(plan)
        before = self.state
        try:
            return self.spoil(self, plan, super().measure(plan))
        except (KeyboardInterrupt, ConnectionError):  # before its first shot
            self.state = before
            raise


def make_oracle():
    return ShotOracle(get_problem("h2"), seed=3)


def not_plain(oracle, plan, estimate):
    raise NotPlainError("fun scales what it measures")


def with_failures(oracle, plan, estimate):
    estimate.means[1, 0] = np.nan
    return replace(estimate, failures=1)


def all_failed(oracle, plan, estimate):
    return replace(estimate, means=np.full_like(estimate.means, np.nan))


def infinite(oracle, plan, estimate):
    estimate.means[1, 0] = np.inf
    return estimate


def huge(oracle, plan, estimate):
    estimate.means[1, 0] = -1e160
    return estimate


def wrong_shape(oracle, plan, estimate):
    return GroupEstimate(estimate.means[:1], estimate.variances[:1])


def wrong_kind(oracle, plan, estimate):
    return estimate.means


def too_dear(oracle, plan, estimate):
    oracle.charge(1)
    return estimate


def free(oracle, plan, estimate):
    oracle.charge(-plan.total)
    return estimate


def interrupted(oracle, plan, estimate):
    raise KeyboardInterrupt


def raised(oracle, plan, estimate):
    raise ConnectionError("the service is down")


@contextmanager
def registered():
    """The method under the name ``planned``."""
    METHODS["planned"] = Entry(PlannedDescent, "planned")
    try:
        yield
    finally:
        del METHODS["planned"]


def solve(oracle, **arguments):
    """One run, the same for everyone."""
    with registered():
        return minimize(oracle, START, max_shots=BUDGET, method="planned", seed=5, **arguments)


def solve_until_killed(path):
    """For a process of its own, which ends in its seventh job."""
    jobs = []

    def callback(*_):
        jobs.append(1)
        if len(jobs) == 7:
            os._exit(9)

    solve(make_oracle(), checkpoint=path, checkpoint_seconds=0, callback=callback)
