"""Monte Carlo tests of the paper's moments and of the bounds that M is chosen from."""

import numpy as np
import pytest

from qiskit_arcmaes.strategies import cma
from qiskit_arcmaes.strategies.efficiency import (
    ProportionalStep,
    moments,
    rank_gain,
)

DIM, POPSIZE, STEP = 10, 20, 0.05
CENTRE = np.linspace(0.2, 0.6, DIM)  # on the sphere: gradient 2 x, Hessian 2 I, K = 2


def improvements(rng, repeats, noise, shots, popsize):
    """Noisy improvements and mutations of many generations on the sphere around CENTRE."""
    mutations = STEP * rng.standard_normal((repeats, popsize, DIM))
    loss = np.sum((CENTRE + mutations) ** 2, axis=-1)
    error = np.sqrt(noise / shots) * rng.standard_normal(loss.shape)
    return np.sum(CENTRE**2) - loss - error, mutations


def test_moments_of_the_paper():
    """First and second moment of a linear loss, 4e6 samples: compared at six standard errors.

    Failure probability below 20 x 2e-9.
    """
    rng = np.random.default_rng(1)
    gradient, offset, noise, shots = 2 * CENTRE, 0.9, 0.5, 4.0
    total, squares, fourth, count = np.zeros(DIM), np.zeros(DIM), np.zeros(DIM), 0
    for _ in range(10):
        mutations = STEP * rng.standard_normal((400_000, DIM))
        change = -mutations @ gradient + np.sqrt(noise / shots) * rng.standard_normal(400_000)
        v = (change + offset)[:, None] * mutations
        total += v.sum(axis=0)
        squares += (v**2).sum(axis=0)
        fourth += (v**4).sum(axis=0)
        count += len(v)
    first, second = moments(gradient, STEP, offset, noise, shots)
    error_first = np.sqrt(squares / count / count)
    error_second = np.sqrt((fourth / count - (squares / count) ** 2) / count)
    assert np.all(np.abs(total / count - first) < 6 * error_first)
    assert np.all(np.abs(squares / count - second) < 6 * error_second)


def step(noise, offset):
    return ProportionalStep(
        dim=DIM,
        popsize=POPSIZE,
        step_size=STEP,
        gradient_square=float(4 * CENTRE @ CENTRE),
        offset=offset,
        curvature=2.0,
        noise=noise,
    )


@pytest.mark.parametrize("shots", [1.0, 3.0, 10.0, 100.0])
def test_lower_bound_of_the_improvement(shots):
    """E[L(m) - L(m + z')] on the sphere, z' with a fixed A: never below Eq. (14).

    40000 generations; the margin is six standard errors plus the neglected order sigma^4 d K.
    """
    noise, offset = 0.04, 0.5
    gains, mutations = improvements(np.random.default_rng(2), 40_000, noise, shots, POPSIZE)
    z = np.einsum("rp,rpd->rd", gains + offset, mutations) / (2 * POPSIZE * offset)
    improved = np.sum(CENTRE**2) - np.sum((CENTRE + z) ** 2, axis=1)
    neglected = 2 * DIM**2 * STEP**4 / offset
    bound = step(noise, offset).improvement(shots)
    error = improved.std() / np.sqrt(len(improved))
    assert improved.mean() > bound - 6 * error - neglected
    # and it is no empty bound: the two agree to the neglected order on the sphere
    assert improved.mean() < bound + 6 * error + neglected


def test_best_shots_maximise_the_bound_per_shot():
    found = step(noise=0.04, offset=0.5)
    best = found.best_shots()
    assert best is not None
    ladder = best * np.linspace(0.2, 5, 400)
    efficiency = [found.improvement(m) / m for m in ladder]
    assert ladder[int(np.argmax(efficiency))] == pytest.approx(best, rel=0.02)
    assert step(noise=0.04, offset=50.0).best_shots() is None  # b < 0: no maximum


def test_best_shots_grow_with_the_noise_variance():
    """Not with its square root, as the paper's conclusion says."""
    assert step(0.4, 0.5).best_shots() == pytest.approx(10 * step(0.04, 0.5).best_shots())


@pytest.mark.parametrize("shots", [1.0, 10.0, 1000.0])
def test_rank_gain_is_the_improvement_of_rank_based_selection(shots):
    """On the sphere, 20000 generations; 6% covers Blom's approximation and second order."""
    popsize, noise = 50, 0.02
    weights = cma.rank_weights(popsize)
    gains, mutations = improvements(np.random.default_rng(3), 20_000, noise, shots, popsize)
    order = np.argsort(-gains, axis=1)[:, : len(weights)]
    chosen = np.take_along_axis(mutations, order[:, :, None], axis=1)
    z = np.einsum("p,rpd->rd", weights, chosen)
    improved = np.sum(CENTRE**2) - np.sum((CENTRE + z) ** 2, axis=1)
    predicted = rank_gain(
        signal=STEP**2 * float(4 * CENTRE @ CENTRE),
        curvature=STEP**2 * 2 * DIM,
        noise=noise,
        shots=np.array([shots]),
        gain=cma.selection_gain(weights, popsize),
        mu_eff=cma.effective_parents(weights),
    )[0]
    # What the first-order formula leaves out: the squared mean step along the gradient.
    along = cma.selection_gain(weights, popsize) * STEP
    seen = 1 / np.sqrt(1 + noise / shots / (STEP**2 * 4 * float(CENTRE @ CENTRE)))
    assert improved.mean() == pytest.approx(predicted - (along * seen) ** 2, rel=0.06)


def test_no_signal_no_gain():
    assert np.all(rank_gain(0.0, 0.3, 1.0, np.array([1.0, 9.0]), 1.2, 5.0) < 0)
    assert rank_gain(0.0, 0.0, 0.0, np.array([1.0]), 1.2, 5.0)[0] == 0
