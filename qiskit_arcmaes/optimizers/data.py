"""What the optimizers hand out and take in, in Qiskit's forms."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from qiskit_algorithms.optimizers import OptimizerResult
from qiskit_algorithms.optimizers.steppable_optimizer import AskData, TellData

from qiskit_arcmaes.engine.history import History
from qiskit_arcmaes.engine.items import Items
from qiskit_arcmaes.engine.result import FIELDS, Result, Stop
from qiskit_arcmaes.method import Batch

if TYPE_CHECKING:
    from qiskit_arcmaes.viz.plotting import Picture


class ShotOptimizerResult(Items, OptimizerResult):
    """An ``OptimizerResult`` that knows what it cost and how sure it is.

    Its fields can also be read as items, ``result["x"]``.

    Attributes:
        fun_std: Standard error of ``fun``, a fresh estimate at ``x``.
        fun_freedom: Degrees of freedom behind ``fun_std``.
        shots: All shots really spent, everything included.
        jobs: Jobs run.
        failures: Values that were NaN or infinite.
        stop: Why the run ended.
        message: The same in words.
        success: Whether the run ended as planned: it neither failed nor was interrupted.
        status: A number for the reason: 0 where the budget is used.
        method: The name of the method that was asked for.
        algorithm: What really ran, in words, phase by phase.
        seconds: Wall-clock time.
        history: What happened, job by job.
        labels: What the method's own columns of the history mean, by name.

    Example:
        >>> from qiskit_arcmaes import GaussianOracle, ShotFrugal, get_function
        >>> oracle = GaussianOracle(get_function("sphere", 3), tau=1.0, seed=1)
        >>> result = ShotFrugal(max_shots=10_000, seed=7).minimize(oracle, [1.0] * 3)
        >>> low, high = result.interval(0.99)
        >>> low < result.fun < high, result.shots <= 10_000, len(result.history) <= result.jobs
        (True, True, True)
    """

    _fields: ClassVar[tuple[str, ...]] = (*FIELDS, "jac", "njev")

    fun_std: float
    fun_freedom: float
    shots: int
    jobs: int
    failures: int
    stop: Stop
    message: str
    success: bool
    status: int
    method: str
    algorithm: str
    seconds: float
    history: History
    labels: Mapping[str, str]

    def __init__(self, result: Result) -> None:
        super().__init__()
        for name in FIELDS:
            setattr(self, name, result[name])
        self.njev = 0
        self._result = result

    @property
    def run_result(self) -> Result:
        """The same as ``minimize`` returns it, without Qiskit's form."""
        return self._result

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """Confidence interval of the loss at ``x``.

        Args:
            level: Coverage, between 0 and 1.
        """
        return self._result.interval(level)

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
        """
        return self._result.plot(reference, title, details, unit)

    def __repr__(self) -> str:
        return repr(self._result)

    def _repr_html_(self) -> str:
        return self._result._repr_html_()

    __str__ = __repr__


@dataclass
class ShotAskData(AskData):
    """Points to evaluate, ``x_fun`` of shape (n, d), all with ``shots`` shots.

    ``batch`` is what the method asked for, to be handed back with the values.
    """

    shots: int = 1
    batch: Batch | None = None


@dataclass
class ShotTellData(TellData):
    """Values ``eval_fun`` of shape (n,), and their variances where these are known."""

    variances: Any = None
