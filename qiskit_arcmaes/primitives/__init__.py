"""Primitives whose shots can be controlled, and that count all they run."""

from qiskit_arcmaes.primitives.adapter import adapt
from qiskit_arcmaes.primitives.discovery import DryRun, find_primitives
from qiskit_arcmaes.primitives.errors import (
    CalledOffError,
    JobFailedError,
    PrimitiveInUseError,
    RecordedOnlyError,
    RepeatedNoiseError,
)
from qiskit_arcmaes.primitives.estimator import ShotEstimator
from qiskit_arcmaes.primitives.ledger import Cost, Ledger
from qiskit_arcmaes.primitives.oracle import PrimitiveOracle
from qiskit_arcmaes.primitives.recording import Recording
from qiskit_arcmaes.primitives.sampler import ShotSampler
from qiskit_arcmaes.primitives.spreading import LostWorkersWarning

__all__ = [
    "CalledOffError",
    "Cost",
    "DryRun",
    "JobFailedError",
    "Ledger",
    "LostWorkersWarning",
    "PrimitiveInUseError",
    "PrimitiveOracle",
    "RecordedOnlyError",
    "Recording",
    "RepeatedNoiseError",
    "ShotEstimator",
    "ShotSampler",
    "adapt",
    "find_primitives",
]
