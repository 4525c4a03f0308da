"""Primitives that repeat their noise are found out; those that do not are left in peace."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from qiskit import QuantumCircuit
from qiskit.primitives import (
    BackendEstimatorV2,
    BackendSamplerV2,
    BaseEstimatorV2,
    BaseSamplerV2,
    StatevectorEstimator,
    StatevectorSampler,
)
from qiskit.quantum_info import SparsePauliOp
from qiskit_aer import AerSimulator
from qiskit_aer.primitives import EstimatorV2 as AerEstimator
from qiskit_aer.primitives import SamplerV2 as AerSampler

from qiskit_arcmaes import ShotEstimator, ShotSampler
from qiskit_arcmaes.primitives import RepeatedNoiseError
from qiskit_arcmaes.primitives.seeds import make_reseeder

from .problems import CIRCUIT, OPERATOR, some_points
from .service import EstimatorService, SamplerService

SEEDED = {"options": {"seed_simulator": 3}}
RUN_SEEDED = {"options": {"run_options": {"seed_simulator": 3}}}
PUB = (CIRCUIT, OPERATOR, some_points(2))
MEASURED = (CIRCUIT.measure_all(inplace=False), some_points(2))


@pytest.mark.parametrize(
    ("make", "hint"),
    [
        (lambda: StatevectorEstimator(seed=1), "default_rng"),
        (lambda: AerEstimator(**RUN_SEEDED), "leave it unseeded"),
        (lambda: BackendEstimatorV2(backend=AerSimulator(), **SEEDED), "leave it unseeded"),
        (lambda: BackendEstimatorV2(backend=AerSimulator(seed_simulator=1)), "the backend's"),
    ],
)
def test_estimators_with_a_number_as_seed_are_refused(make, hint):
    with pytest.raises(RepeatedNoiseError, match=hint):
        ShotEstimator(make())


@pytest.mark.parametrize(
    ("make", "hint"),
    [
        (lambda: StatevectorSampler(seed=1), "default_rng"),
        (lambda: AerSampler(seed=np.int64(1)), "leave it unseeded"),
        (lambda: AerSampler(**RUN_SEEDED), "leave it unseeded"),
        (lambda: BackendSamplerV2(backend=AerSimulator(), **SEEDED), "leave it unseeded"),
    ],
)
def test_samplers_with_a_number_as_seed_are_refused(make, hint):
    with pytest.raises(RepeatedNoiseError, match=hint):
        ShotSampler(make())


@pytest.mark.parametrize("kind", ["Estimator", "Sampler"])
def test_seeded_runtime_primitives_are_refused(kind):
    runtime = pytest.importorskip("qiskit_ibm_runtime")
    executor = pytest.importorskip(f"qiskit_ibm_runtime.executor_{kind.lower()}")
    wrap = ShotEstimator if kind == "Estimator" else ShotSampler
    backend = AerSimulator()
    for module, name in ((runtime, f"{kind}V2"), (executor, kind)):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            primitive = getattr(module, name)(mode=backend)
        wrap(primitive)
        primitive.options.simulator.seed_simulator = 7
        with pytest.raises(RepeatedNoiseError, match="seed_simulator = 7"):
            wrap(primitive)


def test_a_seed_set_later_is_found_before_anything_runs():
    inner = BackendEstimatorV2(backend=AerSimulator())
    estimator = ShotEstimator(inner, shots=10)
    inner.options.seed_simulator = 5
    with pytest.raises(RepeatedNoiseError):
        estimator.run([PUB])
    assert estimator.ledger.jobs == 0


class Hiding:
    """A primitive of nobody we know, which hides its seed."""

    def __init__(self, make):
        self.calls = 0
        self._make = make

    def run(self, pubs, **options):
        self.calls += 1
        return self._make().run(pubs, **options)


class UnknownEstimator(Hiding, BaseEstimatorV2):
    pass


class UnknownSampler(Hiding, BaseSamplerV2):
    pass


@pytest.mark.parametrize(
    "make",
    [
        lambda: StatevectorEstimator(seed=1),
        lambda: AerEstimator(**RUN_SEEDED),
        lambda: BackendEstimatorV2(backend=AerSimulator(), **SEEDED),
    ],
)
def test_a_hidden_seed_of_an_estimator_shows_in_two_calls(make):
    unknown = UnknownEstimator(make)
    estimator = ShotEstimator(unknown, shots=10)
    with pytest.raises(RepeatedNoiseError, match="same noise in two calls"):
        estimator.run([PUB])
    assert unknown.calls == 2
    assert estimator.ledger.shots == 128


@pytest.mark.parametrize(
    "make",
    [
        lambda: StatevectorSampler(seed=1),
        lambda: AerSampler(seed=2),
        lambda: BackendSamplerV2(backend=AerSimulator(), **SEEDED),
    ],
)
def test_a_hidden_seed_of_a_sampler_shows_in_two_calls(make):
    unknown = UnknownSampler(make)
    sampler = ShotSampler(unknown, shots=10)
    with pytest.raises(RepeatedNoiseError, match="same noise in two calls"):
        sampler.run([MEASURED])
    assert unknown.calls == 2


def test_values_without_noise_raise_no_alarm():
    """An eigenstate gives the same value twice from every estimator."""
    estimator = ShotEstimator(BackendEstimatorV2(backend=AerSimulator()), shots=10)
    for _ in range(3):
        assert estimator.run([(QuantumCircuit(2), "ZZ")]).result()[0].data.evs == 1.0
    unknown = ShotEstimator(EstimatorService().misbehave(), shots=10)
    with unknown.recording() as recording:
        unknown.run([(QuantumCircuit(2), "ZZ")])
    assert recording.seed_check_shots == 128
    for _ in range(3):
        unknown.run([(QuantumCircuit(2), "ZZ")])
    assert unknown.ledger.shots == 30 + recording.seed_check_shots
    sampler = ShotSampler(SamplerService().misbehave(), shots=10)
    sampler.run([MEASURED])
    assert sampler.ledger.shots == 20 + 128


@pytest.mark.parametrize(
    "make",
    [
        StatevectorEstimator,
        AerEstimator,
        lambda: BackendEstimatorV2(backend=AerSimulator()),
        lambda: AerEstimator(**RUN_SEEDED),
    ],
)
def test_a_seed_given_to_the_wrapper_repeats_runs_and_not_noise(make):
    runs = []
    for _ in range(2):
        estimator = ShotEstimator(make(), shots=50, seed=5)
        runs.append([estimator.run([PUB]).result()[0].data.evs for _ in range(2)])
    assert np.array_equal(runs[0], runs[1])
    assert not np.array_equal(runs[0][0], runs[0][1])


@pytest.mark.parametrize(
    "make", [StatevectorSampler, AerSampler, lambda: BackendSamplerV2(backend=AerSimulator())]
)
def test_a_seed_given_to_a_sampler_repeats_runs_and_not_noise(make):
    runs = []
    for _ in range(2):
        sampler = ShotSampler(make(), shots=200, seed=5)
        runs.append([sampler.run([MEASURED]).result()[0].data.meas for _ in range(2)])
    assert runs[0] == runs[1]
    assert runs[0][0] != runs[0][1]


def test_a_seed_that_cannot_be_passed_on_is_refused():
    with pytest.raises(ValueError, match="seed cannot be passed on to a EstimatorService"):
        ShotEstimator(EstimatorService().misbehave(), seed=1)


@pytest.mark.parametrize(
    ("primitive", "end"),
    [(StatevectorEstimator(), (SparsePauliOp("Z"), None, 0.1)), (StatevectorSampler(), ())],
)
def test_a_job_leaves_the_generator_alone(primitive, end):
    """After Ctrl-C it goes on in its thread, while the generator is set back for the resume."""
    rng, circuit = np.random.default_rng(3), QuantumCircuit(1)
    circuit.h(0)
    if not end:
        circuit.measure_all()
    seeded, reseed = make_reseeder(primitive, rng)
    reseed()
    before = rng.bit_generator.state
    seeded.run([(circuit, *end)]).result()
    assert rng.bit_generator.state == before
    reseed()
    assert rng.bit_generator.state != before
