"""Who leads where a loss has kinks: a population that is tried, compared, and kept if better."""

import numpy as np
import pytest

from qiskit_arcmaes import GaussianOracle, get_function, minimize

BUDGET = 10**6


LEADS, GIVES_BACK = 0, 2  # seeds after whose comparison the population leads on, or the model


def kinked(seed, kind=GaussianOracle, **options):
    function = get_function("nesterov_f1", 8)
    start = np.random.default_rng(seed).uniform(function.lower, function.upper, 8)
    sigma0 = 0.1 * (function.upper - function.lower)
    oracle = kind(function, tau=0.1, seed=seed)
    return minimize(oracle, start, max_shots=BUDGET, sigma0=sigma0, seed=seed, **options)


@pytest.mark.parametrize("seed", [LEADS, GIVES_BACK])
def test_a_population_is_tried_at_kinks_with_a_tenth_of_the_budget(seed):
    history = kinked(seed).history
    led = history["leader"] == 1
    assert led[-1] == (seed == LEADS)
    assert led.any()
    assert not led[0]
    first = int(np.argmax(led))
    back = np.flatnonzero(~led[first:])
    spent = history["spent"]
    end = spent[first + back[0]] if len(back) else spent[-1]
    assert end - spent[first - 1] >= 0.1 * BUDGET


def test_no_population_is_tried_where_the_loss_is_smooth():
    for name in ("sphere", "rastrigin", "cosine_mixture"):
        function = get_function(name, 8)
        start = np.random.default_rng(1).uniform(function.lower, function.upper, 8)
        sigma0 = 0.1 * (function.upper - function.lower)
        oracle = GaussianOracle(function, tau=1.0, seed=1)
        result = minimize(oracle, start, max_shots=BUDGET, sigma0=sigma0, seed=1)
        assert not result.history["leader"].any(), name


def dying(jobs):
    """An oracle whose process ends in its job of that number."""

    class Dying(GaussianOracle):
        left = jobs

        def evaluate(self, points, shots):
            self.left -= 1
            if self.left < 0:
                raise SystemExit
            return super().evaluate(points, shots)

    return Dying


@pytest.mark.parametrize("seed", [LEADS, GIVES_BACK])
@pytest.mark.parametrize("led", [1, 5])
def test_a_run_led_by_the_population_resumes_bit_for_bit(tmp_path, led, seed):
    whole = kinked(seed)
    generations = np.flatnonzero(whole.history["leader"] == 1)
    file = tmp_path / "run.ckpt"
    with pytest.raises(SystemExit):
        kinked(seed, kind=dying(int(generations[0]) + led), checkpoint=file, checkpoint_seconds=0)
    resumed = kinked(seed, checkpoint=file, resume=True)
    np.testing.assert_array_equal(resumed.x, whole.x)
    np.testing.assert_array_equal(resumed.history["value"], whole.history["value"])
    assert resumed.fun == whole.fun
