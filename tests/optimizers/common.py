"""Small problems, and every primitive that the optimizers are to run on."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from qiskit.circuit.library import real_amplitudes
from qiskit.primitives import (
    BackendEstimatorV2,
    BackendSamplerV2,
    StatevectorEstimator,
    StatevectorSampler,
)
from qiskit.quantum_info import SparsePauliOp, Statevector
from qiskit_aer import AerSimulator
from qiskit_aer.primitives import EstimatorV2 as AerEstimator
from qiskit_aer.primitives import SamplerV2 as AerSampler

from qiskit_arcmaes import (
    ARCMAES,
    CMAES,
    LRACMAES,
    PSACMAES,
    UHCMAES,
    ShotEstimator,
    ShotFrugal,
    ShotSampler,
    ThreeStageCMAES,
)

from ..primitives.service import line_device

ONE = {"max_parallel_threads": 1}  # for small circuits threads cost more than they bring
OPTIMIZERS = (ShotFrugal, ARCMAES, CMAES, ThreeStageCMAES, UHCMAES, LRACMAES, PSACMAES)

H2 = SparsePauliOp(
    ["II", "IZ", "ZI", "ZZ", "XX"], [-1.05237325, 0.39793742, -0.39793742, -0.01128010, 0.18093120]
)
ANSATZ = real_amplitudes(2, reps=1)
START = np.array([0.4, -0.3, 0.2, 0.5])
ISING = SparsePauliOp.from_sparse_list(
    [("ZZ", [0, 1], 0.5), ("ZZ", [1, 2], 1.0), ("ZZ", [0, 3], 0.7), ("Z", [2], 0.3)], 4
)


def exact_energy(circuit, operator, point):
    """The energy of a point without noise; measurements at the end are taken off."""
    bare = circuit.remove_final_measurements(inplace=False)
    return Statevector(bare.assign_parameters(point)).expectation_value(operator).real


def fake_device():
    fakes = pytest.importorskip("qiskit_ibm_runtime.fake_provider")
    return fakes.FakeManilaV2()


def runtime_primitive(module, name):
    """One of qiskit-ibm-runtime's in local testing mode, on a coupled device without noise."""
    package = pytest.importorskip(f"qiskit_ibm_runtime{module}")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return getattr(package, name)(mode=line_device(**ONE))


ESTIMATORS = {
    "built-in": lambda: ShotEstimator(seed=1),
    "built-in, weighted": lambda: ShotEstimator(seed=1, allocation="weighted"),
    "built-in, fake device": lambda: ShotEstimator(seed=1, backend=fake_device()),
    "statevector": lambda: ShotEstimator(StatevectorEstimator(), seed=1),
    "aer": lambda: ShotEstimator(AerEstimator(options={"backend_options": ONE}), seed=1),
    "backend": lambda: ShotEstimator(BackendEstimatorV2(backend=AerSimulator(**ONE)), seed=1),
    "coupled": lambda: ShotEstimator(BackendEstimatorV2(backend=line_device(**ONE)), seed=1),
    "runtime": lambda: ShotEstimator(runtime_primitive("", "EstimatorV2")),
    "executor": lambda: ShotEstimator(runtime_primitive(".executor_estimator", "Estimator")),
}
SAMPLERS = {
    "built-in": lambda: ShotSampler(seed=1),
    "built-in, fake device": lambda: ShotSampler(seed=1, backend=fake_device()),
    "statevector": lambda: ShotSampler(StatevectorSampler(), seed=1),
    "aer": lambda: ShotSampler(AerSampler(options={"backend_options": ONE}), seed=1),
    "backend": lambda: ShotSampler(BackendSamplerV2(backend=AerSimulator(**ONE)), seed=1),
    "coupled": lambda: ShotSampler(BackendSamplerV2(backend=line_device(**ONE)), seed=1),
    "runtime": lambda: ShotSampler(runtime_primitive("", "SamplerV2")),
    "executor": lambda: ShotSampler(runtime_primitive(".executor_sampler", "Sampler")),
}
NOISY = ("built-in, fake device",)  # its energies have a bias
