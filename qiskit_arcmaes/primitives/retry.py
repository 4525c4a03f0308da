"""Jobs of a service: submitted until they deliver."""

from __future__ import annotations

import inspect
import logging
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass
from typing import Any

from qiskit.transpiler import TranspilerError

from qiskit_arcmaes import validation
from qiskit_arcmaes.primitives.errors import CalledOffError, JobFailedError

_HOPELESS = (
    TypeError,
    ValueError,
    NotImplementedError,
    TranspilerError,
    CalledOffError,
)  # the same input fails in the same way
_LONGEST_DELAY = 300.0
_LOG = logging.getLogger("qiskit_arcmaes")


@dataclass(frozen=True)
class RetryPolicy:
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
        validation.integer("retries", self.retries, 0)
        validation.number("retry_delay", self.delay, allow_zero=True)
        if self.timeout is not None:
            validation.number("timeout", self.timeout)

    def deliver(
        self,
        submit: Callable[[], Any],
        complaint: Callable[[Any], str | None],
        failed: Callable[[], None],
        away: Callable[[], AbstractContextManager[None]] = nullcontext,
    ) -> tuple[Any, Any]:
        """Submit a job until it delivers.

        Args:
            submit: Submits it and returns it.
            complaint: Says what is wrong with a result, or None when it is complete.
            failed: Called for every attempt that did not deliver.
            away: The context in which the service is waited for.

        Returns:
            The job that delivered, and its result.
        """
        last: Exception
        job: Any = None
        for attempt in range(self.retries + 1):
            if attempt:
                with away():
                    self.sleep(min(self.delay * 2 ** (attempt - 1), _LONGEST_DELAY))
            job = None
            try:
                job = submit()
                with away():
                    result = self._wait(job)
            except _HOPELESS:
                raise
            except Exception as error:  # whatever a service raises
                last = error
            else:
                if (wrong := _verdict(complaint, result)) is None:
                    return job, result
                last = JobFailedError(wrong)
            failed()
            _log_failure(last, attempt, self.retries)
        raise JobFailedError(
            f"the job failed {self.retries + 1} times, last{_name(job)} with {last!r}; raise "
            "retries or retry_delay if the service needs longer to recover."
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


def _name(job: Any) -> str:
    """How a service calls a job, for messages; nothing where there is none."""
    try:
        return f" as job {job.job_id()!r}"
    except Exception:  # it was not submitted, or its service has no such names
        return ""


def _log_failure(error: Exception, attempt: int, retries: int) -> None:
    left = f"{retries - attempt} further tries" if attempt < retries else "no further try"
    _LOG.warning("try %d of a job failed with %r; %s", attempt + 1, error, left)


def _verdict(complaint: Callable[[Any], str | None], result: Any) -> str | None:
    """What is wrong with a result; one that cannot even be looked at is wrong too."""
    if result is None:
        return "no result came back"
    try:
        return complaint(result)
    except (AttributeError, TypeError) as error:
        return f"a result came back that cannot be read ({error})"
