"""Losses, designs and searches that the tests of several parts use."""

import numpy as np

from qiskit_arcmaes.domain import make_domain
from qiskit_arcmaes.method import Setup
from qiskit_arcmaes.surrogate.basis import QuadraticBasis
from qiskit_arcmaes.surrogate.design import SamplingDistribution, draw_points, make_design
from qiskit_arcmaes.surrogate.normal_equations import SumsCache
from qiskit_arcmaes.surrogate.params import DEFAULTS
from qiskit_arcmaes.surrogate.regression import fit

DIM = 5


class Quadratic:
    """f(x) = c + g.x + x'Hx/2 with a positive definite H."""

    def __init__(self, dim=DIM, seed=0):
        rng = np.random.default_rng(seed)
        root = rng.normal(size=(dim, dim))
        self.constant, self.gradient = 1.5, rng.normal(size=dim)
        self.hessian = root @ root.T + np.eye(dim)
        self.minimiser = -np.linalg.solve(self.hessian, self.gradient)

    def __call__(self, points):
        points = np.atleast_2d(points)
        curved = np.einsum("ni,ij,nj->n", points, self.hessian, points) / 2
        return self.constant + points @ self.gradient + curved


def measured(loss, distribution, pairs, noise, seed, shots=1):
    """A design on a loss whose single shots have the variance ``noise``."""
    rng = np.random.default_rng(seed)
    points = draw_points(rng, distribution, pairs, 0)
    values = loss(points) + np.sqrt(noise / shots) * rng.standard_normal(len(points))
    return make_design(points, values, noise, shots, distribution.scale, seed)


def fitted(designs, distribution, prior_variance=None, params=DEFAULTS.regression):
    """The quadratic of some designs."""
    basis = QuadraticBasis(len(distribution.centre), params.full_dimension)
    return fit(designs, distribution, basis, prior_variance, params, SumsCache())


def around(centre, radius=1.0):
    """A spherical sampling distribution."""
    centre = np.asarray(centre, dtype=float)
    return SamplingDistribution(centre, radius * np.eye(len(centre)))


def some_setup(dim=DIM, **settings):
    """A problem with 10⁵ shots from 1.5 in every coordinate."""
    usual = {
        "start": np.full(dim, 1.5),
        "sigma0": 0.5,
        "popsize": 10,
        "domain": make_domain(dim),
        "budget": 1e5,
    }
    return Setup(**{**usual, **settings})
