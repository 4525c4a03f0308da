"""Adam's averages and its schedule."""

import numpy as np
import pytest

from qiskit_arcmaes.shift.adam import adam_step, cosine_rate, new_adam
from qiskit_arcmaes.shift.params import AdamParams

PARAMS = AdamParams()


def test_averages_of_a_constant_gradient_have_no_bias_of_their_zero_start():
    gradient = np.array([0.3, -2.0])
    adam = new_adam(2)
    for _ in range(5):
        step = adam_step(adam, gradient, PARAMS)
        adam = step.adam
        np.testing.assert_allclose(step.gradient, gradient)
        np.testing.assert_allclose(step.scale, np.abs(gradient))
    assert adam.steps == 5


def test_averages_are_those_of_the_paper():
    """m_t = (1 - b) sum b^(t - i) g_i / (1 - b^t), and the same for squares."""
    gradients = np.random.default_rng(0).standard_normal((6, 3))
    adam = new_adam(3)
    for gradient in gradients:
        step = adam_step(adam, gradient, PARAMS)
        adam = step.adam
    powers = np.arange(6)[::-1]
    mean, square = (
        np.average(data, axis=0, weights=decay**powers)
        for data, decay in ((gradients, PARAMS.momentum), (gradients**2, PARAMS.squares))
    )
    np.testing.assert_allclose(step.move(0.1), 0.1 * mean / np.sqrt(square))


def test_without_a_gradient_nothing_moves():
    assert not adam_step(new_adam(2), np.zeros(2), PARAMS).move(0.15).any()


def test_the_rate_falls_from_the_first_to_the_last():
    rates = [cosine_rate(0.2, done, PARAMS) for done in np.linspace(0, 1, 11)]
    assert np.all(np.diff(rates) < 0)
    assert rates[0] == pytest.approx(0.2)
    assert rates[-1] == pytest.approx(0.2 * PARAMS.last_rate)
    assert cosine_rate(0.2, 1.3, PARAMS) == rates[-1]
