"""One run: a method, an oracle, a budget, and at every moment what was spent."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qiskit_arcmaes.engine import checkpoint
from qiskit_arcmaes.engine.constant_loss import warn_if_constant
from qiskit_arcmaes.engine.final import FinalEstimate, choose_rows, conclude, final_batch, pool
from qiskit_arcmaes.engine.final_plan import FinalPlan
from qiskit_arcmaes.engine.finite import MOST_FAILED_JOBS, FiniteRecord
from qiskit_arcmaes.engine.history import COMMON, History
from qiskit_arcmaes.engine.interrupts import Interrupts
from qiskit_arcmaes.engine.ledger import Limits, RunLedger
from qiskit_arcmaes.engine.logs import log_end, log_job
from qiskit_arcmaes.engine.result import Result, Stop
from qiskit_arcmaes.engine.rows import make_row
from qiskit_arcmaes.engine.saver import Saver
from qiskit_arcmaes.engine.summary import own_value, summarise
from qiskit_arcmaes.engine.targets import Targets
from qiskit_arcmaes.method import Batch, Method
from qiskit_arcmaes.oracles import Estimate, GroupEstimate, NotPlainError, Oracle, OracleError
from qiskit_arcmaes.oracles.checks import check_charge, check_job, check_measurement
from qiskit_arcmaes.settings import Callback

Array = NDArray[np.float64]
Answer = Estimate | GroupEstimate | NotPlainError

RESOLUTION = 1e-15  # relative radius below which floating-point numbers resolve no step


@dataclass
class Run:
    """One run: the method, the oracle, and what happened so far.

    Attributes:
        name: The name of the method that was asked for.
        method: What proposes jobs.
        oracle: What evaluates them.
        limits: What the run may use.
        reserve: Shots kept for the last estimate of the recommendation.
        targets: What is good enough.
        saver: Where the run is saved, or None.
        callback: Called after each job, or None.
        raises: Whether KeyboardInterrupt is raised, instead of the result being returned.
        ledger: What the run has used.
        history: One row per job.
        stop: Why the run ended; None while it goes on.
        finite: Where the loss was finite last.
    """

    name: str
    method: Method
    oracle: Oracle
    limits: Limits
    reserve: int
    targets: Targets = field(default_factory=Targets)
    saver: Saver | None = None
    callback: Callback | None = None
    raises: bool = False
    ledger: RunLedger = field(default_factory=RunLedger)
    history: History = field(default_factory=History)
    stop: Stop | None = None
    finite: FiniteRecord = field(default_factory=FiniteRecord)

    def __post_init__(self) -> None:
        self.progress = self.method.report()
        self._clock = time.monotonic()
        self._spent_before = self.ledger.spent - self.oracle.spent  # oracles may have served before
        self._warned = False
        self._price = 0  # of the batch that was asked last
        self._generator_state: Any = None  # before the batch that was asked last
        self._final: FinalEstimate | None = None  # the last estimate, once it is made
        self._final_plan = FinalPlan(self.oracle, self.limits, self.reserve, self.targets.std)
        self._interrupts = Interrupts(self._call_off)

    def run(self) -> Result:
        """Job by job until something says stop; then the last estimate."""
        with self._interrupts, self.oracle.session():
            self._spent_before = self.ledger.spent - self.oracle.spent  # it is ours only from here
            try:
                while (batch := self.ask()) is not None:
                    self.tell(batch, self.evaluate(batch))
                self._interrupts.raise_pending()
                result = self.finish()
                if self.raises:  # Ctrl-C while the last estimate was saved
                    self._interrupts.raise_pending()
                return result
            except KeyboardInterrupt as interrupt:
                return self._interrupted(interrupt)
            except BaseException as error:
                self._attach_result(error)
                raise

    def ask(self) -> Batch | None:
        """The next job, or None when the run is over; ``stop`` then says why."""
        reached = self.targets.reached(self.history, self.limits.shots)
        self.stop = self.stop or reached or self._exhausted()
        if self.stop is not None:
            return None
        self._generator_state = self.method.state.rng.bit_generator.state
        batch = self.method.ask()
        self._price = self._price_of(batch)
        if (
            self.ledger.spent + self._price + self._final_plan.kept(self.ledger)
            <= self.limits.shots
        ):
            return batch
        self._undo_ask()
        self.stop = Stop.BUDGET
        return None

    def evaluate(self, batch: Batch) -> Answer:
        """Run a job, charge it, check its estimate; a failure leaves the run as it was.

        Returns:
            The estimate, by group where the batch has a plan; or the NotPlainError that ends
            planned measurement.
        """
        with self._undone_on_failure(batch):
            oracle, before = self.oracle, self.ledger.spent
            saved = None if self.saver is None else oracle.state
            estimate: Any = None
            self._interrupts.raised = False
            try:
                self._interrupts.allowed = True  # first, so that no interrupt falls between the two
                self._interrupts.raise_pending()
                if batch.plan is None:
                    estimate = oracle.evaluate(batch.points.copy(), batch.shots)
                else:
                    estimate = oracle.measure(replace(batch.plan, points=batch.points.copy()))
            except NotPlainError as error:
                estimate = error
            except BaseException as error:
                if estimate is None or not isinstance(error, KeyboardInterrupt):
                    self._undo_job(saved)
                    if self._interrupts.raised and isinstance(error, Exception):
                        raise KeyboardInterrupt from error  # what a library made of it
                    raise
                self._interrupts.postpone()  # the job is paid for: learn from it first
            else:
                if self._interrupts.raised:  # a library has swallowed it
                    self._interrupts.postpone()
            finally:
                self._interrupts.allowed = False
                self.ledger.spent = self._spent_before + oracle.spent
                self.ledger.jobs += 1
            return self._check(batch, estimate, self.ledger.spent - before)

    def tell(self, batch: Batch, answer: Answer) -> None:
        """Learn from an answer, keep the history, save, call back."""
        self._final = None
        if isinstance(answer, Estimate):
            self.method.tell(batch, answer)
        elif isinstance(answer, GroupEstimate):
            self.method.tell_groups(batch, answer)
        if not isinstance(answer, NotPlainError):
            self.finite = self.finite.after(batch, answer)
        if isinstance(answer, NotPlainError) or self._is_refuted:
            self.method.forget_plans()
        self._generator_state = None
        self.progress = self.method.report()
        row = make_row(batch, answer, self.progress, self.ledger.spent)
        self.history.append(row)
        log_job(self, batch, row["value"], row["value_std"])
        if self.saver is not None and self.saver.due:
            self._save()
        if self.callback is not None and self._wants_stop(row["value"], row["value_std"]):
            self.stop = Stop.CALLBACK

    def finish(self) -> Result:
        """Estimate the recommendation afresh, save, and sum up.

        A run that ``max_seconds`` ended and that can be resumed is not over: its last estimate is
        measured once, when it is.
        """
        stop = self.stop or Stop.STEPWISE
        goes_on = stop is Stop.SECONDS and self.saver is not None
        try:
            while not goes_on and (
                budget := self._final_plan.next_budget(self._final, self.ledger, stop)
            ):
                self._estimate_recommendation(budget)
        except OracleError as error:
            self._save()
            cause = error.__cause__ or error
            failure = OracleError(
                f"the last estimate of the recommendation failed with {cause!r}; the "
                "recommendation stands in this error's result.x.",
                self.recommendation,
            )
            failure.result = self._result(Stop.FAILED)
            raise failure from cause
        self._save()
        measured = self._final and pool(self._final, self._known_value())
        result = self._result(stop, measured)
        log_end(result)
        return result

    @property
    def recommendation(self) -> Array:
        """The point to return now, shape (d,): the method's unless the loss is not finite there."""
        finite = self.finite
        if finite.stands_in and finite.point is not None:
            return finite.point
        return self.method.recommendation

    def load(self, data: Mapping[str, Any]) -> None:
        """Go on from a checkpoint."""
        self.method.restore(checkpoint.rebuild(type(self.method.state), data["method"]))
        self.ledger = checkpoint.rebuild(RunLedger, data["ledger"])
        self.history = History.from_dict(data["history"])
        self._final = checkpoint.rebuild(FinalEstimate | None, data["final"])
        saved = checkpoint.rebuild(FiniteRecord | None, data.get("finite"))
        self.finite = saved or FiniteRecord()
        self.progress = self.method.report()
        if self.recommendation.shape != self.method.setup.start.shape:
            raise ValueError(f"its point has shape {self.recommendation.shape}")
        if set(self.history.columns) not in (set(), {*COMMON, *self.method.columns}):
            raise ValueError(f"its history has the columns {', '.join(self.history.columns)}")
        self.oracle.state = data["oracle"]  # last: a checkpoint that is refused changes no oracle
        self._spent_before = self.ledger.spent - self.oracle.spent

    @property
    def _is_refuted(self) -> bool:
        """Whether the oracle found out that the loss is not its circuit's plain value."""
        return self.oracle.circuit is None and self.method.setup.circuit is not None

    def _interrupted(self, interrupt: KeyboardInterrupt) -> Result:
        """No further job: the user wants out, and the next job may take an hour."""
        self._undo_ask()
        self._save()
        result = self._result(Stop.INTERRUPTED)
        log_end(result)
        if self.raises:
            interrupt.result = result  # type: ignore[attr-defined]
            raise interrupt
        return result

    def _exhausted(self) -> Stop | None:
        limits, progress = self.limits, self.progress
        searched = self.ledger.jobs - (0 if self._final is None else self._final.jobs)
        if limits.iterations is not None and progress.iteration >= limits.iterations:
            return Stop.ITERATIONS
        if limits.jobs is not None and searched >= limits.jobs - 1:
            return Stop.JOBS
        if self.method.finished:
            return Stop.BUDGET
        if limits.seconds is not None and self._elapsed() >= limits.seconds:
            return Stop.SECONDS
        if progress.radius < RESOLUTION * (1e-200 + float(np.abs(self.recommendation).max())):
            return Stop.COLLAPSED
        return None

    @contextmanager
    def _undone_on_failure(self, batch: Batch) -> Iterator[None]:
        """If a job fails, save the run as it was before it; the error carries the run so far."""
        try:
            yield
        except BaseException as error:
            self._undo_ask()
            self._save()
            if isinstance(error, OracleError):
                error.result = self._result(Stop.FAILED)
            elif isinstance(error, Exception):
                raise self._failure(error, batch) from error
            raise

    def _attach_result(self, error: BaseException) -> None:
        """Let an error carry the run so far: what was paid for is never lost."""
        if getattr(error, "result", None) is None:
            with suppress(Exception):  # a method that failed while it learned may not even report
                error.result = self._result(Stop.ERROR)  # type: ignore[attr-defined]

    def _price_of(self, batch: Batch) -> int:
        if batch.plan is not None:
            return self.oracle.price_plan(batch.plan)
        return self.oracle.price(len(batch.points)).at(batch.shots)

    def _check(self, batch: Batch, answer: Any, charged: int) -> Answer:
        """Check what the oracle returned and charged; count what failed."""
        self.ledger.points += len(batch.points)
        if isinstance(answer, NotPlainError):
            check_charge(charged, self._price)
            return answer
        if batch.plan is not None:
            measured = check_measurement(answer, batch.plan, charged, self._price)
            self.ledger.failures += measured.failures
            return measured
        return self._check_estimate(batch, answer, charged)

    def _check_estimate(self, batch: Batch, answer: Any, charged: int) -> Estimate:
        oracle, count = self.oracle, len(batch.points)
        estimate = check_job(answer, count, oracle.reports_variances, charged, self._price)
        values = estimate.values
        if self.targets.std is not None and estimate.variances is not None:
            self.ledger.shot_variance = batch.shots * float(np.mean(estimate.variances))
        finite = int(np.isfinite(values).sum())
        self.ledger.failures += max(count - finite, estimate.failures)
        if finite == 0:
            self._refuse_failed_jobs(count)
        if not self._warned and count > 1 and values[0] == values[1]:
            noiseless = self.method.setup.noise == 0 or oracle.reports_variances
            first = self.progress.iteration == 0
            self._warned = warn_if_constant(batch, values, noiseless, first)
        return estimate

    def _refuse_failed_jobs(self, count: int) -> None:
        """Raise unless it is likely that only this job fell where the loss is not finite."""
        before = self.finite.failed_jobs
        if self.finite.point is None or before + 1 >= MOST_FAILED_JOBS:
            many = f", and so are those of {before} jobs before it" if before else ""
            raise OracleError(f"all {count} values of a job are NaN or infinite{many}.")

    def _is_paid(self) -> bool:
        """Whether the oracle has charged shots of a job that is not counted yet."""
        return self._spent_before + self.oracle.spent != self.ledger.spent

    def _call_off(self) -> bool:
        """Let the present job end here, unless shots of it are charged."""
        return self.oracle.call_off(self.ledger.spent - self._spent_before)

    def _undo_job(self, state: Any) -> None:
        """Forget a job that ended before its first shot: it is run again on resume."""
        if not self._is_paid():
            self.ledger.jobs -= 1
            if state is not None:
                self.oracle.undo(state)

    def _wants_stop(self, value: float, std: float) -> bool:
        assert self.callback is not None
        x, ledger = self.recommendation.copy(), self.ledger
        try:
            self._interrupts.allowed = True
            answer = self.callback(ledger.points, x, value, std, ledger.spent)
        except StopIteration:
            return True
        except BaseException:
            self._interrupts.allowed = False
            self._save()  # the job before it is paid for and learned from
            raise
        finally:
            self._interrupts.allowed = False
        return isinstance(answer, bool | np.bool_) and bool(answer)

    def _estimate_recommendation(self, budget: int) -> None:
        """One job of the last estimate."""
        finite = self.finite
        doubted = self.ledger.failures > 0 and self._final is None and not finite.stands_in
        batch = final_batch(
            self.oracle, self.recommendation, budget, finite.point if doubted else None
        )
        self._price = self._price_of(batch)
        answer = self.evaluate(batch)
        assert isinstance(answer, Estimate)  # the batch has no plan
        estimate, failed = choose_rows(batch, answer)
        self.finite = replace(finite, adopted=finite.adopted or failed)
        fresh = conclude(estimate, self.oracle.reports_variances)
        self.ledger.shot_variance = fresh.std**2 * len(estimate.values) * batch.shots
        before = self._final
        pooled = fresh if before is None else pool(before, fresh)
        self._final = replace(pooled, jobs=1 if before is None else before.jobs + 1)

    def _known_value(self) -> FinalEstimate | None:
        """What the method has measured at the recommendation, besides the last estimate."""
        known = self.method.final_value()
        if known is None or self.finite.stands_in:
            return None
        return FinalEstimate(known[0], math.sqrt(known[1]), math.inf)

    def _result(self, stop: Stop, final: FinalEstimate | None = None) -> Result:
        """The run so far; without a last estimate with the method's own value."""
        return summarise(self, stop, final or own_value(self), self._elapsed())

    def _failure(self, error: Exception, batch: Batch) -> OracleError:
        """The oracle's error with the point that caused it, and with the run so far."""
        where = f"a batch of {len(batch.points)} points that begins with"
        failure = OracleError(
            f"the oracle raised {error!r} on {where} x = {batch.points[0].tolist()}.",
            batch.points[0],
        )
        failure.result = self._result(Stop.FAILED)
        return failure

    def _undo_ask(self) -> None:
        """Set the generator back, so that the next ``ask`` gives the same batch."""
        if self._generator_state is not None:
            self.method.state.rng.bit_generator.state = self._generator_state
            self._generator_state = None

    def _elapsed(self) -> float:
        return self.ledger.seconds + time.monotonic() - self._clock

    def _save(self) -> None:
        if self.saver is None:
            return
        self.ledger.seconds, self._clock = self._elapsed(), time.monotonic()
        self.saver.write(
            {
                "method": self.method.state,
                "oracle": self.oracle.state,
                "ledger": self.ledger,
                "history": self.history.to_dict(),
                "final": self._final,
                "finite": self.finite,
            }
        )
