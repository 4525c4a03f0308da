"""What a loss does with its primitives: told from dry runs and from what it returns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray
from qiskit.primitives.containers.estimator_pub import EstimatorPub

from qiskit_arcmaes.oracles import OracleError
from qiskit_arcmaes.primitives.recording import Recording, causes

Array = NDArray[np.float64]

# modules whose losses are documented to take (k, d) arrays
_TAKE_BATCHES = ("qiskit_algorithms.", "qiskit_optimization.")
_WRAPPERS = ("AlgorithmError", "QiskitMachineLearningError")  # what clients raise errors of jobs as


def raise_original(error: BaseException) -> NoReturn:
    """Raise what was raised before algorithms wrapped it, with the cause that it had."""
    for cause in causes(error):
        if isinstance(cause, OracleError):
            raise cause from cause.__cause__
    while type(error).__name__ in _WRAPPERS and error.__cause__ is not None:
        error = error.__cause__
    raise error from error.__cause__


def count_values(record: Recording) -> int:
    """How many values a dry run asked for: points and observables, broadcast."""
    pubs: list[Any] = list(record.pubs)
    return sum(int(np.prod(pub.shape)) for pub in pubs)


def may_transform(records: Sequence[Recording]) -> bool:
    """Whether a loss makes its value of counts, or of several expectation values."""
    pubs: list[Any] = [pub for record in records for pub in record.pubs]
    sampled = not all(isinstance(pub, EstimatorPub) for pub in pubs)
    return sampled or sum(map(count_values, records)) != 1


def takes_batches(fun: Callable[[Any], Any]) -> bool:
    """Whether a loss is known to take (k, d) arrays."""
    return (getattr(fun, "__module__", None) or "").startswith(_TAKE_BATCHES)


def reshape(values: Array, points: Array) -> Array:
    """One value may come as a number; anything else is a loss that takes one point at a time."""
    if len(points) == 1 and values.size == 1:
        return values.reshape(1)
    raise OracleError(
        f"fun was given an array of shape {points.shape} and must return shape ({len(points)},), "
        f"not {values.shape}; pass vectorized=False if it takes one point at a time."
    )


def refuse_hidden_jobs(excess: int) -> NoReturn:
    """Refuse a loss that took more shots than its dry run showed."""
    raise OracleError(
        f"fun took {excess:,} shots more than it had asked for before its first result: it "
        "submits a further job after a result, which a dry run cannot see, so that max_shots "
        "could not be kept. Submit all of its circuits in one call of run, as in "
        "estimator.run([first, second]), or make one observable of them."
    )


def refuse_constant(records: Sequence[Recording]) -> None:
    """Refuse a loss whose operators are all multiples of the identity."""
    pubs = [pub for record in records for pub in record.pubs]
    if not all(isinstance(pub, EstimatorPub) for pub in pubs):
        return
    observables = [term for pub in pubs for term in np.ravel(pub.observables.tolist())]  # type: ignore[attr-defined]
    if all(set(label) <= {"I"} for observable in observables for label in observable):
        value = sum(sum(observable.values()) for observable in observables)
        raise ValueError(
            f"the operator is a multiple of the identity: its value is {value:.6g} everywhere, so "
            "there is nothing to optimise and nothing to measure."
        )
