"""One run: a method, an oracle, a budget, and at every moment what was spent."""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qiskit_arcmaes.engine import checkpoint as checkpoints
from qiskit_arcmaes.engine.history import History
from qiskit_arcmaes.engine.result import Result, Stop
from qiskit_arcmaes.oracles import Estimate, ExternalOracle, Oracle, OracleError
from qiskit_arcmaes.registry import Batch, Method

Array = NDArray[np.float64]
Callback = Callable[[int, Array, float, float, int], Any]

_FINAL_ROWS = 16  # how often the answer is evaluated where the oracle reports no variance
_UNKNOWN = (math.nan, math.nan, math.nan)  # value, error and freedom of no estimate
RESOLUTION = 1e-15  # relative width below which a distribution is a point

_ZERO_NOISE = (
    "repeated evaluations of one point are identical, the noise has zero variance. Likely an "
    "integer seed that repeats the noise in every call; if the loss really has no noise, pass tau=0"
)
_CONSTANT = (
    "different points have the same value, the loss seems to be constant. Likely it does not use "
    "its argument"
)


class ConstantLossWarning(UserWarning):
    """All values were the same: nothing can be learned from them.

    Example:
        >>> import warnings
        >>> from qiskit_arcmaes import minimize
        >>> with warnings.catch_warnings(record=True) as caught:
        ...     warnings.simplefilter("always")
        ...     _ = minimize(lambda x: 3.0, [1.0, 2.0], max_shots=2000, tau=1.0, seed=1)
        >>> caught[0].category.__name__
        'ConstantLossWarning'
    """


@dataclass(frozen=True)
class Limits:
    """What a run may use; None is no limit."""

    shots: int
    iterations: int | None = None
    jobs: int | None = None
    seconds: float | None = None


@dataclass
class Ledger:
    """What was used so far."""

    spent: int = 0
    jobs: int = 0
    points: int = 0
    failures: int = 0
    seconds: float = 0.0


class Saver:
    """Where, when and with which settings a run is saved."""

    def __init__(self, path: Path, period: float, settings: dict[str, Any]) -> None:
        if not path.parent.is_dir():
            raise ValueError(f"checkpoint = {str(path)!r}: its folder does not exist; create it.")
        self.path = path
        self.period = period
        self.settings = settings
        self.last = time.monotonic()

    def read(self, resume: bool) -> dict[str, Any]:
        """Load the file that is there, or say why it cannot be used."""
        data = checkpoints.load(self.path)
        if not resume:
            raise checkpoints.CheckpointError(
                f"checkpoint {str(self.path)!r} already holds a run; pass resume=True to go on "
                "with it, or remove the file."
            )
        for name, value in self.settings.items():
            saved = data.get("settings", {}).get(name)
            if not _same(saved, value):
                raise checkpoints.CheckpointError(
                    f"checkpoint {str(self.path)!r} was made with {name} = {saved!r}, not "
                    f"{value!r}; resume with the same arguments."
                )
        return data

    def due(self) -> bool:
        """Whether it is time to save again."""
        return time.monotonic() - self.last >= self.period

    def write(self, data: Mapping[str, Any]) -> None:
        """Save, atomically."""
        checkpoints.save(self.path, {"settings": self.settings, **data})
        self.last = time.monotonic()


@dataclass
class Run:
    """One run: the method, the oracle, and what happened so far."""

    method: Method
    oracle: Oracle
    limits: Limits
    reserve: int
    callback: Callback | None
    saver: Saver | None
    ledger: Ledger = field(default_factory=Ledger)
    history: History = field(default_factory=History)
    stop: Stop | None = None

    def __post_init__(self) -> None:
        self.answer: Array = self.method.answer
        self._clock = time.monotonic()
        self._generator_state: Any = None
        self._consistent = True  # whether the method is between two jobs
        self._warned = False
        self._final: tuple[float, float, float] | None = None  # the last estimate, once made

    def go(self) -> Result:
        """Job by job until something says stop; then the last estimate."""
        try:
            while (batch := self.ask()) is not None:
                self.tell(batch, self.evaluate(batch))
        except KeyboardInterrupt:
            self.stop = Stop.INTERRUPTED
        return self.finish()

    def ask(self) -> Batch | None:
        """The next job, or None when the run is over; ``stop`` then says why."""
        self.stop = self.stop or self._exhausted()
        if self.stop is not None:
            return None
        self._generator_state = self.method.state.rng.bit_generator.state
        batch = self.method.ask()
        cost = self.oracle.cost(len(batch.points), batch.shots)
        if self.ledger.spent + cost + self.reserve > self.limits.shots:
            self._forget()
            self.stop = Stop.BUDGET
            return None
        return batch

    def evaluate(self, batch: Batch) -> Estimate:
        """Evaluate what was asked; if the oracle fails, save the run as it was before."""
        try:
            return self._evaluate(batch)
        except OracleError as error:
            self._give_up()
            error.result = self._partial()
            raise
        except Exception as error:
            self._give_up()
            raise self._failure(error, batch) from error
        except BaseException:
            self._give_up()
            raise

    def tell(self, batch: Batch, estimate: Estimate) -> None:
        """Learn from what was evaluated, keep the history, save, call back."""
        self._consistent, self._final = False, None
        self.method.tell(estimate.values, estimate.variances)
        self.answer = self.method.answer
        value, uncertainty = self._record(batch, estimate)
        self._consistent = True
        if self.saver is not None and self.saver.due():
            self._save()
        self.stop = self._call_back(value, uncertainty)

    def finish(self) -> Result:
        """Estimate the answer afresh, save, and sum up."""
        stop = self.stop or Stop.STEPWISE
        if self._final is None:  # a finished run that was resumed has it
            try:
                self._final = self._evaluate_answer(stop)
            except Exception as error:
                self._save()
                failure = OracleError(
                    f"the last estimate of the answer failed with {error!r}; the answer stands in "
                    "this error's result.x.",
                    self.answer,
                )
                failure.result = self._result(stop, _UNKNOWN)
                raise failure from error
        self._save()
        return self._result(stop, self._final)

    def _exhausted(self) -> Stop | None:
        limits, distribution = self.limits, self.method.state.distribution
        if limits.iterations is not None and distribution.generation >= limits.iterations:
            return Stop.ITERATIONS
        if limits.jobs is not None and self.ledger.jobs >= limits.jobs - 1:
            return Stop.JOBS
        if self.method.finished:
            return Stop.BUDGET
        if limits.seconds is not None and self._elapsed() >= limits.seconds:
            return Stop.SECONDS
        width = distribution.step_size * float(distribution.scales[-1])
        if width < RESOLUTION * (1e-200 + float(np.abs(distribution.mean).max())):
            return Stop.COLLAPSED
        return None

    def _evaluate(self, batch: Batch) -> Estimate:
        """Ask the oracle, check the answer's form, charge it."""
        before = self.oracle.spent
        count = len(batch.points)
        try:
            estimate = self.oracle.evaluate(batch.points, batch.shots)
        finally:
            self.ledger.spent += self.oracle.spent - before
            self.ledger.jobs += 1
        self.ledger.points += count
        values = np.asarray(estimate.values, dtype=float)
        if values.shape != (count,):
            raise OracleError(
                f"the oracle returned values of shape {values.shape} for {count} points; it must "
                f"return shape ({count},)."
            )
        finite = int(np.isfinite(values).sum())
        self.ledger.failures += max(count - finite, estimate.failures)
        if finite == 0:
            raise OracleError(f"all {count} values of a job are NaN or infinite.")
        if count > 1 and values[0] == values[1] and np.all(values == values[0]):
            self._warn_constant(batch, float(values[0]))
        return estimate

    def _warn_constant(self, batch: Batch, value: float) -> None:
        """Once a run, name the likely cause of values that are all the same."""
        same_point = bool(np.all(batch.points == batch.points[0]))
        noiseless = self.method.setup.noise == 0 or self.oracle.reports_variances
        converged = not same_point and self.method.state.distribution.generation > 0
        if self._warned or converged or (same_point and noiseless):
            return
        self._warned = True
        warnings.warn(
            f"All {len(batch.points)} values of a job are {value!r}: "
            f"{_ZERO_NOISE if same_point else _CONSTANT}.",
            ConstantLossWarning,
            stacklevel=2,
        )

    def _record(self, batch: Batch, estimate: Estimate) -> tuple[float, float]:
        """Add a row to the history; the present value and its standard error."""
        value, uncertainty = self.method.belief_of_value or _mean_of(estimate)
        state = self.method.state
        self.history.append(
            {
                "generation": float(state.distribution.generation),
                "points": float(len(batch.points)),
                "shots": float(batch.shots),
                "spent": float(self.ledger.spent),
                "value": value,
                "value_std": uncertainty,
                "step_size": state.distribution.step_size,
                "next_shots": state.shots,
                "condition": state.distribution.condition,
                **self.method.decision,
            }
        )
        return value, uncertainty

    def _call_back(self, value: float, uncertainty: float) -> Stop | None:
        if self.callback is None:
            return None
        try:
            wants_stop = self.callback(
                self.ledger.points, self.answer.copy(), value, uncertainty, self.ledger.spent
            )
        except StopIteration:
            wants_stop = True
        return Stop.CALLBACK if wants_stop is True or wants_stop is np.True_ else None

    def _evaluate_answer(self, stop: Stop) -> tuple[float, float, float]:
        """A fresh estimate of the answer: value, standard error, degrees of freedom."""
        if isinstance(self.oracle, ExternalOracle):
            return _UNKNOWN
        rows = 1 if self.oracle.reports_variances else _FINAL_ROWS
        left = self.limits.shots - self.ledger.spent
        if stop is not Stop.BUDGET:
            left = min(left, self.reserve)
        while rows > 1 and self.oracle.cost(rows, 1) > left:
            rows //= 2
        shots = _affordable(self.oracle, rows, left)
        if shots < 1:
            return _UNKNOWN
        try:
            estimate = self._evaluate(Batch(np.tile(self.answer, (rows, 1)), shots))
        except KeyboardInterrupt:  # a second one: the user wants out now
            return _UNKNOWN
        values = np.asarray(estimate.values)[np.isfinite(estimate.values)]
        value = float(values.mean())
        if self.oracle.reports_variances and estimate.variances is not None:
            return value, float(np.sqrt(np.mean(estimate.variances) / len(values))), math.inf
        if len(values) < 2:
            return value, math.nan, math.nan
        return value, float(values.std(ddof=1) / math.sqrt(len(values))), len(values) - 1.0

    def _result(self, stop: Stop, estimate: tuple[float, float, float]) -> Result:
        ledger = self.ledger
        left = self.limits.shots - ledger.spent
        return Result(
            x=self.answer.copy(),
            fun=estimate[0],
            fun_std=estimate[1],
            fun_freedom=estimate[2],
            shots=ledger.spent,
            jobs=ledger.jobs,
            nfev=ledger.points,
            nit=self.method.state.distribution.generation,
            failures=ledger.failures,
            stop=stop,
            message=f"{stop.value}; {ledger.spent:,} of {self.limits.shots:,} shots spent, "
            f"{left:,} left.",
            seconds=self._elapsed(),
            history=self.history,
        )

    def _failure(self, error: Exception, batch: Batch) -> OracleError:
        """The oracle's error with the point that caused it, and with the run so far."""
        where = f"a batch of {len(batch.points)} points that begins with"
        failure = OracleError(
            f"the oracle raised {error!r} on {where} x = {batch.points[0].tolist()}.",
            batch.points[0],
        )
        failure.result = self._partial()
        return failure

    def _partial(self) -> Result:
        """The run so far, without a last estimate."""
        return self._result(Stop.FAILED, _UNKNOWN)

    def _forget(self) -> None:
        """Undo an ask, so that the next one gives the same batch."""
        self.method.state.rng.bit_generator.state = self._generator_state
        self.method.state.waiting = 0

    def _give_up(self) -> None:
        self._forget()
        self._save()

    def _elapsed(self) -> float:
        return self.ledger.seconds + time.monotonic() - self._clock

    def _save(self) -> None:
        if self.saver is None or not self._consistent:
            return
        self.ledger.seconds, self._clock = self._elapsed(), time.monotonic()
        self.saver.write(
            {
                "method": self.method.state,
                "oracle": self.oracle.state,
                "ledger": self.ledger,
                "history": self.history.to_dict(),
                "final": self._final,
            }
        )

    def load(self, data: Mapping[str, Any]) -> None:
        """Go on from a checkpoint."""
        self.method.restore(checkpoints.rebuild(self.method.state, data["method"]))
        self.ledger = checkpoints.rebuild(self.ledger, data["ledger"])
        self.history = History.from_dict(data["history"])
        self.oracle.state = data["oracle"]
        self._final = None if data.get("final") is None else tuple(data["final"])
        self.answer = self.method.answer


def _mean_of(estimate: Estimate) -> tuple[float, float]:
    """Mean of the values that did not fail, and its standard error."""
    values = estimate.values[np.isfinite(estimate.values)]
    if len(values) < 2:
        return float(values.mean()), math.nan
    return float(values.mean()), float(values.std(ddof=1)) / math.sqrt(len(values))


def _same(left: Any, right: Any) -> bool:
    if left is None or right is None:
        return left is right
    return bool(np.array_equal(left, right))


def _affordable(oracle: Oracle, points: int, limit: int) -> int:
    """The most shots at which a batch costs no more than ``limit``; 0 if none."""
    low, high = 0, max(limit // max(points, 1), 0) + 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if oracle.cost(points, middle) <= limit else (low, middle)
    return low
