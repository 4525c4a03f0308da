"""A loss that is measured by plan, with exact slopes: products of cosines, term by term."""

import math

import numpy as np

from qiskit_arcmaes import Estimate
from qiskit_arcmaes.oracles import GroupEstimate, MeasuredCircuit, NotPlainError, Oracle
from qiskit_arcmaes.rotations import listed


class Cosines(Oracle):
    """Constant plus a sum over terms of coefficient times the product of cos(x_i) over its angles.

    A shot of a term is +1 or -1, independent of all other terms.

    Args:
        members: The angles of each term.
        coefficients: Of the terms.
        groups: The measurement group of each term.
        constant: What no angle changes.
        seed: Of the shots.
        equal_shots: As in ``MeasuredCircuit``.
        centre: Where all cosines are 1, a number or shape (d,).
        plain: Plans that are measured before the loss turns out not to be plain.
        fails_at: The job at which the service is down.
    """

    angles = True
    reports_variances = True

    def __init__(
        self,
        members,
        coefficients,
        groups,
        constant=0.0,
        seed=0,
        equal_shots=False,
        centre=0.0,
        plain=math.inf,
        fails_at=None,
    ):
        self.cones = np.zeros((max(map(max, members)) + 1, len(members)), dtype=bool)
        for term, angles in enumerate(members):
            self.cones[list(angles), term] = True
        self.coefficients = np.array(coefficients, dtype=float)
        self.groups = np.array(groups)
        self.constant, self.centre, self.plain = constant, centre, plain
        self.circuit = MeasuredCircuit(
            self.cones, self.coefficients, self.groups, constant, equal_shots
        )
        self.spectra = (listed([1.0]),) * len(self.cones)
        self.mean_loss = constant
        self.rng = np.random.default_rng(seed)
        self.plans = []
        self.jobs, self.fails_at = 0, fails_at

    def terms(self, points):
        """Expectations of the terms, shape (n, terms)."""
        cosines = np.cos(np.atleast_2d(points) - self.centre)
        return np.where(self.cones.T, cosines[:, None, :], 1.0).prod(axis=2)

    def loss(self, points):
        return self.constant + self.terms(points) @ self.coefficients

    def slopes(self, point):
        """The exact gradient at a point, shape (d,)."""
        quarter = np.diag(np.full(len(point), math.pi / 2))
        return (self.loss(point + quarter) - self.loss(point - quarter)) / 2

    def hessian_diagonal(self, point):
        """The exact curvatures along the axes, shape (d,)."""
        return -(self.cones @ (self.coefficients * self.terms(point)[0]))

    def price(self, n):
        return super().price(n * (int(self.groups.max()) + 1))

    def evaluate(self, points, shots):
        self._begin_job()
        points = np.asarray(points, dtype=float)
        self.charge(self.price(len(points)).at(shots))
        variances = np.square(self.coefficients) @ (1 - self.terms(points) ** 2).T / shots
        noise = np.sqrt(variances) * self.rng.standard_normal(len(points))
        return Estimate(self.loss(points) + noise, variances)

    def _begin_job(self):
        self.jobs += 1
        if self.jobs == self.fails_at:
            raise ConnectionError("the service is down")

    def measure(self, plan):
        self._begin_job()
        if len(self.plans) >= self.plain:
            self.circuit = None
            raise NotPlainError("fun squares what it measures")
        self.plans.append(plan)
        self.charge(plan.total)
        shots = plan.shots[:, self.groups]
        heads = self.rng.binomial(shots, np.clip((1 + self.terms(plan.points)) / 2, 0, 1))
        means = 2 * heads / np.maximum(shots, 1) - 1
        return self._read(plan, means, shots / np.maximum(shots - 1, 1))

    def exact(self, plan):
        """What a plan gives with infinitely many shots wherever it has any."""
        return self._read(plan, self.terms(plan.points), 1.0)

    def _read(self, plan, means, correction):
        values = self.coefficients * means
        squares = np.square(self.coefficients) * (1 - means**2) * correction
        shape = (*plan.shots.shape, plan.num_parts)
        estimate = GroupEstimate(np.zeros(shape), np.zeros(shape))
        parts = plan.parts[plan.partition]
        for term, group in enumerate(self.groups):
            rows = np.flatnonzero(parts[:, term] >= 0)
            where = rows, group, parts[rows, term]
            estimate.means[where] += values[rows, term]
            estimate.variances[where] += squares[rows, term]
        estimate.means[plan.shots == 0] = np.nan
        estimate.variances[plan.shots < 2] = np.nan
        return estimate

    @property
    def state(self):
        return {"spent": self._spent, "rng": self.rng.bit_generator.state}

    @state.setter
    def state(self, state):
        self._spent = int(state["spent"])
        self.rng.bit_generator.state = dict(state["rng"])


def chain(dim=4, **options):
    """Neighbours coupled in one group, fields in another: minimum 1/2 - (d - 1) - d/2 at zero."""
    members = [*((i, i + 1) for i in range(dim - 1)), *((i,) for i in range(dim))]
    coefficients = [-1.0] * (dim - 1) + [-0.5] * dim
    groups = [0] * (dim - 1) + [1] * dim
    return Cosines(members, coefficients, groups, 0.5, **options)


def separable(dim=3, **options):
    """One term per angle, in one group: all angles are shifted in one circuit."""
    options = {"constant": 0.0, **options}
    return Cosines([(i,) for i in range(dim)], [-1.0] * dim, [0] * dim, **options)
