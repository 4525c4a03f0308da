"""What can go wrong with a primitive, beyond bad arguments."""

from __future__ import annotations

from qiskit_arcmaes.oracles import OracleError


class JobFailedError(OracleError):
    """A job failed, timed out or came back incomplete, also when it was tried again."""


class RepeatedNoiseError(OracleError, ValueError):
    """A primitive returns the same noise in every call, because its seed is one whole number."""


class RecordedOnlyError(RuntimeError):
    """The result of a job was asked for that was only recorded, not run."""
