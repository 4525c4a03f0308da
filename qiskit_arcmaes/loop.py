"""The loop: run a method on an oracle within a budget, and know at every moment what was spent."""

from __future__ import annotations

import math
import os
import time
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from qiskit_arcmaes import checkpoint as checkpoints
from qiskit_arcmaes.cma import default_popsize
from qiskit_arcmaes.domain import Domain, check_start, make_domain
from qiskit_arcmaes.history import History
from qiskit_arcmaes.methods import METHODS, Batch, Method, Setup
from qiskit_arcmaes.oracles import Estimate, Oracle, OracleError, as_oracle
from qiskit_arcmaes.result import Result, Stop

Array = NDArray[np.float64]
Callback = Callable[[int, Array, float, float, int], Any]

_FINAL_SHARE = 0.01  # of the budget, kept for the fresh estimate of the answer
_FINAL_ROWS = 16  # how often the answer is evaluated where the oracle reports no variance
_RESOLUTION = 1e-15  # relative width below which a distribution is a point

_ZERO_NOISE = (
    "repeated evaluations of one point are identical, the noise has zero variance. Likely an "
    "integer seed that repeats the noise in every call; if the loss really has no noise, pass tau=0"
)
_CONSTANT = (
    "different points have the same value, the loss seems to be constant. Likely it does not use "
    "its argument"
)


class ConstantLossWarning(UserWarning):
    """All values were the same: nothing can be learned from them."""


def minimize(
    oracle_or_fun: Any,
    x0: ArrayLike,
    *,
    max_shots: int,
    method: str = "ar",
    model: None = None,
    sigma0: float | None = None,
    bounds: Any = None,
    periodic: Any = None,
    popsize: int | None = None,
    shots: int | None = None,
    min_shots: int = 1,
    overhead: float = 0.0,
    tau: float | None = None,
    seed: Any = None,
    vectorized: bool | None = None,
    callback: Callback | None = None,
    maxiter: int | None = None,
    max_jobs: int | None = None,
    max_seconds: float | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    checkpoint_seconds: float = 30.0,
    resume: bool = False,
) -> Result:
    """Minimise a noisy loss within a budget of shots.

    Args:
        oracle_or_fun: An oracle (it has ``evaluate``), or a noisy callable that is called M times
            for M shots: on one point of shape (d,), or on an (n, d) array.
        x0: Start, shape (d,), inside the bounds.
        max_shots: Budget. Every evaluation counts: candidates, the mean, re-evaluations, the
            measurement of the noise, the last estimate of the answer. Never exceeded.
        method: ``ar`` (default), ``ar-paper``, ``ar-literal``, ``cma``, ``three-stage``, ``uh``,
            ``lra`` or ``psa``.
        model: None; reserved for the local model of ``ar``.
        sigma0: First step size, > 0, in the units of x. Default: 0.1 of the widest range of the
            bounds, else 0.1·2π.
        bounds: One (lower, upper) pair per coordinate, None for no bound. Points are repaired onto
            the bounds before they are evaluated.
        periodic: Which coordinates are circles; default: those whose bounds are 2π apart. Circles
            are searched freely and wrapped into their bounds. False, True, d booleans, d periods.
        popsize: Population size lambda, >= 2; default 4 + floor(3 ln d).
        shots: The first M, >= 1 (for ``cma``, ``lra`` and ``psa`` the fixed one).
        min_shots: The least M, >= 1.
        overhead: What a new circuit costs, in shots, >= 0: ``ar`` chooses M for gain per
            (overhead + M). It is not charged.
        tau: Standard deviation of one shot, if known; it is then not measured.
        seed: Anything ``numpy.random.default_rng`` takes.
        vectorized: Whether a callable takes (n, d) arrays; None finds out.
        callback: Called after each job as ``callback(nfev, x, fun, std, shots)``: points
            evaluated, the present answer, mean and standard error of the job's values, all shots
            spent. Stops the run by returning True or raising StopIteration.
        maxiter: Most generations.
        max_jobs: Most jobs, the last estimate of the answer included.
        max_seconds: Most wall-clock time; checked between jobs.
        checkpoint: File to save the run in, now and then and at the end.
        checkpoint_seconds: Time between saves, >= 0; 0 saves after every job.
        resume: Go on from ``checkpoint`` where that file exists, bit for bit as the uninterrupted
            run would have; the other arguments must be the same as then.

    Returns:
        The result; its ``history`` has a row for each job.

    Raises:
        ValueError: An argument is out of range; the message names it.
        OracleError: The oracle raised; ``.result`` holds the run so far, and the checkpoint, if
            there is one, was saved.
        CheckpointError: The checkpoint cannot be used; the file was left untouched.

    Example:
        >>> from qiskit_arcmaes import GaussianOracle, get_function, minimize
        >>> oracle = GaussianOracle(get_function("sphere", 5), tau=1.0, seed=1)
        >>> result = minimize(oracle, [2.0] * 5, max_shots=100_000, seed=7)
        >>> result.shots <= 100_000, bool(np.sum(result.x**2) < 0.3)
        (True, True)
    """
    if model is not None:
        raise ValueError(f"model must be None, not {model!r}.")
    start, domain = _check_space(x0, bounds, periodic)
    oracle = as_oracle(oracle_or_fun, vectorized)
    limits = _Limits(
        _whole("max_shots", max_shots, 1),
        None if maxiter is None else _whole("maxiter", maxiter, 1),
        None if max_jobs is None else _whole("max_jobs", max_jobs, 2),
        None if max_seconds is None else _positive("max_seconds", max_seconds),
    )
    reserve = max(int(_FINAL_SHARE * limits.shots), oracle.cost(2, 1))
    setup = Setup(
        mean=start,
        step_size=_default_step(domain) if sigma0 is None else _positive("sigma0", sigma0),
        popsize=default_popsize(len(start)) if popsize is None else _whole("popsize", popsize, 2),
        domain=domain,
        budget=(limits.shots - reserve) / oracle.cost(1, 1),
        shots=None if shots is None else _whole("shots", shots, 1),
        min_shots=_whole("min_shots", min_shots, 1),
        overhead=_positive("overhead", overhead, allow_zero=True),
        noise=None if tau is None else _positive("tau", tau, allow_zero=True),
        reports_variances=bool(oracle.reports_variances),
    )
    if method not in METHODS:
        raise ValueError(f"method = {method!r} is unknown; take one of {', '.join(METHODS)}.")
    chosen = METHODS[method](setup, np.random.default_rng(seed))
    _check_budget(chosen, oracle, limits.shots, reserve)
    saver = None
    if checkpoint is not None:
        settings = _settings(method, setup, limits, seed)
        saver = _Saver(Path(checkpoint), checkpoint_seconds, settings)
    run = _Run(chosen, oracle, limits, reserve, callback, saver)
    if saver is not None and saver.path.exists():
        run.load(saver.read(resume))
    return run.go()


@dataclass(frozen=True)
class _Limits:
    shots: int
    iterations: int | None
    jobs: int | None
    seconds: float | None


@dataclass
class _Ledger:
    """What was used so far."""

    spent: int = 0
    jobs: int = 0
    points: int = 0
    failures: int = 0
    seconds: float = 0.0


class _Saver:
    """Where, when and with which settings a run is saved."""

    def __init__(self, path: Path, period: float, settings: dict[str, Any]) -> None:
        if not path.parent.is_dir():
            raise ValueError(f"checkpoint = {str(path)!r}: its folder does not exist; create it.")
        self.path = path
        self.period = _positive("checkpoint_seconds", period, allow_zero=True)
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
        return time.monotonic() - self.last >= self.period

    def write(self, data: Mapping[str, Any]) -> None:
        checkpoints.save(self.path, {"settings": self.settings, **data})
        self.last = time.monotonic()


@dataclass
class _Run:
    """One run: the method, the oracle, and what happened so far."""

    method: Method
    oracle: Oracle
    limits: _Limits
    reserve: int
    callback: Callback | None
    saver: _Saver | None
    ledger: _Ledger = field(default_factory=_Ledger)
    history: History = field(default_factory=History)
    answer: Array = field(init=False)
    finished: Stop | None = None

    def __post_init__(self) -> None:
        self.answer = self.method.answer
        self.clock = time.monotonic()
        self.consistent = True
        self.warned = False

    def go(self) -> Result:
        """Generation by generation until something says stop; then the last estimate."""
        try:
            while self.finished is None:
                self.finished = self._generation()
        except KeyboardInterrupt:
            self.finished = Stop.INTERRUPTED
        stop = self.finished
        estimate = self._evaluate_answer(stop)
        if stop is not Stop.INTERRUPTED:
            self.finished = None  # a larger limit may go on from here
        self._save()
        return self._result(stop, estimate)

    def _generation(self) -> Stop | None:
        """One job; None to go on."""
        stop = self._exhausted()
        if stop is not None:
            return stop
        rng = self.method.state.rng
        before = rng.bit_generator.state
        batch = self.method.ask()
        cost = self.oracle.cost(len(batch.points), batch.shots)
        if self.ledger.spent + cost + self.reserve > self.limits.shots:
            self._forget(before)
            return Stop.BUDGET
        try:
            estimate = self._evaluate(batch)
        except BaseException as error:
            self._forget(before)
            self._save()
            if isinstance(error, OracleError):
                error.result = self._partial()
            if isinstance(error, OracleError) or not isinstance(error, Exception):
                raise
            raise self._failure(error, batch) from error
        self.consistent = False
        self.method.tell(estimate.values, estimate.variances)
        self.answer = self.method.answer
        value, uncertainty = self._record(batch, estimate)
        self.consistent = True
        if self.saver is not None and self.saver.due():
            self._save()
        return self._call_back(value, uncertainty)

    def _exhausted(self) -> Stop | None:
        limits, distribution = self.limits, self.method.state.distribution
        if limits.iterations is not None and distribution.generation >= limits.iterations:
            return Stop.ITERATIONS
        if limits.jobs is not None and self.ledger.jobs >= limits.jobs - 1:
            return Stop.JOBS
        if limits.seconds is not None and self._elapsed() >= limits.seconds:
            return Stop.SECONDS
        width = distribution.step_size * float(distribution.scales[-1])
        if width < _RESOLUTION * (1e-200 + float(np.abs(distribution.mean).max())):
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
        if self.warned or converged or (same_point and noiseless):
            return
        self.warned = True
        warnings.warn(
            f"All {len(batch.points)} values of a job are {value!r}: "
            f"{_ZERO_NOISE if same_point else _CONSTANT}.",
            ConstantLossWarning,
            stacklevel=2,
        )

    def _record(self, batch: Batch, estimate: Estimate) -> tuple[float, float]:
        """Add a row to the history; mean of the values and its standard error."""
        values = estimate.values[np.isfinite(estimate.values)]
        value = float(values.mean())
        spread = float(values.std(ddof=1)) if len(values) > 1 else math.nan
        state = self.method.state
        self.history.append(
            {
                "generation": float(state.distribution.generation),
                "points": float(len(batch.points)),
                "shots": float(batch.shots),
                "spent": float(self.ledger.spent),
                "value": value,
                "spread": spread,
                "step_size": state.distribution.step_size,
                "next_shots": state.shots,
                "condition": state.distribution.condition,
                **self.method.decision,
            }
        )
        return value, spread / math.sqrt(len(values))

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
        rows = 1 if self.oracle.reports_variances else _FINAL_ROWS
        left = self.limits.shots - self.ledger.spent
        if stop is not Stop.BUDGET:
            left = min(left, self.reserve)
        while rows > 1 and self.oracle.cost(rows, 1) > left:
            rows //= 2
        shots = _affordable(self.oracle, rows, left)
        if shots < 1:
            return math.nan, math.nan, math.nan
        try:
            estimate = self._evaluate(Batch(np.tile(self.answer, (rows, 1)), shots))
        except KeyboardInterrupt:  # a second one: the user wants out now
            return math.nan, math.nan, math.nan
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
        return self._result(Stop.FAILED, (math.nan, math.nan, math.nan))

    def _forget(self, generator_state: Any) -> None:
        """Undo an ask, so that the next one gives the same batch."""
        self.method.state.rng.bit_generator.state = generator_state
        self.method.state.waiting = 0

    def _elapsed(self) -> float:
        return self.ledger.seconds + time.monotonic() - self.clock

    def _save(self) -> None:
        if self.saver is None or not self.consistent:
            return
        self.ledger.seconds, self.clock = self._elapsed(), time.monotonic()
        self.saver.write(
            {
                "method": self.method.state,
                "oracle": self.oracle.state,
                "ledger": self.ledger,
                "history": self.history.to_dict(),
            }
        )

    def load(self, data: Mapping[str, Any]) -> None:
        """Go on from a checkpoint."""
        self.method.restore(checkpoints.rebuild(self.method.state, data["method"]))
        self.ledger = checkpoints.rebuild(self.ledger, data["ledger"])
        self.history = History.from_dict(data["history"])
        self.oracle.state = data["oracle"]
        self.answer = self.method.answer


def _check_space(x0: ArrayLike, bounds: Any, periodic: Any) -> tuple[Array, Domain]:
    try:
        point = np.array(x0, dtype=float)
    except (TypeError, ValueError) as error:
        raise ValueError(f"x0 must be a sequence of numbers, not {x0!r}.") from error
    if point.ndim != 1 or len(point) == 0:
        raise ValueError(f"x0 must be one-dimensional and not empty, not of shape {point.shape}.")
    if not np.isfinite(point).all():
        raise ValueError(f"x0 must be finite, not {point.tolist()}.")
    domain = make_domain(len(point), bounds, periodic)
    return check_start(point, domain), domain


def _check_budget(method: Method, oracle: Oracle, max_shots: int, reserve: int) -> None:
    first = sum(oracle.cost(points, shots) for points, shots in method.first_jobs())
    if first + reserve > max_shots:
        raise ValueError(
            f"max_shots = {max_shots} is too small for one generation of {method.name!r}, which "
            f"takes up to {first} shots, and {reserve} for the last estimate of the answer; give "
            f"at least {first + reserve}, or lower popsize or shots."
        )


def _settings(method: str, setup: Setup, limits: _Limits, seed: Any) -> dict[str, Any]:
    """What must be the same when a run is resumed."""
    return {
        "method": method,
        "x0": setup.mean,
        "sigma0": setup.step_size,
        "lower bounds": setup.domain.lower,
        "upper bounds": setup.domain.upper,
        "periods": setup.domain.periods,
        "popsize": setup.popsize,
        "max_shots": limits.shots,
        "shots": setup.shots,
        "min_shots": setup.min_shots,
        "overhead": setup.overhead,
        "tau": setup.noise,
        "seed": seed if isinstance(seed, int) else None,
    }


def _same(left: Any, right: Any) -> bool:
    if left is None or right is None:
        return left is right
    return bool(np.array_equal(left, right))


def _default_step(domain: Domain) -> float:
    widest = domain.widest()
    return 0.1 * (2 * math.pi if widest is None else widest)


def _affordable(oracle: Oracle, points: int, limit: int) -> int:
    """The most shots at which a batch costs no more than ``limit``; 0 if none."""
    low, high = 0, max(limit // max(points, 1), 0) + 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if oracle.cost(points, middle) <= limit else (low, middle)
    return low


def _whole(name: str, value: Any, least: int) -> int:
    whole = isinstance(value, int | np.integer) or (isinstance(value, float) and value.is_integer())
    if isinstance(value, bool) or not whole or value < least:
        raise ValueError(f"{name} must be a whole number >= {least}, not {value!r}.")
    return int(value)


def _positive(name: str, value: Any, allow_zero: bool = False) -> float:
    number = isinstance(value, int | float | np.integer | np.floating)
    if isinstance(value, bool) or not number or not math.isfinite(value) or value < 0:
        number = False
    if not number or (value == 0 and not allow_zero):
        least = ">= 0" if allow_zero else "> 0"
        raise ValueError(f"{name} must be a finite number {least}, not {value!r}.")
    return float(value)
