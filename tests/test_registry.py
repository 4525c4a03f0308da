"""Every method by its name: what runs is what was asked for, and the result says so."""

import numpy as np
import pytest
from qiskit.circuit.library import real_amplitudes
from qiskit.quantum_info import SparsePauliOp
from qiskit_algorithms import VQE

import qiskit_arcmaes
from qiskit_arcmaes import ARCMAES, METHODS, GaussianOracle, ShotEstimator, get_function, minimize
from qiskit_arcmaes.method import Method
from qiskit_arcmaes.registry import Entry
from qiskit_arcmaes.testing.conformance import make

CALIBRATION = "noise calibration"
EVOLUTION = {  # the last words of ``result.algorithm`` for each evolution strategy
    "ar": "AR-CMA-ES with adapted learning rates (extension)",
    "ar-paper": "AR-CMA-ES of the paper",
    "ar-literal": "AR-CMA-ES, the algorithm box of the paper",
    "cma": "CMA-ES with fixed shots",
    "three-stage": "three-stage CMA-ES",
    "uh": "CMA-ES with uncertainty handling",
    "lra": "CMA-ES with learning rate adaptation",
    "psa": "CMA-ES with population size adaptation",
}
CLASSES = {
    "CMAES": "cma",
    "ThreeStageCMAES": "three-stage",
    "UHCMAES": "uh",
    "LRACMAES": "lra",
    "PSACMAES": "psa",
}
OPERATOR = SparsePauliOp(["ZZ", "XI", "IX"], [1.0, 0.5, 0.5])
FEW = 2_000  # shots after which a run on a circuit has shown what it is


def vqe(optimizer, estimator):
    ansatz = real_amplitudes(2, reps=1)
    solver = VQE(estimator, ansatz, optimizer, initial_point=[0.4, -0.3, 0.2, 0.5])
    return solver.compute_minimum_eigenvalue(OPERATOR).optimizer_result


def test_the_names():
    assert list(METHODS) == ["frugal", *EVOLUTION]
    labels = [entry.label for entry in METHODS.values()]
    assert len(set(labels)) == len(labels)
    assert [name for name, entry in METHODS.items() if entry.plans_jobs] == ["frugal"]


@pytest.mark.parametrize("entry", METHODS.values(), ids=METHODS)
def test_an_entry_builds_a_method(entry):
    assert isinstance(entry, Entry)
    method = make(entry.build)
    assert isinstance(method, Method)
    assert all(method.columns.values())


@pytest.mark.parametrize("name", EVOLUTION)
def test_an_evolution_strategy_runs_itself_and_nothing_else(name):
    oracle = GaussianOracle(get_function("sphere", 3), seed=1)
    result = minimize(oracle, np.ones(3), max_shots=5000, method=name, seed=1)
    assert result.method == name
    phases = set(result.history["phase"]) - {CALIBRATION}
    assert phases == {EVOLUTION[name]}
    calibrated = name.startswith("ar")
    assert result.algorithm == (f"{CALIBRATION}, then " if calibrated else "") + EVOLUTION[name]


@pytest.mark.parametrize("variant", ["ar", "ar-paper", "ar-literal"])
def test_arcmaes_on_a_circuit_is_ar_cma_es_and_nothing_else(variant):
    """Who writes "we used AR-CMA-ES" after it has told the truth."""
    estimator = ShotEstimator(seed=1)
    result = vqe(ARCMAES(FEW, primitive=estimator, variant=variant, seed=2), estimator)
    assert result.method == variant
    assert result.algorithm == EVOLUTION[variant]
    assert result.algorithm.startswith("AR-CMA-ES")
    assert ("extension" in result.algorithm) == (variant == "ar")


@pytest.mark.parametrize("name", CLASSES)
def test_the_other_classes_on_a_circuit(name):
    estimator = ShotEstimator(seed=1)
    optimizer = getattr(qiskit_arcmaes, name)(FEW, primitive=estimator, seed=2)
    result = vqe(optimizer, estimator)
    assert result.method == CLASSES[name]
    assert result.algorithm == EVOLUTION[CLASSES[name]]


def test_shot_frugal_on_a_circuit_shifts_parameters():
    estimator = ShotEstimator(seed=1)
    optimizer = qiskit_arcmaes.ShotFrugal(20_000, primitive=estimator, seed=2)
    result = vqe(optimizer, estimator)
    assert result.method == "frugal"
    assert "parameter-shift Adam" in result.algorithm
    assert result.algorithm.startswith("inspection of x0")  # the circuit of VQE is read
    assert "CMA-ES" not in result.algorithm


def test_frugal_on_a_black_box_is_an_evolution_strategy_with_a_surrogate():
    oracle = GaussianOracle(get_function("sphere", 3), seed=1, known_noise=True)
    result = minimize(oracle, np.ones(3), max_shots=5000, seed=1)
    assert result.method == "frugal"
    assert result.algorithm.startswith(f"{EVOLUTION['ar']}, then quadratic surrogate")


def test_frugal_with_few_jobs_is_the_surrogate_alone():
    oracle = GaussianOracle(get_function("sphere", 3), seed=1, known_noise=True)
    result = minimize(oracle, np.ones(3), max_shots=5000, max_jobs=30, seed=1)
    assert result.algorithm.startswith("quadratic surrogate")
    assert "CMA-ES" not in result.algorithm


def test_frugal_says_so_where_its_budget_pays_for_no_surrogate():
    oracle = GaussianOracle(get_function("sphere", 12), seed=1, known_noise=True)
    result = minimize(oracle, np.ones(12), max_shots=60, seed=1)
    assert result.method == "frugal"
    assert result.algorithm == EVOLUTION["ar"]


def test_frugal_is_the_default():
    oracle = GaussianOracle(get_function("sphere", 3), seed=1)
    assert minimize(oracle, np.ones(3), max_shots=500, seed=1).method == "frugal"
