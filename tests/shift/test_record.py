"""The record of gradients, curvatures and differences between shifts."""

import numpy as np

from qiskit_arcmaes.shift.record import empty_record


def filled(count):
    record = empty_record(2)
    for index in range(count):
        record = record.with_gradient(np.full(2, index), np.full(2, -index), 0.1 * index)
    return record


def test_gradients_are_added_in_order():
    data = filled(3).gradients
    np.testing.assert_array_equal(data.centres[:, 0], [0, 1, 2])
    np.testing.assert_array_equal(data.values[:, 1], [0, -1, -2])
    np.testing.assert_allclose(data.variances, [0, 0.1, 0.2])


def test_curvatures_are_weighted_by_shots_and_incomplete_ones_left_out():
    record = empty_record(2).with_curvatures(np.array([1.0, 2.0]), 10)
    record = record.with_curvatures(np.array([np.nan, 2.0]), 1000)
    record = record.with_curvatures(np.array([5.0, 2.0]), 30)
    np.testing.assert_allclose(record.curvatures, [4.0, 2.0])


def test_the_recent_share_keeps_the_last_gradients_and_all_curvatures():
    record = filled(7).with_curvatures(np.ones(2), 10)
    recent = record.recent(0.5)
    np.testing.assert_array_equal(recent.gradients.centres[:, 0], [3, 4, 5, 6])
    assert recent.curvature_shots == 10


def test_gradients_measured_later_are_not_biased():
    record = filled(3).as_biased(0.5).with_gradient(np.zeros(2), np.zeros(2), 1.0)
    assert (record.gradients.biased, len(record.gradients.values)) == (3, 4)
    assert record.gradients.bias_variance == 0.5


def test_a_record_is_never_changed_in_place():
    record = filled(2)
    record.with_gradient(np.ones(2), np.ones(2), 1.0)
    record.with_test(np.ones(2), np.zeros(2))
    assert len(record.gradients.values) == 2
    assert not record.bias_sum.any()
