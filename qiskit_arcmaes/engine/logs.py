"""What a run says through ``logging``, under the name of the package.

One line per job at the level INFO, one at the end, and a warning where a job is tried again.
``logging.basicConfig(level=logging.INFO)`` shows them.
"""

from __future__ import annotations

import logging
from typing import Any

LOGGER = logging.getLogger("qiskit_arcmaes")
LOGGER.addHandler(logging.NullHandler())  # silent unless the user asks


def log_job(run: Any, batch: Any, value: float, std: float) -> None:
    """Say what a job was and what it taught.

    Args:
        run: The run, after the job was told.
        batch: The job.
        value: The loss at the present recommendation.
        std: Its standard error.

    Example:
        >>> import sys
        >>> from qiskit_arcmaes import GaussianOracle, get_function, minimize
        >>> handler = logging.StreamHandler(sys.stdout)
        >>> LOGGER.addHandler(handler)
        >>> LOGGER.setLevel(logging.INFO)
        >>> oracle = GaussianOracle(get_function("sphere", 3), seed=1)
        >>> _ = minimize(oracle, [1.0] * 3, max_shots=5000, max_jobs=2, seed=1)
        ... # doctest: +ELLIPSIS
        frugal, job 1 (quadratic surrogate): ... points x ... shots; ... of 5,000 shots spent; ...
        frugal: The number of jobs reached max_jobs; ...
        >>> LOGGER.removeHandler(handler)
        >>> LOGGER.setLevel(logging.NOTSET)
    """
    if LOGGER.isEnabledFor(logging.INFO):
        LOGGER.info(
            "%s, job %d (%s): %d points x %s shots; %s of %s shots spent; value %.6g ± %.2g",
            run.name,
            run.ledger.jobs,
            batch.phase,
            len(batch.points),
            f"{batch.shots:,}",
            f"{run.ledger.spent:,}",
            f"{run.limits.shots:,}",
            value,
            std,
        )


def log_end(result: Any) -> None:
    """Say how a run ended.

    Args:
        result: What it returns.
    """
    LOGGER.info(
        "%s: %s fun = %.6g ± %.2g", result.method, result.message, result.fun, result.fun_std
    )
