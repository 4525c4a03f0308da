"""The result of a run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from qiskit_arcmaes.engine.history import History
from qiskit_arcmaes.engine.items import Items
from qiskit_arcmaes.engine.markup import table

if TYPE_CHECKING:
    from qiskit_arcmaes.viz.plotting import Picture

Array = NDArray[np.float64]


class Stop(Enum):
    """Why a run ended; the value is the sentence that the message begins with.

    Example:
        >>> from qiskit_arcmaes import GaussianOracle, Stop, get_function, minimize
        >>> oracle = GaussianOracle(get_function("sphere", 3), seed=1)
        >>> result = minimize(oracle, [1.0] * 3, max_shots=5000, max_jobs=9, method="cma", seed=1)
        >>> result.stop is Stop.JOBS, result.stop.value
        (True, 'The number of jobs reached max_jobs')
    """

    BUDGET = "The shot budget is used"
    ITERATIONS = "The number of iterations reached maxiter"
    JOBS = "The number of jobs reached max_jobs"
    SECONDS = "The time limit max_seconds was reached"
    CALLBACK = "The callback asked to stop"
    INTERRUPTED = "Interrupted from the keyboard"
    COLLAPSED = "The step size fell below what floating-point numbers resolve"
    FAILED = "The oracle failed"
    STEPWISE = "Stopped from outside"
    TARGET = "The loss at the recommendation reached target"
    TARGET_STD = "What is left to gain fell below target_std"
    ERROR = "An error outside of the oracle ended the run"

    @property
    def success(self) -> bool:
        """Whether the run ended as planned: it neither failed nor was interrupted."""
        return self not in (Stop.FAILED, Stop.INTERRUPTED, Stop.ERROR)

    @property
    def code(self) -> int:
        """A number for it: 0 where the budget is used, another one for each other reason."""
        return list(Stop).index(self)


FIELDS = (
    "x", "fun", "fun_std", "fun_freedom", "success", "status", "message", "stop", "nfev", "nit",
    "shots", "jobs", "failures", "method", "algorithm", "seconds", "history", "labels", "scatter",
)  # fmt: skip
"""What every result has, in the order in which it is listed."""


@dataclass
class Result(Items):
    """What ``minimize`` returns; its fields can also be read as items, ``result["x"]``.

    Attributes:
        x: The recommendation: the distribution's mean or better, never the luckiest sample.
        fun: A fresh estimate of the loss at ``x``. Where the last estimate was not made, as the
            message then says: the method's own value; NaN if it has none.
        fun_std: Its standard error.
        fun_freedom: Degrees of freedom behind ``fun_std``; infinite where the oracle reported it.
        shots: All shots spent, everything included.
        jobs: Batches evaluated.
        nfev: Points evaluated.
        nit: Iterations of the method (generations, designs, steps).
        failures: Values that were NaN or infinite.
        stop: Why the run ended.
        message: The same in words.
        method: The name of the method that was asked for.
        algorithm: What really ran, in words, phase by phase.
        seconds: Wall-clock time, that of earlier sessions included.
        history: What happened, job by job.
        labels: What the method's own columns of the history mean, by name.
        scatter: Variance of one shot of each coordinate's terms in each measurement group, shape
            (d, groups), where jobs were planned by group; else None. A run that starts from this
            result begins with it.

    Example:
        >>> from qiskit_arcmaes import GaussianOracle, get_function, minimize
        >>> oracle = GaussianOracle(get_function("sphere", 3), tau=1.0, seed=1)
        >>> result = minimize(oracle, [1.0] * 3, max_shots=10_000, seed=7)
        >>> low, high = result.interval(0.99)
        >>> low < result.fun < high, result.shots == oracle.spent <= 10_000
        (True, True)
        >>> result.success, "quadratic surrogate" in result.algorithm
        (True, True)
    """

    _fields: ClassVar[tuple[str, ...]] = FIELDS

    x: Array
    fun: float
    fun_std: float
    fun_freedom: float
    shots: int
    jobs: int
    nfev: int
    nit: int
    failures: int
    stop: Stop
    message: str
    method: str
    algorithm: str
    seconds: float
    history: History
    labels: Mapping[str, str]
    scatter: Array | None = None

    @property
    def success(self) -> bool:
        """Whether the run ended as planned: it neither failed nor was interrupted."""
        return self.stop.success

    @property
    def status(self) -> int:
        """A number for the reason: 0 where the budget is used."""
        return self.stop.code

    @property
    def radius(self) -> float | None:
        """The last radius of the run, > 0: its next step would have been that long at the most.

        None where no job was told, or where the steps had shrunk to nothing.
        """
        radius = float(self.history["radius"][-1]) if len(self.history) else 0.0
        return radius if 0 < radius < np.inf else None

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """Confidence interval of the loss at ``x``.

        Args:
            level: Coverage, between 0 and 1.
        """
        if not 0 < level < 1:
            raise ValueError(f"level must lie between 0 and 1, not {level!r}.")
        quantile = float(stats.t.ppf((1 + level) / 2, self.fun_freedom))
        return self.fun - quantile * self.fun_std, self.fun + quantile * self.fun_std

    def plot(
        self,
        reference: float | None = None,
        title: str = "",
        details: bool = False,
        unit: str = "",
    ) -> Picture:
        """Draw the run over the shots spent: value with its band, and shots per point.

        Args:
            reference: The true minimum, where it is known, in the loss's units.
            title: Stands above the picture.
            details: Whether to draw one more panel for each diagnostic of the method.
            unit: Unit of the loss. "Hartree" together with ``reference`` draws the energy above
                the reference, with a line for chemical accuracy (1.6 mHa).

        Example:
            >>> from qiskit_arcmaes import GaussianOracle, get_function, minimize
            >>> oracle = GaussianOracle(get_function("sphere", 3), seed=1)
            >>> result = minimize(oracle, [1.0] * 3, max_shots=5000, seed=1)
            >>> result.plot(reference=0.0, title="sphere").get_suptitle()
            'sphere'
        """
        from qiskit_arcmaes.viz.plotting import plot_run

        final = (self.fun, self.fun_std)
        return plot_run(self.history, reference, title, final, self.labels, details, unit)

    def _repr_html_(self) -> str:
        point = np.array2string(self.x, precision=4, threshold=8, max_line_width=88)
        rows = [
            ("fun", f"{self.fun:.6g} ± {self.fun_std:.2g}"),
            ("x", point),
            ("shots", f"{self.shots:,}"),
            ("jobs", f"{self.jobs:,} ({self.nfev:,} points, {self.nit:,} iterations)"),
            ("algorithm", self.algorithm),
            ("failed values", f"{self.failures:,}"),
            ("seconds", f"{self.seconds:.3g}"),
            ("message", self.message),
        ]
        return table(rows)

    def __repr__(self) -> str:
        point = np.array2string(self.x, precision=4, threshold=8, max_line_width=88)
        return (
            f"Result: fun = {self.fun:.6g} ± {self.fun_std:.2g} at x = {point}\n"
            f"  {self.shots:,} shots in {self.jobs:,} jobs ({self.nfev:,} points, "
            f"{self.nit:,} iterations) in {self.seconds:.3g} s\n"
            f"  {self.method}: {self.algorithm}\n  {self.message}"
        )


def describe_algorithm(history: History) -> str:
    """What ran, in words: the phases of a run in the order in which they first came.

    Example:
        >>> history = History()
        >>> for phase in ("noise calibration", "CMA-ES", "CMA-ES"):
        ...     history.append({"phase": phase})
        >>> describe_algorithm(history)
        'noise calibration, then CMA-ES'
    """
    return ", then ".join(dict.fromkeys(history["phase"])) if len(history) else "nothing ran"
