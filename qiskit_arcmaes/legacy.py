# ruff: noqa
"""Old base, until surrogate/ and shift/ are converted."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from qiskit_arcmaes import method as new
from qiskit_arcmaes.method import Setup, Progress
from qiskit_arcmaes.method import Setup, Progress
from qiskit_arcmaes.strategies import cma

Array = np.ndarray


@dataclass(frozen=True)
class Batch:
    points: Array
    shots: int


@dataclass(kw_only=True)
class State(new.State):
    distribution: cma.Distribution
    shots: float
    steps: Array = field(default_factory=lambda: np.empty((0, 0)))
    normals: Array = field(default_factory=lambda: np.empty((0, 0)))
    waiting: int = 0


class Method(new.Method):
    def __init_subclass__(cls):
        oa, ot = cls.ask, cls.tell

        def ask(self):
            b = oa(self)
            return new.Batch(b.points, b.shots, "quadratic surrogate")

        def tell(self, batch, estimate):
            self.state.waiting = len(batch.points)
            ot(self, estimate.values, estimate.variances)

        cls.ask, cls.tell = ask, tell

    @property
    def recommendation(self):
        return self.answer

    @property
    def answer(self):
        return self.setup.domain.wrap(self.state.distribution.mean)

    def report(self):
        d = self.state.distribution
        v = self.belief_of_value or (np.nan, np.nan)
        return Progress(
            d.generation,
            d.step_size * float(d.scales[-1]),
            self.state.shots,
            *v,
            dict(self.decision),
        )

    @property
    def belief_of_value(self):
        return None

    def _receive(self, values, variances):
        a = np.array(values, dtype=float)
        a[~np.isfinite(a)] = np.nan
        self.state.waiting = 0
        return a, (None if variances is None else np.asarray(variances, dtype=float))
