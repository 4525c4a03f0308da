"""Jobs: finished ones to hand out, and patience with those of a service."""

from __future__ import annotations

import inspect
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from qiskit.primitives import BasePrimitiveJob, PrimitiveResult
from qiskit.providers import JobStatus
from qiskit.transpiler import TranspilerError

from qiskit_arcmaes.primitives.errors import JobFailedError, RecordedOnlyError

_HOPELESS = (
    TypeError,
    ValueError,
    NotImplementedError,
    TranspilerError,
)  # the same input fails in the same way
_LONGEST_DELAY = 300.0


class FinishedJob(BasePrimitiveJob):
    """A job whose result is there already.

    Example:
        >>> job = FinishedJob("7", "the result")
        >>> job.done(), job.result()
        (True, 'the result')
    """

    def __init__(self, job_id: str, result: Any) -> None:
        super().__init__(job_id)
        self._result = result

    def result(self) -> PrimitiveResult[Any]:
        """Return the result."""
        return self._result

    def status(self) -> JobStatus:
        """Return ``DONE``."""
        return JobStatus.DONE

    def done(self) -> bool:
        """Return True."""
        return True

    def running(self) -> bool:
        """Return False."""
        return False

    def cancelled(self) -> bool:
        """Return False."""
        return False

    def in_final_state(self) -> bool:
        """Return True."""
        return True

    def cancel(self) -> None:
        """Do nothing: the job is finished."""


class RecordedJob(FinishedJob):
    """A job that was recorded and not run: it has no result."""

    def result(self) -> PrimitiveResult[Any]:
        """Raise: there is none."""
        raise RecordedOnlyError("this job was recorded, not run; run it outside recording().")


@dataclass(frozen=True)
class Patience:
    """How often and how long to try.

    Attributes:
        retries: Further attempts after a failed one, >= 0.
        delay: Seconds before the first of them, >= 0; doubled for each further one, up to 300.
        timeout: Seconds to wait for a result, or None for as long as it takes. Only jobs whose
            ``result`` has a ``timeout`` argument can be told.
        sleep: What waits, given seconds.
    """

    retries: int = 2
    delay: float = 1.0
    timeout: float | None = None
    sleep: Callable[[float], object] = time.sleep

    def __post_init__(self) -> None:
        if isinstance(self.retries, bool) or not isinstance(self.retries, int) or self.retries < 0:
            raise ValueError(f"retries must be a whole number >= 0, not {self.retries!r}.")
        if not self.delay >= 0:
            raise ValueError(f"retry_delay must be a number of seconds >= 0, not {self.delay!r}.")
        if self.timeout is not None and not self.timeout > 0:
            raise ValueError(
                f"timeout must be a number of seconds > 0, or None to wait, not {self.timeout!r}."
            )

    def deliver(
        self,
        submit: Callable[[], Any],
        complaint: Callable[[Any], str | None],
        failed: Callable[[], None],
    ) -> tuple[Any, Any]:
        """Submit a job until it delivers.

        Args:
            submit: Submits it and returns it.
            complaint: Says what is wrong with a result, or None when it is complete.
            failed: Called for every attempt that did not deliver.

        Returns:
            The job that delivered, and its result.
        """
        for attempt in range(self.retries + 1):
            if attempt:
                self.sleep(min(self.delay * 2 ** (attempt - 1), _LONGEST_DELAY))
            try:
                job = submit()
                result = self._wait(job)
                if (wrong := complaint(result)) is None:
                    return job, result
                last: Exception = JobFailedError(wrong)
            except _HOPELESS:
                raise
            except Exception as error:  # whatever a service raises
                last = error
            failed()
        raise JobFailedError(
            f"the job failed {self.retries + 1} times, last with {last!r}; raise retries or "
            "retry_delay if the service needs longer to recover."
        ) from last

    def _wait(self, job: Any) -> Any:
        if self.timeout is None or "timeout" not in inspect.signature(job.result).parameters:
            return job.result()
        try:
            return job.result(timeout=self.timeout)
        except Exception:
            with suppress(Exception):  # a job that cannot be cancelled any more
                job.cancel()
            raise
