"""The bias of the slope: none of quadratics and even terms; that of a cubic as computed by hand."""

import numpy as np
import pytest

from qiskit_arcmaes.surrogate.bias import measure_bias
from qiskit_arcmaes.surrogate.newton import principal_axes, step_to_minimiser
from qiskit_arcmaes.surrogate.params import NewtonParams

from .problems import DIM, Quadratic, around, fitted, measured

CUBE = 0.1


def bias_of(loss, noise, seed=1, pairs=200, width=1.0):
    distribution = around(Quadratic().minimiser, width)
    model = fitted([measured(loss, distribution, pairs, noise, seed)], distribution)
    quadratic = principal_axes(model)
    curvatures = step_to_minimiser(quadratic, NewtonParams()).curvatures
    return measure_bias(model, quadratic, curvatures), curvatures


def centred(points):
    return points - Quadratic().minimiser


def cubic(points):
    offsets = centred(points)
    return Quadratic()(points) + CUBE * np.sum(offsets**2, axis=1) * offsets[:, 0]


def quartic(points):
    return Quadratic()(points) + np.sum(centred(points) ** 4, axis=1)


@pytest.mark.parametrize("loss", [Quadratic(), quartic], ids=["quadratic", "even terms"])
def test_nothing_odd_leaves_no_bias(loss):
    """Its estimate is a sum of d squares less its mean: 40 of them, margin five standard errors."""
    found = [bias_of(loss, 0.5, seed)[0] for seed in range(40)]
    ratios = np.array([each.loss / each.error for each in found])
    assert abs(ratios.mean()) < 5 / np.sqrt(40)
    assert 0.5 < ratios.std() < 2


def test_a_cubic_has_the_bias_that_its_mean_slope_tells():
    """z_0 |z|² has the mean slope d + 2 along z_0: the loss is half its square over curvature."""
    found, _ = bias_of(cubic, 1e-6, pairs=2000)
    slope = CUBE * (DIM + 2)
    expected = 0.5 * slope**2 * np.linalg.inv(Quadratic().hessian)[0, 0]
    assert found.loss == pytest.approx(expected, rel=0.1)
    assert found.loss > 100 * found.error


def test_noise_hides_it():
    found, _ = bias_of(cubic, 1e4)
    assert found.loss < 3 * found.error
