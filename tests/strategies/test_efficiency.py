"""Monte Carlo tests of the paper's moments and of the bounds that M is chosen from."""

import numpy as np
import pytest

from qiskit_arcmaes.strategies import cma
from qiskit_arcmaes.strategies.efficiency import (
    ProportionalStep,
    RankStep,
    best_shots,
    moments,
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


@pytest.mark.parametrize("fraction", [0.2, 0.6])
def test_a_fraction_of_the_papers_step(fraction):
    """E[L(m) - L(m + eta z')] on the sphere, as above: within six standard errors + sigma^4 d K."""
    noise, offset, shots = 0.04, 0.5, 3.0
    gains, mutations = improvements(np.random.default_rng(4), 40_000, noise, shots, POPSIZE)
    z = fraction * np.einsum("rp,rpd->rd", gains + offset, mutations) / (2 * POPSIZE * offset)
    improved = np.sum(CENTRE**2) - np.sum((CENTRE + z) ** 2, axis=1)
    margin = 6 * improved.std() / np.sqrt(len(improved)) + 2 * DIM**2 * STEP**4 / offset
    predicted = step(noise, offset).improvement(shots, fraction)
    assert improved.mean() == pytest.approx(predicted, abs=margin)


def rank_step(noise, popsize):
    """What the formulas say of a generation around CENTRE on the sphere."""
    weights = cma.rank_weights(popsize)
    slope_square = STEP**2 * float(4 * CENTRE @ CENTRE)
    return RankStep(
        slope_square=slope_square,
        spread=slope_square + 2 * DIM * STEP**4,  # of ‖z‖²: variance 2 d sigma^4
        curvature=STEP**2 * 2 * DIM,
        noise=noise,
        gain=cma.selection_gain(weights, popsize),
        mass=cma.effective_parents(weights),
    )


@pytest.mark.parametrize("fraction", [0.3, 1.0])
@pytest.mark.parametrize("shots", [1.0, 10.0, 1000.0])
def test_improvement_of_a_fraction_of_the_rank_based_step(shots, fraction):
    """On the sphere, 20000 generations; 6% covers Blom's approximation and second order."""
    popsize, noise = 50, 0.02
    weights = cma.rank_weights(popsize)
    gains, mutations = improvements(np.random.default_rng(3), 20_000, noise, shots, popsize)
    order = np.argsort(-gains, axis=1)[:, : len(weights)]
    chosen = np.take_along_axis(mutations, order[:, :, None], axis=1)
    z = fraction * np.einsum("p,rpd->rd", weights, chosen)
    improved = np.sum(CENTRE**2) - np.sum((CENTRE + z) ** 2, axis=1)
    known = rank_step(noise, popsize)
    # What the formula leaves out: the squared mean step along the gradient.
    share = known.slope_square / (known.spread + noise / shots)
    along = (fraction * known.gain * STEP) ** 2 * share
    predicted = known.improvement(shots, fraction) - along
    assert improved.mean() == pytest.approx(predicted, rel=0.06)


@pytest.mark.parametrize("price", [1.0, 30.0])
def test_best_fraction_and_best_shots_maximise_the_gain_per_cost(price):
    """Over a grid of M and eta: the maximum of improvement/(o + M) is at sqrt(o nu) and eta*."""
    known = rank_step(noise=5.0, popsize=50)
    shots = np.geomspace(0.01, 1e4, 2001)
    gains = [known.improvement(m, known.best_fraction(m)) / (price + m) for m in shots]
    best = shots[int(np.argmax(gains))]
    assert best == pytest.approx(best_shots(price, known.noise_ratio), rel=0.01)
    fractions = np.linspace(0, 2, 2001) * known.best_fraction(best)
    found = fractions[int(np.argmax([known.improvement(best, f) for f in fractions]))]
    assert found == pytest.approx(known.best_fraction(best), rel=0.01)


def test_the_best_gain_falls_as_one_over_one_plus_noise_ratio():
    known = rank_step(noise=5.0, popsize=50)
    gains = [known.improvement(m, known.best_fraction(m)) for m in (1.0, 7.0, 1e12)]
    nu = known.noise_ratio
    assert gains[0] / gains[2] == pytest.approx(1 / (1 + nu))
    assert gains[1] / gains[2] == pytest.approx(1 / (1 + nu / 7))
