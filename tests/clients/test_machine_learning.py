"""qiskit-machine-learning: its models train with two changed lines."""

from functools import partial

import numpy as np
import pytest
from qiskit.circuit import QuantumCircuit
from qiskit.circuit.library import real_amplitudes, z_feature_map

from qiskit_arcmaes import ARCMAES, ShotEstimator, ShotFrugal, ShotSampler, minimize

pytest.importorskip("qiskit_machine_learning")

from qiskit_machine_learning.algorithms import VQC, VQR, NeuralNetworkClassifier
from qiskit_machine_learning.neural_networks import EstimatorQNN, SamplerQNN

RNG = np.random.default_rng(3)
X = RNG.uniform(-1, 1, (6, 2))
LABELS = (X.sum(axis=1) > 0).astype(int)
START = np.full(4, 0.5)
FEATURES, ANSATZ = z_feature_map(2, reps=1), real_amplitudes(2, reps=1)
BUDGET = 20_000


def circuit():
    whole = QuantumCircuit(2)
    whole.compose(FEATURES, inplace=True)
    whole.compose(ANSATZ, inplace=True)
    return whole


def network_on_estimator(estimator):
    return EstimatorQNN(
        circuit=circuit(), estimator=estimator,
        input_params=FEATURES.parameters, weight_params=ANSATZ.parameters,
    )  # fmt: skip


def network_on_sampler(sampler):
    return SamplerQNN(
        circuit=circuit(), sampler=sampler,
        input_params=FEATURES.parameters, weight_params=ANSATZ.parameters,
        interpret=lambda outcome: f"{outcome:b}".count("1") % 2, output_shape=2,
    )  # fmt: skip


def vqc(primitive, optimizer, **options):
    return VQC(
        sampler=primitive, feature_map=FEATURES, ansatz=ANSATZ, optimizer=optimizer, **options
    )


def vqr(primitive, optimizer, **options):
    return VQR(
        estimator=primitive, feature_map=FEATURES, ansatz=ANSATZ, optimizer=optimizer, **options
    )


def estimator_classifier(primitive, optimizer, **options):
    return NeuralNetworkClassifier(network_on_estimator(primitive), optimizer=optimizer, **options)


def sampler_classifier(primitive, optimizer, **options):
    return NeuralNetworkClassifier(network_on_sampler(primitive), optimizer=optimizer, **options)


MODELS = {
    "VQC": (vqc, ShotSampler, LABELS),
    "VQR": (vqr, ShotEstimator, 0.5 * (2 * LABELS - 1)),
    "EstimatorQNN": (estimator_classifier, ShotEstimator, 2 * LABELS - 1),
    "SamplerQNN": (sampler_classifier, ShotSampler, LABELS),
}


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.filterwarnings("ignore:jac is ignored")
def test_models_train_within_their_budget_where_the_primitive_is_not_named(model):
    """With ``primitive=`` in test_interrupted.py."""
    make, kind, targets = MODELS[model]
    primitive = kind(seed=1)
    optimizer = ShotFrugal(BUDGET, max_jobs=4, seed=1)
    trained = make(primitive, optimizer, initial_point=START).fit(X, targets)
    found = trained.fit_result
    assert found.shots == primitive.ledger.shots <= BUDGET
    assert found.success
    np.testing.assert_array_equal(trained.weights, found.x)
    assert np.isfinite(trained.score(X, targets))


def test_a_partial_trains_although_the_models_hand_over_a_gradient():
    primitive = ShotEstimator(seed=1)
    minimizer = partial(minimize, max_shots=BUDGET, max_jobs=3, seed=1)
    with pytest.warns(UserWarning, match="jac is ignored"):
        trained = vqr(primitive, minimizer, initial_point=START).fit(X, MODELS["VQR"][2])
    assert trained.fit_result.shots == primitive.ledger.shots <= BUDGET


def test_their_callback_is_called_with_weights_and_value():
    seen = []
    primitive = ShotSampler(seed=1)
    optimizer = ARCMAES(BUDGET, primitive=primitive, max_jobs=4, seed=1)
    model = vqc(
        primitive, optimizer, initial_point=START,
        callback=lambda weights, value: seen.append((weights.copy(), value)),
    )  # fmt: skip
    model.fit(X, LABELS)
    assert len(seen) == 3
    assert seen[0][0].shape == (4,)
    assert np.isfinite(seen[0][1])


def test_a_callback_of_the_optimizer_is_not_taken_away():
    """The models set None where they have no callback of their own."""
    calls = []
    optimizer = ShotFrugal(BUDGET, callback=lambda *five: calls.append(five), max_jobs=3, seed=1)
    vqc(ShotSampler(seed=1), optimizer, initial_point=START).fit(X, LABELS)
    assert len(calls[0]) == 5


def test_equal_weights_are_run_again():
    """The objective remembers its last forward pass: under noise a second look would be none."""
    values = []

    def look(fun, x0, jac=None, bounds=None):
        from qiskit_arcmaes.primitives import PrimitiveOracle

        oracle = PrimitiveOracle(fun, [primitive], x0)
        for _ in range(2):
            values.extend(oracle.evaluate(np.tile(x0, (3, 1)), 64).values)
        raise StopIteration

    primitive = ShotSampler(seed=1)
    with pytest.raises(StopIteration):
        vqc(primitive, look, initial_point=START).fit(X, LABELS)
    assert len(set(values)) == 6


def test_few_shots_make_another_loss_and_are_not_taken():
    asked = []
    primitive = ShotSampler(seed=1)
    optimizer = ShotFrugal(BUDGET, primitive=primitive, max_jobs=4, seed=1)
    optimizer.callback = lambda *_: asked.append(1)
    found = vqc(primitive, optimizer, initial_point=START).fit(X, LABELS).fit_result
    assert found.history["shots"].min() >= 16


def test_errors_come_out_as_they_were_raised():
    def broken(outcome):
        raise ZeroDivisionError("a bug of the user's")

    primitive = ShotSampler(seed=1)
    network = SamplerQNN(
        circuit=circuit(), sampler=primitive, input_params=FEATURES.parameters,
        weight_params=ANSATZ.parameters, interpret=lambda outcome: 0, output_shape=2,
    )  # fmt: skip
    network._interpret = broken
    model = NeuralNetworkClassifier(
        network, optimizer=ShotFrugal(BUDGET, primitive=primitive), initial_point=START
    )
    with pytest.raises(Exception, match="a bug of the user's"):
        model.fit(X, LABELS)
