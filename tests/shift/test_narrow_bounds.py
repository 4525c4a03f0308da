"""Bounds closer than a period: all points stay inside, and the bounded minimum is found."""

import numpy as np
import pytest

from qiskit_arcmaes import minimize
from qiskit_arcmaes.oracles import Estimate, Oracle
from qiskit_arcmaes.rotations import listed
from qiskit_arcmaes.shift.rules import exact_rules
from qiskit_arcmaes.shift.spectral_params import RuleParams


class Cosines(Oracle):
    """Minus the sum of cos(x - target), with Gaussian noise of deviation 1 per shot."""

    reports_variances = True
    angles = True

    def __init__(self, target, seed):
        self.target = np.asarray(target)
        self.spectra = tuple(listed([1.0]) for _ in self.target)
        self.mean_loss = 0.0
        self.rng = np.random.default_rng(seed)
        self.seen = []

    def exact(self, points):
        return -np.cos(points - self.target).sum(axis=-1)

    def evaluate(self, points, shots):
        self.seen.append(np.array(points))
        self.charge(len(points) * shots)
        noise = self.rng.normal(size=len(points)) / np.sqrt(shots)
        return Estimate(self.exact(points) + noise, np.full(len(points), 1 / shots))


@pytest.mark.parametrize("target", [[0.2, -0.1, 0.3], [2.0, 0.0, -2.5], [0.95, 1.0, -1.0]])
def test_the_bounded_minimum_is_found_from_inside(target):
    """200,000 shots, deviation 1: slopes are known to 0.01, so that 0.02 is five deviations."""
    oracle = Cosines(target, seed=1)
    result = minimize(oracle, [0.5, -0.5, 0.5], max_shots=200_000, seed=1, bounds=[(-1, 1)] * 3)
    seen = np.concatenate(oracle.seen)
    assert seen.min() >= -1
    assert seen.max() <= 1
    best = oracle.exact(np.clip(target, -1, 1))
    assert oracle.exact(result.x) - best < 0.02
    assert "parameter-shift" in result.algorithm


@pytest.mark.parametrize("centre", [-0.3, -0.25, 0.0, 0.4, 0.5])
def test_slopes_of_one_frequency_are_exact_where_the_pair_is_about_the_centre(centre):
    rules = exact_rules((listed([1.0]),), RuleParams())
    low, high, narrow = np.array([-0.3]), np.array([0.5]), np.array([True])
    near = rules.within(np.array([centre]), low, high, narrow)
    points = near.points(np.array([centre]))
    assert low <= points.min()
    assert points.max() <= high
    above, below = np.sin(points[:, 0] + 0.7).reshape(-1, 2).T
    middle = centre + float(np.ravel(near.offsets)[0])
    slope = near.slopes((above - below) / 2)[0]
    assert slope == pytest.approx(np.cos(middle + 0.7), abs=1e-12)
    assert abs(middle - centre) <= 0.1 * 0.8 + 1e-12
