"""The loss of a variational algorithm as an oracle: its ``fun``, and the primitives behind it."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager, nullcontext
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from qiskit.primitives.containers.sampler_pub import SamplerPub

from qiskit_arcmaes.oracles import (
    Estimate,
    GroupEstimate,
    MeasurementPlan,
    NotPlainError,
    Oracle,
    OracleError,
    Price,
)
from qiskit_arcmaes.oracles.returned import as_number, as_reals
from qiskit_arcmaes.primitives.calls import Threads, call_off, settle, under_way
from qiskit_arcmaes.primitives.circuit_frequencies import read_frequencies
from qiskit_arcmaes.primitives.control import ShotControl
from qiskit_arcmaes.primitives.counts_check import CountsCheck, taped
from qiskit_arcmaes.primitives.deliveries import Delivery
from qiskit_arcmaes.primitives.dry_runs import dry_run
from qiskit_arcmaes.primitives.engines import GroupEngine, Outcome
from qiskit_arcmaes.primitives.forward_pass import forget_forward_pass
from qiskit_arcmaes.primitives.gathering import gather
from qiskit_arcmaes.primitives.group_task import check_plan
from qiskit_arcmaes.primitives.loss_checks import (
    count_values,
    may_transform,
    raise_original,
    refuse_constant,
    refuse_hidden_jobs,
    reshape,
    takes_batches,
)
from qiskit_arcmaes.primitives.loss_circuit import read_loss
from qiskit_arcmaes.primitives.nonlinear_losses import UNKNOWN_LOSS_SHOTS, fewest_shots
from qiskit_arcmaes.primitives.plain_losses import is_estimated_energy
from qiskit_arcmaes.primitives.plain_proof import PlainProof
from qiskit_arcmaes.primitives.recording import Recording, causes
from qiskit_arcmaes.primitives.uncounted import only, others_than

Array = NDArray[np.float64]


class PrimitiveOracle(Oracle):
    """Evaluates ``fun`` with the shots of its primitives set, and counts by their ledgers.

    What a job costs is learned from dry runs: the primitives record what would run without running
    it, and ``fun`` is left before it returns, so that nothing is charged and no callback is called.
    Two of them, at one shot and at two, for every number of points: a job may have circuits that
    calibrate it, and circuits whose shots the algorithm has fixed.

    Dry runs also show the circuit. Where ``fun`` asks an estimator for one expectation value per
    point, ``spectra``, ``mean_loss`` and ``circuit`` are read from it, and it remains to be proved
    that ``fun`` returns that value as it is: that is looked at in every evaluation. Where it does
    not, all three become None, with a warning. On a sampler ``spectra`` are read for SamplingVQE
    and QAOA without CVaR, and for losses of the counts of one circuit that are means over shots.

    Args:
        fun: The loss: takes a (k, d) array and returns k values, as the losses of VQE, QAOA and
            their kin do, or takes a point of shape (d,) and returns a number.
        primitives: The shot-controlled primitives that ``fun`` runs on; VQD has two.
        x0: A point to try, shape (d,).
        vectorized: Whether ``fun`` takes (k, d) arrays. None finds out: by a dry run, and, where
            ``fun`` is not one of Qiskit's algorithms, by evaluating two points with the fewest
            shots before the first job, which the price of that job includes.

    Attributes:
        delivered: What each primitive delivered in the last evaluation.

    Raises:
        ValueError: ``fun`` does not use the primitives, or there is nothing to optimise.

    Example:
        >>> from qiskit.circuit.library import real_amplitudes
        >>> from qiskit_arcmaes import ShotEstimator
        >>> estimator, ansatz = ShotEstimator(seed=1), real_amplitudes(2, reps=1)
        >>> def fun(points):
        ...     return estimator.run([(ansatz, "ZZ", points)]).result()[0].data.evs
        >>> oracle = PrimitiveOracle(fun, [estimator], [0.0] * 4, vectorized=True)
        >>> oracle.price(5).at(100), oracle.spent
        (500, 0)
        >>> oracle.evaluate([[0.0] * 4] * 5, shots=100).values, oracle.spent
        (array([1., 1., 1., 1., 1.]), 500)
    """

    few_jobs = True

    def __init__(
        self,
        fun: Callable[[Any], Any],
        primitives: Sequence[ShotControl],
        x0: ArrayLike,
        vectorized: bool | None = None,
    ) -> None:
        self.fun = fun
        self.primitives = tuple(primitives)
        fewest = fewest_shots(fun)
        self.angles = fewest == 1  # other losses are no polynomials of sines, nor means of shots
        self.min_shots = max(fewest, *(one.min_shots for one in self.primitives))
        self.overhead = max(primitive.overhead for primitive in self.primitives)
        self.vectorized = vectorized
        self._x0 = np.array(x0, dtype=float)
        self._prices: dict[int, Price] = {}
        self._others: list[tuple[ShotControl, int]] = []  # to be watched in the first job
        self.delivered: list[list[Delivery]] = []
        self._there: list[threading.Thread] | None = None  # threads when an evaluation began
        self._counts: CountsCheck | None = None
        one = self._dry_run(self._x0, 1)
        refuse_constant(one)
        self.reports_variances = (
            len(one) == 1
            and count_values(one[0]) == 1  # a loss out of several estimates has another variance
            and self.primitives[0].reports_variances
        )
        if vectorized is None:
            self.vectorized = self._looks_vectorized(one)
        self._confirmed = vectorized is not None or takes_batches(fun) or not self.vectorized
        if not self.price(1).per_shot:
            raise ValueError(
                "every job of fun has its own precision or shots, which the optimizer cannot "
                "change; leave them out, so that the primitive's shots decide."
            )
        self._proof: PlainProof | None = None
        self._read_circuit()
        if fewest == 1 and not takes_batches(fun) and may_transform(one):
            self.advised_shots = UNKNOWN_LOSS_SHOTS
            self._counts = CountsCheck(fun, self.primitives)

    @contextmanager
    def session(self) -> Iterator[None]:
        """Hold the primitives for one run, and give them their shots back after it.

        What runs after the optimizer, as auxiliary operators do, gets the user's shots.
        """
        with ExitStack() as stack:
            for primitive in self.primitives:
                stack.enter_context(primitive.leased())
                stack.callback(setattr, primitive, "shots", primitive.shots)
            self._others = [(other, other.ledger.shots) for other in others_than(self.primitives)]
            yield

    @property
    def spent(self) -> int:
        """All shots in the ledgers of the primitives."""
        return sum([primitive.ledger.shots for primitive in self.primitives])

    def evaluate(self, points: ArrayLike, shots: int) -> Estimate:
        """Call ``fun``, at once when it takes arrays, otherwise at each point: one job."""
        array = np.array(points, dtype=float, ndmin=2)
        most = self.spent + self.price(len(array)).at(shots)
        outcomes: list[Outcome] = []
        with self._evaluation(), only(self.primitives) if self._others else nullcontext():
            if not self._confirmed:
                self._confirm(array)
            for primitive in self.primitives:
                primitive.impose(shots)
            if self.vectorized:
                looked_at = self._counts is not None and self._counts.pending
                try:
                    with taped(self.primitives, outcomes) if looked_at else nullcontext():
                        values = self.fun(array.copy())
                    if not isinstance(values, np.ndarray) or values.dtype != float:
                        values = as_reals(values)
                except Exception as error:
                    raise_original(error)
                if values.shape != (len(array),):
                    values = reshape(values, array)
                estimate = Estimate(values, self._variances(len(array)))
            else:
                estimate = self._evaluate_each(array, outcomes)
        if (excess := self.spent - most) > 0:
            refuse_hidden_jobs(excess)
        self._check_delivered(array, estimate.values)
        self.delivered = [one.deliveries for one in self.primitives]
        if self._others:
            self._refuse_others()
        if self._counts is not None and self._counts.pending:
            values = estimate.values
            argument, value = (array, values) if self.vectorized else (array[0], values[0])
            with self._evaluation():
                self._counts.look(argument, value, outcomes, shots)
        return estimate

    def call_off(self, spent: int) -> bool:
        """Call off the job under way, threads that ``fun`` has started included."""
        threads = None if self._there is None else Threads(self._there)
        return call_off(self.primitives, threads, spent)

    def price(self, n: int) -> Price:
        """What a job of ``n`` points takes at the most.

        It falls after the first job, which may include a check of an unknown primitive's seed, and
        the evaluation that finds out whether ``fun`` takes arrays.
        """
        price = self._price(n)
        extra = sum([primitive.seed_check_shots for primitive in self.primitives])
        if not self._confirmed:
            extra += self._price(2).at(self.min_shots)
        return Price(price.fixed + extra, price.per_shot) if extra else price

    def measure(self, plan: MeasurementPlan) -> GroupEstimate:
        """Measure groups of the observable on the primitive, around ``fun``.

        Before the first plan ``fun`` is evaluated at three points of it with the fewest shots.

        Raises:
            NotPlainError: ``fun`` does not return what its estimator delivers; ``circuit``,
                ``spectra`` and ``mean_loss`` are None from now on.
        """
        engine, proof = self._group_engine()
        check_plan(plan, proof.loss.circuit)
        missing = proof.missing(plan)
        if len(missing):
            self.evaluate(missing, self.min_shots)
            engine, proof = self._group_engine()
        with under_way(self.primitives[0]) as account:
            return engine.measure(proof.loss.task(plan), account)

    def price_plan(self, plan: MeasurementPlan) -> int:
        """Shots that ``measure`` takes: exact, the evaluations before the first plan included.

        Only where these also have to find out whether ``fun`` takes arrays it is an upper bound.
        """
        engine, proof = self._group_engine()
        check_plan(plan, proof.loss.circuit)
        missing = len(proof.missing(plan))
        before = self.price(missing).at(self.min_shots) if missing else 0
        return before + engine.group_cost(proof.loss.task(plan)).shots

    @property
    def state(self) -> dict[str, Any]:
        """The states of the primitives, and what is known of ``fun``."""
        return {
            "primitives": [one.state for one in self.primitives],
            "vectorized": self.vectorized if self._confirmed else None,
            "proof": None if self._proof is None else self._proof.state,
        }

    @state.setter
    def state(self, state: Mapping[str, Any]) -> None:
        for primitive, saved in zip(self.primitives, state["primitives"], strict=True):
            shots = primitive.shots  # the user's, not those of the job before which it was saved
            primitive.state = saved
            primitive.shots = shots
        if state["vectorized"] is not None:
            self.vectorized, self._confirmed = bool(state["vectorized"]), True
        if self._proof is not None and state["proof"] is not None:
            self._proof.state = state["proof"]
            if self._proof.refuted:
                self._forget_circuit()

    def undo(self, state: Mapping[str, Any]) -> None:
        """Go back to the state before a failed job; what failed stays counted in the ledgers."""
        failures = [primitive.ledger.failures for primitive in self.primitives]
        self.state = dict(state)
        for primitive, count in zip(self.primitives, failures, strict=True):
            primitive.ledger.failures = count

    @contextmanager
    def _evaluation(self) -> Iterator[None]:
        """Where it is left early, no thread of ``fun`` does anything to the primitives any more."""
        self._there = there = threading.enumerate()
        try:
            yield
        except BaseException as error:
            interrupted = not isinstance(error, Exception)
            call_off(self.primitives, Threads(there) if interrupted else None)
            settle(self.primitives)
            raise
        finally:
            self._there = None

    def _read_circuit(self) -> None:
        """Set what the circuit tells; a loss of two primitives is no plain expectation value."""
        if len(self.primitives) == 1:
            self._read_expectation()
        if self.spectra is not None:
            self.circuit_frequencies = np.array([one.maximum for one in self.spectra])
        else:
            self.circuit_frequencies = read_frequencies(
                lambda point: self._dry_run(point, 1)[0].pubs, self._x0
            )

    def _read_expectation(self) -> None:
        engine = self.primitives[0].group_engine
        known = read_loss(
            self.fun,
            self._pubs,
            self._x0,
            is_mean=self._is_mean if self.angles and not takes_batches(self.fun) else None,
            exact_evolutions=self.primitives[0].may_evolve_exactly,
            equal_shots=engine is not None and engine.equal_shots,
        )
        if known.measurable is None:
            self.spectra = known.spectra
        elif engine is not None or is_estimated_energy(self.fun):
            self.spectra, self.mean_loss = known.spectra, known.mean_loss
            self._proof = PlainProof(known.measurable)
            self.circuit = None if engine is None else known.measurable.circuit

    def _is_mean(self, pub: SamplerPub) -> bool:
        argument = self._x0[None] if self.vectorized else self._x0
        return CountsCheck(self.fun, self.primitives).is_mean(argument, pub)

    def _pubs(self, points: Array) -> list[Any]:
        """What ``fun`` would run at some points."""
        if self.vectorized:
            return self._dry_run(points, 1)[0].pubs
        return [pub for point in points for pub in self._dry_run(point, 1)[0].pubs]

    def _check_delivered(self, points: Array, values: Array) -> None:
        """Warn once where a loss is not the expectation value that it was taken for."""
        if self._proof is None or self._proof.refuted:
            return
        self._proof.check(points, values, self.primitives[0].deliveries)
        if self._proof.refuted:
            self._forget_circuit()
            warnings.warn(
                "fun returned other values than its estimator delivered, so what was read from "
                "its circuit is not used any more: frequencies, and shots for each measurement "
                "group. Return the estimator's values as they are to have it back; factors and "
                "constants can be part of the observable. Where fun is not linear in them, say "
                "min_shots=16 or more: few shots make another loss of it.",
                stacklevel=3,
            )

    def _forget_circuit(self) -> None:
        self.spectra = self.mean_loss = self.circuit = None

    def _group_engine(self) -> tuple[GroupEngine, PlainProof]:
        """What serves plans, and what they rely on."""
        engine, proof = self.primitives[0].group_engine, self._proof
        if engine is None or proof is None:
            raise NotImplementedError("the loss has no circuit that could be measured by group.")
        if proof.refuted:
            raise NotPlainError("fun does not return what its estimator delivers.")
        return engine, proof

    def _variances(self, points: int) -> Array | None:
        """The variances of the last job, where each of its values is one of ``fun``'s."""
        reported = self.primitives[0].last_variances if self.reports_variances else None
        return reported if reported is not None and len(reported) == points else None

    def _refuse_others(self) -> None:
        """After the first job: refuse a loss that also ran on a primitive that is not counted."""
        for other, shots in self._others:
            if other.ledger.shots != shots:
                raise OracleError(
                    f"fun also ran {other.ledger.shots - shots:,} shots on a "
                    f"{type(other).__name__} that max_shots does not count; name all primitives, "
                    "as in ShotFrugal(max_shots, primitive=[estimator, sampler]), and let fun "
                    "submit to all of them before it asks for a result."
                )
        self._others = []

    def _evaluate_each(self, points: Array, outcomes: list[Outcome]) -> Estimate:
        """Call ``fun`` at each point; what the calls submit is joined into one job.

        What the primitives deliver to the first call is kept.
        """
        values, variances = np.empty(len(points)), np.empty(len(points))
        forget_forward_pass(self.fun)
        calls = [partial(self.fun, point.copy()) for point in points]
        try:
            with closing(gather(calls, self.primitives, outcomes)) as delivered:
                for row, value in delivered:
                    values[row] = as_number(value)
                    reported = self._variances(1)
                    variances[row] = np.nan if reported is None else reported[0]
        except Exception as error:
            raise_original(error)
        return Estimate(values, None if np.isnan(variances).any() else variances)

    def _confirm(self, points: Array) -> None:
        """Evaluate two points with few shots: a dry run does not show what ``fun`` returns."""
        for primitive in self.primitives:
            primitive.impose(self.min_shots)
        probe = np.resize(points, (2, points.shape[1]))
        try:
            self.vectorized = np.shape(self.fun(probe)) == (2,)
        except Exception as error:  # any failure of fun on two points means: made for one
            if any(isinstance(cause, OracleError) for cause in causes(error)):
                raise_original(error)
            self.vectorized = False
        self._confirmed = True
        self._prices.clear()

    def _price(self, n: int) -> Price:
        """What a job takes once everything is known."""
        if not self.vectorized:
            single = self._prices.get(1) or self._estimate_cost(self._x0)
            self._prices[1] = single
            return Price(n * single.fixed, n * single.per_shot)
        if n not in self._prices:
            self._prices[n] = self._estimate_cost(np.tile(self._x0, (n, 1)))
        return self._prices[n]

    def _estimate_cost(self, argument: Array) -> Price:
        """The straight line through what one shot and two shots would be charged."""
        one, two = (
            sum([record.shots for record in self._dry_run(argument, shots)]) for shots in (1, 2)
        )
        return Price(2 * one - two, two - one)

    def _looks_vectorized(self, one: list[Recording]) -> bool:
        """Whether a dry run with two points asks for twice as much as one with one."""
        try:
            two = self._dry_run(np.tile(self._x0, (2, 1)), 1)
        except Exception:  # any failure on two points means: made for one
            return False
        return sum([r.points for r in two]) == 2 * sum([r.points for r in one])

    def _dry_run(self, argument: Array, shots: int) -> list[Recording]:
        return dry_run(self.fun, self.primitives, argument, shots)
