"""Primitives whose shots can be controlled, and that count all they run."""

from qiskit_arcmaes.primitives.errors import JobFailedError, RepeatedNoiseError
from qiskit_arcmaes.primitives.estimator import ShotEstimator
from qiskit_arcmaes.primitives.ledger import Cost, Ledger, Recording
from qiskit_arcmaes.primitives.sampler import ShotSampler

__all__ = [
    "Cost",
    "JobFailedError",
    "Ledger",
    "Recording",
    "RepeatedNoiseError",
    "ShotEstimator",
    "ShotSampler",
]
