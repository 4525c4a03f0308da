"""SantaQlaus against its paper's formulas, and on a problem of the development set."""

import math

import numpy as np
import pytest

from qiskit_arcmaes.bench.baselines import Start
from qiskit_arcmaes.bench.baselines.santaqlaus import (
    SantaParams,
    SantaQlaus,
    Thermostat,
    affordable,
    annealed,
    measure_slopes,
    pair_shots,
)
from qiskit_arcmaes.bench.baselines.shift_slopes import shift_table
from qiskit_arcmaes.bench.shot_oracle import budgeted
from qiskit_arcmaes.problems import get_problem

from .instances import sphere

PARAMS = SantaParams()


def test_schedules_go_from_the_first_value_to_the_last():
    for first, last, exponent in (PARAMS.rates, PARAMS.heat):
        assert annealed(first, last, exponent, 0.0) == first
        assert annealed(first, last, exponent, 1.0) == pytest.approx(last, rel=1e-12)
    assert PARAMS.rate(0.5) == pytest.approx(0.01 * math.sqrt(0.505))  # 0.5 · (1/100 - 1) + 1
    halfway = PARAMS.inverse_temperature(0.4)  # half of burn-in
    assert halfway == pytest.approx(10 * (0.5 * (1000 ** (1 / 5) - 1) + 1) ** 5)


def test_in_the_refinement_rate_times_inverse_temperature_stays_the_same():
    products = [PARAMS.rate(share) * PARAMS.inverse_temperature(share) for share in (0.8, 0.9, 1.0)]
    np.testing.assert_allclose(products, 1e4 / 100)


def test_a_step_is_that_of_algorithm_1():
    # The paper's lines, one after the other, for one coordinate.
    u, alpha, v, f, eta, beta = 0.03, 0.4, 0.2, -0.7, 0.008, 50.0
    thermostat = Thermostat(
        *(np.array([value]) for value in (u, alpha, v)), *np.zeros((2, 1)), step=20
    )
    move = thermostat.advance(np.array([f]), np.array([2.0]), eta, beta, PARAMS)

    v = 0.99 * v + 0.01 * f**2
    g = 1 / math.sqrt(1e-8 + math.sqrt(v))
    theta = 0.0
    theta += g * u / 2
    alpha += (u**2 - eta / beta) / 2
    u *= math.exp(-alpha / 2)
    u -= eta * g * f
    u *= math.exp(-alpha / 2)
    alpha += (u**2 - eta / beta) / 2
    theta += g * u / 2
    assert move[0] == pytest.approx(theta, rel=1e-12)
    assert thermostat.momentum[0] == pytest.approx(u, rel=1e-12)
    assert thermostat.friction[0] == pytest.approx(alpha, rel=1e-12)
    assert thermostat.scatter[0] == pytest.approx(0.01 * 2.0)
    assert thermostat.scaling[0] == pytest.approx(0.01 * g)


def test_shots_give_the_noise_of_the_temperature():
    # Noise η G f of variance η² G² S/n is the thermal noise 2ηG/β of Santa with G₂ = G₁/h.
    thermostat = Thermostat.at_rest(2, PARAMS, np.random.default_rng(1))
    thermostat.step = PARAMS.warm_up  # one average, whose weight 1 - μ is taken out again
    scatter, scaling = np.array([40.0, 1e-3]), np.array([3.0, 2.0])
    thermostat.scatter, thermostat.scaling = 0.01 * scatter, 0.01 * scaling
    eta, beta = 0.005, 1e4
    shots = thermostat.next_shots(eta, beta, PARAMS)
    assert shots.tolist() == [math.ceil(beta * eta * 3.0 * 40.0 / 2), PARAMS.least]
    thermal = 2 * scaling[0] * eta / beta
    assert (eta * scaling[0]) ** 2 * scatter[0] / shots[0] == pytest.approx(thermal, rel=1e-3)


def test_the_first_steps_take_the_fewest_shots_and_enter_no_average():
    thermostat = Thermostat.at_rest(3, PARAMS, np.random.default_rng(1))
    for _ in range(PARAMS.warm_up - 1):
        thermostat.advance(np.ones(3), np.full(3, 1e9), 0.01, 1e4, PARAMS)
        assert thermostat.next_shots(0.01, 1e4, PARAMS).tolist() == [PARAMS.least] * 3
    thermostat.advance(np.ones(3), np.full(3, 100.0), 0.01, 1e4, PARAMS)
    scaling = 1 / math.sqrt(1e-8 + math.sqrt(1 - 0.99**5))
    expected = math.ceil(0.01 * 1e4 * scaling * 100.0 / 2)
    assert thermostat.next_shots(0.01, 1e4, PARAMS).tolist() == [expected] * 3


@pytest.mark.parametrize("name", ["dev_h2", "dev_qaoa5_p2_random"])
def test_slopes_and_their_variances_are_true(name):
    # 2000 repeats: means within 5 standard errors (p = 6e-7 each), scatter within 16% of what is
    # reported (5 standard errors of 3.2%).
    problem = get_problem(name)
    oracle = budgeted(problem, 10**9, seed=1)
    table, x = shift_table(oracle.spectra), problem.start(np.random.default_rng(3))
    shots = np.arange(4, 4 + len(x)) * 5
    found = [measure_slopes(oracle, table, x, shots) for _ in range(2000)]
    slopes, variances = map(np.array, zip(*found, strict=True))
    expected = variances.mean(axis=0) / shots
    true = problem.energy_and_gradient(x)[1][0]
    assert np.all(np.abs(slopes.mean(axis=0) - true) < 5 * np.sqrt(expected / 2000))
    np.testing.assert_allclose(slopes.var(axis=0), expected, rtol=0.16)


def test_the_last_step_takes_what_is_left():
    oracle = budgeted(get_problem("dev_h2"), 1000, seed=1)
    table = shift_table(oracle.spectra)
    wanted = np.full(len(oracle.spectra), 10**4)
    lowered = affordable(oracle, table, wanted, least=4)
    assert len(set(lowered.tolist())) == 1
    step = oracle.price(1).at(2 * int(pair_shots(table, np.ones_like(wanted)).sum()))
    assert 1000 - step < oracle.price(1).at(2 * int(pair_shots(table, lowered).sum())) <= 1000
    assert affordable(oracle, table, wanted, least=1001) is None


def test_it_descends_on_a_development_problem():
    # Seeds are fixed, so it passes always or never: on eight other seeds the worst run ended at
    # 0.034 of its start's error, a third of the limit.
    problem = get_problem("dev_ising3")
    point = problem.start(np.random.default_rng(1))
    oracle = budgeted(problem, 200_000, seed=1)
    found = SantaQlaus("santaqlaus").solve(oracle, Start(point, 0.6, angles=True), seed=1)
    before, after = problem.energy(np.array([point, found.x])) - problem.best_energy
    assert after < 0.1 * before
    assert oracle.left < 1000


def test_it_refuses_a_black_box():
    oracle, start = sphere(1000)
    with pytest.raises(TypeError, match="needs known frequencies"):
        SantaQlaus("santaqlaus").solve(oracle, start, 1)
