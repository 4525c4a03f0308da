"""Primitives whose shots can be controlled, and that count all they run."""

from qiskit_arcmaes.primitives.errors import JobFailedError, RecordedOnlyError, RepeatedNoiseError
from qiskit_arcmaes.primitives.estimator import ShotEstimator
from qiskit_arcmaes.primitives.ledger import Cost, Ledger, Recording
from qiskit_arcmaes.primitives.oracle import PrimitiveOracle
from qiskit_arcmaes.primitives.sampler import ShotSampler

__all__ = [
    "Cost",
    "JobFailedError",
    "Ledger",
    "PrimitiveOracle",
    "RecordedOnlyError",
    "Recording",
    "RepeatedNoiseError",
    "ShotEstimator",
    "ShotSampler",
]
