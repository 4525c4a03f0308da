"""Nonlinearity from mirrored samples: each formula against simulation."""

import numpy as np
import pytest

from qiskit_arcmaes.strategies.learning_rate import Signal, adapt
from qiskit_arcmaes.strategies.mirrored import components
from qiskit_arcmaes.strategies.nonlinearity import (
    Antisymmetric,
    slope_square,
    stall,
)


def test_slope_square_has_no_bias():
    """D = g z + z_1³ - 3 z_1 + noise, whose cubic term has no slope on average: ‖g‖² = 0.41.

    20000 batches of 10 pairs; one estimate has a standard deviation near 7: the tolerance of six
    standard errors of the mean is 0.3.
    """
    rng, gradient = np.random.default_rng(1), np.array([0.0, 0.5, -0.4])
    found = []
    for _ in range(20_000):
        normals = rng.standard_normal((10, 3))
        halves = normals @ gradient + normals[:, 0] ** 3 - 3 * normals[:, 0]
        found.append(slope_square(normals, halves + rng.standard_normal(10)))
    error = np.std(found) / np.sqrt(len(found))
    assert np.mean(found) == pytest.approx(0.41, abs=6 * error)
    assert error < 0.06


def learnt(loss, noise, generations, rng, smoothing=0.1, pairs=12):
    """The component after generations of mirrored samples, d = 4."""
    found = Antisymmetric()
    for _ in range(generations):
        half = rng.standard_normal((pairs, 4))
        normals = np.concatenate([half, -half])
        values = loss(normals) + np.sqrt(noise) * rng.standard_normal(2 * pairs)
        found.learn(normals[: len(normals) // 2], components(values), noise, smoothing)
    return found


def test_the_nonlinear_component_is_what_slope_symmetric_part_and_noise_leave():
    """f = a z_1 + |z|² + (z_1³ - 3 z_1): the Hermite polynomial of degree three has variance 6."""

    def loss(z):
        return 2 * z[:, 1] + np.sum(z**2, axis=1) + z[:, 0] ** 3 - 3 * z[:, 0]

    found = learnt(loss, 1.0, 30_000, np.random.default_rng(2), smoothing=1e-3)
    assert found.share == pytest.approx(6 / (4 + 6 + 0.5), rel=0.1)
    assert found.noise / found.total == pytest.approx(0.5 / (4 + 6 + 0.5), rel=0.1)
    assert found.scale == pytest.approx(4 + 6 + 0.5, rel=0.9)  # of few generations


def test_falling_differences_do_not_look_nonlinear():
    """A linear loss whose slope falls by a tenth per generation: 300 runs of 60 generations.

    Their shares vary by no more than twice the standard error of undirected noise, so that four
    such errors, two of them what counts as nonlinear, are exceeded in less than 5% of the runs.
    """
    rng, beyond = np.random.default_rng(5), 0
    for _ in range(300):
        found = Antisymmetric()
        for generation in range(60):
            half = rng.standard_normal((24, 4))
            normals = np.concatenate([half, -half])
            pairs = components(0.9**generation * normals[:, 0])
            found.learn(normals[: len(normals) // 2], pairs, 0.0, 0.03)
        beyond += found.share > 4 * found.standard_error(24, dim=4, noise_smoothing=0.0)
    assert beyond < 0.05 * 300


@pytest.mark.parametrize("pairs", [6, 40])
def test_its_standard_error_without_nonlinear_component(pairs):
    """300 runs: the deviation of the share is the formula's within a quarter (six errors).

    The mean may be off by a tenth of it: the share is a ratio of two estimates.
    """

    def loss(z):
        return np.sum(z**2, axis=1)

    rng = np.random.default_rng(3)
    found = [learnt(loss, 1.0, 60, rng, pairs=pairs) for _ in range(300)]
    shares = [part.share for part in found]
    expected = found[0].standard_error(pairs, dim=4, noise_smoothing=0.0)
    assert np.std(shares) == pytest.approx(expected, rel=0.25)
    assert abs(np.mean(shares)) < (0.1 + 5 / np.sqrt(300)) * expected


def test_failed_values_and_unknown_noise_teach_nothing():
    found = Antisymmetric()
    normals = np.concatenate([np.eye(4), -np.eye(4)])
    found.learn(normals[: len(normals) // 2], components(np.full(8, np.nan)), 1.0, 0.1)
    found.learn(normals[: len(normals) // 2], components(np.arange(8.0)), np.nan, 0.1)
    assert np.isnan(found.total)
    assert found.share == 0


def test_stall_tells_directed_from_undirected_steps():
    """Undirected steps in ten dimensions: near one half; steps of one direction: zero."""
    rng, undirected, directed = np.random.default_rng(4), Signal(np.zeros(10)), Signal(np.zeros(10))
    found = []
    for _ in range(2000):
        adapt(undirected, rng.standard_normal(10), smoothing=0.1)
        adapt(directed, rng.standard_normal(10) + 1, smoothing=0.1)
        found.append(stall(undirected))
    assert np.mean(found) == pytest.approx(0.5, abs=0.05)
    assert stall(directed) == 0
    assert stall(Signal(np.zeros(10))) == 0
