"""What losses return: numbers in any dress, and nothing else."""

import numpy as np
import pytest
from qiskit.circuit.library import real_amplitudes

from qiskit_arcmaes import OracleError, ShotEstimator, minimize
from qiskit_arcmaes.oracles.returned import as_number, as_reals

DRESSES = {
    "array of one": lambda value: np.array([value]),
    "matrix of one": lambda value: np.array([[value]]),
    "no dimension": np.array,
    "list": lambda value: [value],
    "complex": lambda value: complex(value, 0.0),
    "complex of numpy": np.complex128,
    "rounding error": lambda value: complex(value, 1e-17),
    "float32": np.float32,
}
WRONG = {
    "imaginary": (lambda value: complex(value, 0.5), "imaginary part"),
    "two": (lambda value: np.array([value, value]), r"one number at a point.*\(2,\)"),
    "nothing": (lambda value: None, "real numbers, not None"),
    "text": (lambda value: "a", "real numbers, not 'a'"),
    "empty": (lambda value: [], r"shape \(0,\)"),
}


def loss(x):
    return float(np.sum(np.square(x)))


@pytest.mark.parametrize("name", DRESSES)
@pytest.mark.filterwarnings("error::numpy.exceptions.ComplexWarning")
def test_a_number_in_any_dress(name):
    plain = minimize(loss, [1.0, 2.0], max_shots=100, vectorized=False, seed=1)
    dressed = minimize(
        lambda x: DRESSES[name](loss(x)), [1.0, 2.0], max_shots=100, vectorized=False, seed=1
    )
    assert dressed.fun == pytest.approx(plain.fun, rel=1e-5)


@pytest.mark.parametrize("name", WRONG)
def test_anything_else_is_refused_by_name(name):
    dress, message = WRONG[name]
    with pytest.raises(OracleError, match=message):
        minimize(lambda x: dress(loss(x)), [1.0, 2.0], max_shots=100, vectorized=False, seed=1)


@pytest.mark.parametrize("name", WRONG)
def test_on_primitives_too(name):
    dress, message = WRONG[name]
    estimator, ansatz = ShotEstimator(seed=1), real_amplitudes(2, reps=0)

    def energy(x):
        return dress(float(estimator.run([(ansatz, "ZZ", x)]).result()[0].data.evs))

    with pytest.raises(OracleError, match=message):
        minimize(energy, [1.0, 2.0], max_shots=600, vectorized=False, seed=1)


def test_batches():
    np.testing.assert_array_equal(as_reals([1, 2j * 0, 3]), [1.0, 0.0, 3.0])
    assert as_number(np.bool_(True)) == 1.0
