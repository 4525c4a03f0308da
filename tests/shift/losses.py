"""Losses of angles, and runs of the method on them."""

import math

import numpy as np

from qiskit_arcmaes.domain import make_domain
from qiskit_arcmaes.method import Setup
from qiskit_arcmaes.oracles import Estimate
from qiskit_arcmaes.shift.parameter_shift import ParameterShift
from qiskit_arcmaes.shift.params import DEFAULTS

DIM = 4


def rotations(points):
    """One frequency per angle, coupled: minimum -(d - 1) - 1/2 at zero."""
    cosines = np.cos(points)
    return -np.sum(cosines[:, 1:] * cosines[:, :-1], axis=1) - 0.5 * cosines[:, 0]


def above_minimum(point):
    """Error of a point for ``rotations``."""
    return rotations(point[None])[0] + len(point) - 0.5


def several_gates(points):
    """Each angle turns several gates: frequencies 1 and 4, many minima; minimum -2 d at zero."""
    return -np.sum(np.cos(points) + np.cos(4 * points), axis=1)


def setup(budget=1e5, x0=1.0, dim=DIM, **options):
    options.setdefault("domain", make_domain(dim))
    return Setup(np.full(dim, x0), 0.6, 10, budget=budget, angles=True, **options)


def method(budget=1e5, seed=0, x0=1.0, dim=DIM, params=DEFAULTS, **options):
    return ParameterShift(setup(budget, x0, dim, **options), np.random.default_rng(seed), params)


def steps(method, loss, noise, seed=1, reported=False):
    """Drive a method to its end; yield each batch after it was told."""
    rng = np.random.default_rng(seed)
    while not method.finished:
        batch = method.ask()
        deviation = noise / math.sqrt(batch.shots)
        values = loss(batch.points) + deviation * rng.standard_normal(len(batch.points))
        variances = np.full(len(values), deviation**2) if reported else None
        method.tell(batch, Estimate(values, variances))
        yield batch


def drive(method, loss, noise, seed=1, reported=False):
    """Drive a method to its end and return it."""
    for _ in steps(method, loss, noise, seed, reported):
        pass
    return method
