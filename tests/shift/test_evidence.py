"""Moves that slopes prove."""

import numpy as np

from qiskit_arcmaes.shift.evidence import expected_changes, proved_centre
from qiskit_arcmaes.shift.record import empty_record


def measured(slope, curvature, variance, count, seed):
    """Gradients of a parabola at points about zero, and its curvatures."""
    rng = np.random.default_rng(seed)
    record = empty_record(len(slope)).with_curvatures(curvature, 1)
    for _ in range(count):
        x = 0.1 * rng.standard_normal(len(slope))
        noise = np.sqrt(variance) * rng.standard_normal(len(slope))
        record = record.with_gradient(x, slope + curvature * x + noise, variance)
    return record


def test_the_change_of_a_parabola_is_found():
    slope, curvature = np.array([0.3, -0.2]), np.array([1.0, 2.0])
    record = measured(slope, curvature, 1e-12, 5, 0)
    move = np.array([-0.3, 0.1])
    found = expected_changes(record, np.zeros(2), move)
    np.testing.assert_allclose(found, slope * move + 0.5 * curvature * move**2, atol=1e-6)


def test_moves_that_follow_noise_are_taken_back():
    """A move to the minimum of noise passes where the noise is above sqrt(2) deviations: 16%.

    Of 200 such moves 31.5 pass, with a deviation of 5.2; the margin is four of these.
    """
    kept = 0
    for seed in range(200):
        record = measured(np.zeros(1), np.ones(1), 0.04, 10, seed)
        data = record.gradients
        minimum = -np.mean(data.values - data.centres, axis=0)
        kept += bool(proved_centre(record, np.zeros(1), minimum, 0.5)[0] != 0)
    assert 10 < kept < 53


def test_without_measurements_small_moves_are_taken_back_and_long_ones_stay():
    for centre, kept in (([0.1, 0.2], [0.0, 0.0]), ([0.1, 2.0], [0.1, 2.0])):
        found = proved_centre(empty_record(2), np.zeros(2), np.array(centre), 0.5)
        assert found.tolist() == kept
