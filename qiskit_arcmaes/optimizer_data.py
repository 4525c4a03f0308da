"""What the optimizers hand out and take in, in Qiskit's forms."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from qiskit_algorithms.optimizers import OptimizerResult
from qiskit_algorithms.optimizers.steppable_optimizer import AskData, TellData

from qiskit_arcmaes.history import History
from qiskit_arcmaes.result import Result, Stop


class ShotOptimizerResult(OptimizerResult):
    """An ``OptimizerResult`` that knows what it cost and how sure it is.

    Attributes:
        fun_std: Standard error of ``fun``, a fresh estimate at ``x``.
        shots: All shots really spent, everything included.
        jobs: Jobs run.
        failures: Values that were NaN or infinite.
        stop: Why the run ended.
        message: The same in words.
        seconds: Wall-clock time.
        history: What happened, job by job.
    """

    fun_std: float
    shots: int
    jobs: int
    failures: int
    stop: Stop
    message: str
    seconds: float
    history: History

    def __init__(self, result: Result) -> None:
        super().__init__()
        self.x, self.fun = result.x, result.fun
        self.nfev, self.njev, self.nit = result.nfev, 0, result.nit
        self.fun_std, self.shots, self.jobs = result.fun_std, result.shots, result.jobs
        self.failures, self.stop, self.message = result.failures, result.stop, result.message
        self.seconds, self.history = result.seconds, result.history
        self._result = result

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """Confidence interval of the loss at ``x``.

        Args:
            level: Coverage, between 0 and 1.
        """
        return self._result.interval(level)

    def __repr__(self) -> str:
        return repr(self._result)

    __str__ = __repr__


@dataclass
class ShotAskData(AskData):
    """Points to evaluate, ``x_fun`` of shape (n, d), all with ``shots`` shots."""

    shots: int = 1


@dataclass
class ShotTellData(TellData):
    """Values ``eval_fun`` of shape (n,), and their variances where these are known."""

    variances: Any = None
