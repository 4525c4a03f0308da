"""Wrong use: one clear sentence each, before any shot is charged."""

from __future__ import annotations

import numpy as np
import pytest
from qiskit import QuantumCircuit
from qiskit.primitives import StatevectorEstimator, StatevectorSampler
from qiskit.quantum_info import SparsePauliOp
from qiskit_algorithms import QAOA, VQE, SamplingVQE
from qiskit_algorithms.exceptions import AlgorithmError

from qiskit_arcmaes import ARCMAES, CMAES, ShotEstimator, ShotFrugal, ShotSampler

from .common import ANSATZ, H2, ISING, OPTIMIZERS, START

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")


class V1:
    """Looks like a V1 primitive."""

    def run(self, circuits, observables):
        return None


def vqe(estimator, optimizer, ansatz=ANSATZ, operator=H2, start=START):
    return VQE(estimator, ansatz, optimizer, initial_point=start).compute_minimum_eigenvalue(
        operator
    )


@pytest.mark.parametrize(
    ("primitive", "words"),
    [
        (V1(), "primitive must be a ShotEstimator or a ShotSampler, not .*V1.*wrap a V2 primitive"),
        ("aer", "primitive must be .* not 'aer'; wrap"),
        (StatevectorEstimator(), r"estimator = ShotEstimator\(estimator\)"),
        (ShotEstimator, "primitive must be .* not <class"),
        ((ShotEstimator(), StatevectorSampler()), "primitive must be .*StatevectorSampler"),
        ([], r"primitive must be .* not \[\]; .*None"),
    ],
)
def test_what_is_no_shot_controlled_primitive(primitive, words):
    with pytest.raises(TypeError, match=words):
        ARCMAES(10_000, primitive=primitive)


def test_a_v1_primitive_cannot_be_wrapped():
    with pytest.raises(TypeError, match=r"must be a BaseEstimatorV2, not .*V1 primitives are not"):
        ShotEstimator(V1())
    with pytest.raises(TypeError, match=r"must be a BaseSamplerV2, not .*V1 primitives are not"):
        ShotSampler(V1())


@pytest.mark.parametrize("inner", [None, StatevectorEstimator()])
def test_an_estimator_for_qaoa(inner):
    estimator = ShotEstimator(inner)
    words = "ShotEstimator was given a circuit without an observable; QAOA.*need a ShotSampler"
    with pytest.raises(TypeError, match=words):
        QAOA(estimator, ShotFrugal(10_000, primitive=estimator)).compute_minimum_eigenvalue(ISING)
    with pytest.raises(TypeError, match=words):
        SamplingVQE(
            estimator, ANSATZ.copy(), ShotFrugal(10_000, primitive=estimator), initial_point=START
        ).compute_minimum_eigenvalue(SparsePauliOp("ZZ"))
    assert estimator.ledger.shots == 0


def test_a_sampler_for_vqe():
    sampler = ShotSampler()
    words = "ShotSampler was given a circuit with an observable; VQE.*need a ShotEstimator"
    with pytest.raises(TypeError, match=words):
        vqe(sampler, ShotFrugal(10_000, primitive=sampler))
    assert sampler.ledger.shots == 0


def test_another_primitive_than_the_algorithms():
    used, named = ShotEstimator(seed=1), ShotEstimator(seed=1)
    words = "primitive was not used: a dry run of fun ran nothing on it.*very same object"
    for given in (used, StatevectorEstimator()):
        with pytest.raises(ValueError, match=words):
            vqe(given, ShotFrugal(10_000, primitive=named))
    assert named.ledger.shots == 0
    sampler = ShotSampler(seed=1)
    with pytest.raises(ValueError, match=words):
        vqe(used, ShotFrugal(10_000, primitive=sampler))
    with pytest.raises(ValueError, match=words):
        QAOA(ShotSampler(), ShotFrugal(10_000, primitive=named)).compute_minimum_eigenvalue(ISING)


@pytest.mark.parametrize("optimizer", [ShotFrugal, ARCMAES, CMAES])
def test_max_shots_too_small(optimizer):
    estimator = ShotEstimator()
    words = "max_shots = 100 is too small for one iteration of .* give at least [0-9]+, or lower"
    with pytest.raises(ValueError, match=words):
        vqe(estimator, optimizer(100, primitive=estimator, shots=50))
    assert estimator.ledger.shots == 0


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"max_shots": 0}, "max_shots must be an integer >= 1, not 0"),
        ({"max_shots": "many"}, "max_shots must be an integer >= 1, not 'many'"),
        ({"shots": 0}, "shots must be an integer >= 1, not 0"),
        ({"min_shots": 0}, "min_shots must be an integer >= 1, not 0"),
        ({"shots": 1.5}, "shots must be an integer >= 1, not 1.5"),
        ({"popsize": 1}, "popsize must be an integer >= 2, not 1"),
        ({"sigma0": -1.0}, "sigma0 must be a finite number > 0, not -1.0"),
        ({"bounds": [(0, 1)]}, "bounds"),
        ({"checkpoint": "no/such/folder/run"}, "checkpoint = .* its folder does not exist"),
    ],
)
def test_settings_out_of_range(settings, words):
    estimator = ShotEstimator()
    with pytest.raises(ValueError, match=words):
        vqe(estimator, ShotFrugal(primitive=estimator, **settings))
    assert estimator.ledger.shots == 0
    assert estimator.shots == 1024


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"max_shots": 0}, "max_shots must be an integer >= 1, not 0"),
        ({"max_shots": 10**400}, "max_shots must be at most"),
        ({"popsize": 1e9}, "popsize must be at most 1000000"),
        ({"tau": 1e300}, "tau must be at most"),
        ({"seed": "abc"}, "seed must be None"),
        ({"callback": 5}, "callback must be a function or None, not 5"),
        ({"termination_checker": 5}, "termination_checker must be a function or None, not 5"),
        ({"progress": "yes"}, "progress = 'yes' is unknown"),
    ],
)
def test_settings_are_refused_when_the_optimizer_is_made(optimizer, settings, words):
    """Not hours later, when an algorithm first minimises."""
    with pytest.raises((ValueError, TypeError), match=words):
        optimizer(**settings)


def test_names_that_are_unknown():
    with pytest.raises(
        ValueError, match="variant = 'best' is unknown; take one of 'ar', 'ar-paper'"
    ):
        ARCMAES(variant="best")
    with pytest.raises(TypeError, match="max_evals"):
        CMAES(max_evals=5)


@pytest.mark.parametrize("inner", [None, StatevectorEstimator()])
def test_an_operator_with_complex_coefficients(inner):
    estimator = ShotEstimator(inner)
    operator = SparsePauliOp(["ZZ", "XI"], [1.0, 0.5j])
    words = r"operator has complex coefficients .*up to 0.5.*take the Hermitian part"
    with pytest.raises(ValueError, match=words):
        vqe(estimator, ShotFrugal(10_000, primitive=estimator), operator=operator)
    assert estimator.ledger.shots == 0


def test_an_ansatz_without_parameters():
    estimator, bare = ShotEstimator(), QuantumCircuit(2)
    optimizer = ShotFrugal(10_000, primitive=estimator)
    with pytest.raises(AlgorithmError, match="ansatz must be parameterized, but has no free"):
        vqe(estimator, optimizer, bare, start=None)
    with pytest.raises(ValueError, match=r"x0 is empty.*give the ansatz free parameters"):
        optimizer.minimize(lambda x: estimator.run([(bare, H2)]).result()[0].data.evs, [])
    assert estimator.ledger.shots == 0


def test_a_start_of_the_wrong_size():
    estimator = ShotEstimator()
    with pytest.raises(ValueError, match="initial point"):
        vqe(estimator, ShotFrugal(10_000, primitive=estimator), start=np.zeros(3))
    assert estimator.ledger.shots == 0
