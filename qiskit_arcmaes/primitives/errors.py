"""What can go wrong with a primitive, beyond bad arguments."""

from __future__ import annotations

from qiskit_arcmaes.oracles import OracleError


class JobFailedError(OracleError):
    """A job failed, timed out or came back incomplete, also when it was tried again.

    Example:
        >>> from qiskit import QuantumCircuit
        >>> from qiskit.primitives import StatevectorEstimator
        >>> from qiskit_arcmaes import ShotEstimator
        >>> class Broken(StatevectorEstimator):
        ...     def run(self, pubs, *, precision=None):
        ...         raise ConnectionError("the service is down")
        >>> estimator = ShotEstimator(Broken(), retries=0)
        >>> estimator.run([(QuantumCircuit(1), "Z")])  # doctest: +ELLIPSIS
        Traceback (most recent call last):
        ...
        qiskit_arcmaes.primitives.errors.JobFailedError: ...
    """


class RepeatedNoiseError(OracleError, ValueError):
    """A primitive returns the same noise in every call, because its seed is one integer.

    Example:
        >>> from qiskit.primitives import StatevectorEstimator
        >>> from qiskit_arcmaes import ShotEstimator
        >>> ShotEstimator(StatevectorEstimator(seed=1))  # doctest: +ELLIPSIS
        Traceback (most recent call last):
        ...
        qiskit_arcmaes.primitives.errors.RepeatedNoiseError: ...
    """


class PrimitiveInUseError(RuntimeError):
    """A primitive is wanted by two optimizers at once, in different threads.

    Example:
        >>> from concurrent.futures import ThreadPoolExecutor
        >>> from qiskit_arcmaes import ShotEstimator
        >>> estimator = ShotEstimator()
        >>> def use():
        ...     with estimator.leased():
        ...         pass
        >>> with estimator.leased(), ThreadPoolExecutor() as pool:
        ...     use()  # in the same thread: fine
        ...     type(pool.submit(use).exception()).__name__
        'PrimitiveInUseError'
    """


class CalledOffError(OracleError):
    """A primitive was asked by a thread whose loss was interrupted; it was not charged.

    Example:
        >>> from qiskit_arcmaes import ShotEstimator
        >>> from qiskit_arcmaes.primitives.calls import call_off, under_way
        >>> estimator = ShotEstimator()
        >>> with under_way(estimator) as ledger:
        ...     _ = call_off([estimator])
        ...     ledger.charge(circuits=1, shots=100)
        Traceback (most recent call last):
        ...
        qiskit_arcmaes.primitives.errors.CalledOffError: ...
    """


class RecordedOnlyError(RuntimeError):
    """The result of a job was asked for that was only recorded, not run.

    Example:
        >>> from qiskit import QuantumCircuit
        >>> from qiskit_arcmaes import ShotEstimator
        >>> estimator = ShotEstimator(shots=100)
        >>> with estimator.recording() as recording:
        ...     job = estimator.run([(QuantumCircuit(1), "Z")])
        >>> recording.shots, estimator.ledger.shots
        (100, 0)
        >>> job.result()  # doctest: +ELLIPSIS
        Traceback (most recent call last):
        ...
        qiskit_arcmaes.primitives.errors.RecordedOnlyError: ...
    """


WAY_OUT = (
    "submit to all primitives before the first result is asked for, as in "
    "`a, b = estimator.run(...), sampler.run(...)`, and name them all where primitive= is given, "
    "as in ShotFrugal(max_shots, primitive=[estimator, sampler])."
)


class UncountedPrimitiveError(OracleError):
    """A loss asked a primitive to run something that the budget does not count; it was not run.

    Example:
        >>> uncounted("a primitive").args[0][:57]
        'fun also runs on a str that max_shots does not count: sub'
    """


def uncounted(primitive: object) -> UncountedPrimitiveError:
    """The error of a loss that asks a primitive which is not counted.

    Args:
        primitive: The primitive.
    """
    kind = type(primitive).__name__
    return UncountedPrimitiveError(
        f"fun also runs on a {kind} that max_shots does not count: {WAY_OUT}"
    )
