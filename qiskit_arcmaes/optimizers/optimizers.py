"""The optimizers as Qiskit knows them: drop-ins for VQE, QAOA and their kin."""

from __future__ import annotations

import inspect
import os
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from qiskit_algorithms.optimizers import OptimizerSupportLevel
from qiskit_algorithms.optimizers.steppable_optimizer import (
    OptimizerState,
    SteppableOptimizer,
    TellData,
)

from qiskit_arcmaes.api import prepare, whole_number
from qiskit_arcmaes.engine.markup import table
from qiskit_arcmaes.engine.progress import watched
from qiskit_arcmaes.engine.run import Callback, Run
from qiskit_arcmaes.optimizers.data import ShotAskData, ShotOptimizerResult, ShotTellData
from qiskit_arcmaes.oracles import Estimate, ExternalOracle, Oracle, as_oracle
from qiskit_arcmaes.primitives.control import ShotControl
from qiskit_arcmaes.primitives.oracle import PrimitiveOracle
from qiskit_arcmaes.registry import Batch
from qiskit_arcmaes.strategies.cma import default_popsize

Array = NDArray[np.float64]
TerminationChecker = Callable[[int, Array, float, float, bool], bool]

MOST_JOBS = 1000  # the first M with a primitive: so many generations at it would use the budget


class ShotOptimizer(SteppableOptimizer):
    """What the six optimizers share.

    Args:
        max_shots: Budget of one ``minimize``. Everything counts: points x measurement bases x
            shots, the measurement of the noise, the last estimate of the answer. Never exceeded.
        primitive: The ``ShotEstimator`` or ``ShotSampler`` that the algorithm runs on, the very
            same object; for VQD the estimator and the fidelity's sampler as a pair. Its shots are
            set for every generation and restored after the run. None: ``fun`` is called M times.
            (VQD itself reports the lowest noisy value that it saw, and from the second state on
            mixes up the points of a batch: read its ``optimizer_results`` instead.)
        shots: The first M, >= 1 (for ``CMAES``, ``LRACMAES`` and ``PSACMAES`` the fixed one).
            Default with a primitive: so many that a thousand generations would use up the budget,
            because a job costs time whatever its shots; without one, or where ``ARCMAES`` plans
            its jobs itself (``model="auto"``, a few hundred steps): 1.
        min_shots: The least M, >= 1; default: the first M with a primitive, else 1. Where the
            primitive samples a noisy ``backend`` it is at least 2: one shot shows no variance.
        overhead: What a new circuit costs, in shots, >= 0.
        popsize: Population size, >= 2; default 4 + floor(3 ln d).
        sigma0: First step size, > 0; default 0.1 of the widest bounds, else 0.1·2π.
        bounds: One (lower, upper) pair per parameter; those given to ``minimize`` win.
        periodic: Which parameters are circles; default: those with bounds 2π apart.
        tau: Standard deviation of one shot, if known.
        seed: Anything ``numpy.random.default_rng`` takes.
        callback: Called after each job as ``callback(nfev, x, fun, std, shots)``: points
            evaluated, the present answer, the loss there as the method believes it (else the mean
            of the job's values) with its standard error, all shots spent. Returning True stops the
            run.
        termination_checker: Called after each job as SPSA's is, ``(nfev, x, fun, step_size,
            accepted)`` with accepted always True; returning True stops the run.
        maxiter: Most generations.
        max_jobs: Most jobs.
        max_seconds: Most wall-clock time.
        vectorized: Without a primitive: whether ``fun`` takes (n, d) arrays; None finds out.
        checkpoint: File to save the run in. Algorithms that minimise several times, as VQD and
            AdaptVQE, save each time in a file of its own: ``run``, ``run.2``, ``run.3`` and so on.
        checkpoint_seconds: Time between saves; 0 saves after every job.
        resume: Go on from ``checkpoint`` where that file exists. Build the algorithm, its
            primitives and the optimizer anew as they were, and run them again.
        progress: Show ``minimize`` while it goes on, in a terminal (needs rich) or in a notebook;
            elsewhere nothing is shown.
    """

    _method: ClassVar[str]

    def __init__(
        self,
        max_shots: int = 1_000_000,
        *,
        primitive: ShotControl | Sequence[ShotControl] | None = None,
        shots: int | None = None,
        min_shots: int | None = None,
        overhead: float = 0.0,
        popsize: int | None = None,
        sigma0: float | None = None,
        bounds: Any = None,
        periodic: Any = None,
        tau: float | None = None,
        seed: Any = None,
        callback: Callback | None = None,
        termination_checker: TerminationChecker | None = None,
        maxiter: int | None = None,
        max_jobs: int | None = None,
        max_seconds: float | None = None,
        vectorized: bool | None = None,
        checkpoint: str | os.PathLike[str] | None = None,
        checkpoint_seconds: float = 30.0,
        resume: bool = False,
        progress: bool = False,
    ) -> None:
        super().__init__(maxiter=maxiter)
        self._primitives = _check_primitives(primitive)
        self._settings: dict[str, Any] = {
            "max_shots": max_shots,
            "primitive": primitive,
            "shots": shots,
            "min_shots": min_shots,
            "overhead": overhead,
            "popsize": popsize,
            "sigma0": sigma0,
            "bounds": bounds,
            "periodic": periodic,
            "tau": tau,
            "seed": seed,
            "callback": callback,
            "termination_checker": termination_checker,
            "maxiter": maxiter,
            "max_jobs": max_jobs,
            "max_seconds": max_seconds,
            "vectorized": vectorized,
            "checkpoint": checkpoint,
            "checkpoint_seconds": checkpoint_seconds,
            "resume": resume,
            "progress": progress,
        }
        self._run: Run | None = None
        self._next: Batch | None = None
        self._shots_before: list[int] = []
        self._finished = 0  # calls of minimize

    @property
    def settings(self) -> dict[str, Any]:
        """Everything needed to build the optimizer again: ``type(opt)(**opt.settings)``."""
        return dict(self._settings)

    def __repr__(self) -> str:
        given = ", ".join(f"{name}={value!r}" for name, value in self._unusual().items())
        return f"{type(self).__name__}({given})"

    def _repr_html_(self) -> str:
        rows = [(name, repr(value)) for name, value in self._unusual().items()]
        return table(rows, caption=type(self).__name__)

    def _unusual(self) -> dict[str, Any]:
        """The budget, and the settings that differ from their defaults."""
        plain: dict[str, Any] = {}
        for kind in type(self).__mro__:
            if issubclass(kind, ShotOptimizer):
                arguments = inspect.signature(kind).parameters.values()
                plain = {each.name: each.default for each in arguments} | plain
        plain.pop("max_shots")
        return {
            name: value
            for name, value in self._settings.items()
            if name not in plain or value is not plain[name]
        }

    def get_support_level(self) -> dict[str, OptimizerSupportLevel]:
        """Gradients are ignored, bounds are supported, a start is required."""
        return {
            "gradient": OptimizerSupportLevel.ignored,
            "bounds": OptimizerSupportLevel.supported,
            "initial_point": OptimizerSupportLevel.required,
        }

    def minimize(
        self, fun: Any, x0: Any, jac: Any = None, bounds: Any = None
    ) -> ShotOptimizerResult:
        """Minimise ``fun`` within the budget.

        Args:
            fun: What VQE and its kin hand over, or any noisy callable, or an oracle.
            x0: Start, shape (d,).
            jac: Ignored, with a warning.
            bounds: One (lower, upper) pair per parameter; wins over the constructor's.
        """
        self._remember_shots()
        try:
            run = self._prepare(fun, x0, jac, bounds)
            progress, title = self._settings["progress"], type(self).__name__
            with watched(run.callback, progress, run.limits.shots, title) as run.callback:
                result = ShotOptimizerResult(run.go())
        finally:
            self._restore_shots()
        self._finished += 1
        return result

    # Stepwise, in the form of qiskit-algorithms' SteppableOptimizer.

    def start(self, fun: Any, x0: Any, jac: Any = None, bounds: Any = None) -> None:
        """Begin a run to step through.

        Args:
            fun: As for ``minimize``; None when all points are evaluated outside, with every shot
                then counted once.
            x0: Start, shape (d,).
            jac: Ignored, with a warning.
            bounds: One (lower, upper) pair per parameter.
        """
        self._remember_shots()
        self._run = self._prepare(fun, x0, jac, bounds)
        self._next = self._run.ask()

    def continue_condition(self) -> bool:
        """Whether there is a further job."""
        return self._next is not None

    def ask(self) -> ShotAskData:
        """The points and the shots of the next job."""
        if self._next is None:
            raise RuntimeError(
                f"the run is over ({self._started.stop}); call create_result, or start to begin "
                "another."
            )
        return ShotAskData(x_fun=self._next.points, shots=self._next.shots)

    def evaluate(self, ask_data: ShotAskData) -> ShotTellData:
        """Evaluate what was asked with the ``fun`` given to ``start``."""
        batch = Batch(np.asarray(ask_data.x_fun), ask_data.shots)
        estimate = self._started.evaluate(batch)
        return ShotTellData(eval_fun=estimate.values, variances=estimate.variances)

    def tell(self, ask_data: ShotAskData, tell_data: TellData) -> None:
        """Learn from the values at the points that were asked.

        Args:
            ask_data: What ``ask`` returned.
            tell_data: The values in ``eval_fun``; a ``ShotTellData`` may have variances too.
        """
        run = self._started
        batch = Batch(np.asarray(ask_data.x_fun), ask_data.shots)
        values = np.asarray(tell_data.eval_fun, dtype=float)
        estimate = Estimate(values, getattr(tell_data, "variances", None))
        if isinstance(run.oracle, ExternalOracle):
            run.oracle.answer = estimate
            estimate = run.evaluate(batch)
        run.tell(batch, estimate)
        self._next = run.ask()

    def create_result(self) -> ShotOptimizerResult:
        """Sum up; with ``fun`` given, the answer is estimated afresh within the budget."""
        try:
            return ShotOptimizerResult(self._started.finish())
        finally:
            self._restore_shots()

    @property
    def state(self) -> OptimizerState:
        """The present answer and the counts, in Qiskit's form."""
        run = self._started
        history = run.history
        return OptimizerState(
            x=run.answer,
            fun=float(history["value"][-1]) if len(history) else None,
            jac=None,
            nfev=run.ledger.points,
            njev=0,
            nit=run.method.state.distribution.generation,
        )

    @property
    def _started(self) -> Run:
        if self._run is None:
            raise RuntimeError("no run was started: call start first.")
        return self._run

    def _remember_shots(self) -> None:
        self._shots_before = [primitive.shots for primitive in self._primitives]

    def _restore_shots(self) -> None:
        """What runs after the optimizer, as auxiliary operators do, gets the user's shots."""
        for primitive, shots in zip(self._primitives, self._shots_before, strict=True):
            primitive.shots = shots

    def _method_settings(self) -> dict[str, Any]:
        """What selects the method."""
        return {"method": self._method}

    def _prepare(self, fun: Any, x0: Any, jac: Any, bounds: Any) -> Run:
        if jac is not None:
            warnings.warn(f"jac is ignored: {type(self).__name__} needs no gradient.", stacklevel=3)
        if np.size(x0) == 0:
            raise ValueError(
                "x0 is empty, so there is nothing to optimise; give the ansatz free parameters."
            )
        settings = self._settings
        oracle = self._oracle(fun, x0)
        arguments = {
            name: settings[name]
            for name in (
                "max_shots", "shots", "min_shots", "overhead", "popsize", "sigma0", "periodic",
                "tau", "seed", "maxiter", "max_jobs", "max_seconds", "checkpoint_seconds", "resume",
            )
        }  # fmt: skip
        arguments["bounds"] = bounds if _says_something(bounds) else settings["bounds"]
        arguments["min_shots"] = self._least_shots(oracle, x0)
        arguments["checkpoint"] = self._checkpoint()
        run = prepare(oracle, x0, **arguments, **self._method_settings())
        run.callback = self._watch(run)
        return run

    def _oracle(self, fun: Any, x0: Any) -> Oracle:
        if fun is None:
            return ExternalOracle()
        if self._primitives and not hasattr(fun, "evaluate"):
            return PrimitiveOracle(fun, self._primitives, x0)
        return as_oracle(fun, self._settings["vectorized"])

    def _least_shots(self, oracle: Oracle, x0: Any) -> int:
        """Few large jobs, not many small ones: see ``shots`` above."""
        given = {name: self._settings[name] for name in ("min_shots", "shots")}
        least = {n: whole_number(n, value, 1) for n, value in given.items() if value is not None}
        if not isinstance(oracle, PrimitiveOracle):
            return least.get("min_shots", 1)
        popsize = self._settings["popsize"]
        popsize = default_popsize(np.size(x0)) if popsize is None else popsize
        points = whole_number("popsize", popsize, 2)
        generation = oracle.cost(points, 2) - oracle.cost(points, 1)  # at one more shot
        budget = whole_number("max_shots", self._settings["max_shots"], 1)
        few = budget // (MOST_JOBS * generation) if self._floods() else 1
        return max(next(iter(least.values()), few), oracle.least_shots)

    def _floods(self) -> bool:
        """Whether a small M could make more jobs than ``MOST_JOBS``."""
        return True

    def _checkpoint(self) -> Path | None:
        """A file for each time that the algorithm minimises."""
        if self._settings["checkpoint"] is None:
            return None
        path = Path(self._settings["checkpoint"])
        return path.with_name(f"{path.name}.{self._finished + 1}") if self._finished else path

    def _watch(self, run: Run) -> Callback | None:
        """One callback out of the user's two."""
        callback, checker = self._settings["callback"], self._settings["termination_checker"]
        if callback is None and checker is None:
            return None

        def watch(nfev: int, x: Array, fun: float, std: float, shots: int) -> bool:
            wants_stop = callback is not None and callback(nfev, x, fun, std, shots) is True
            if checker is not None:
                step_size = run.method.state.distribution.step_size
                wants_stop = bool(checker(nfev, x, fun, step_size, True)) or wants_stop
            return wants_stop

        return watch


class ARCMAES(ShotOptimizer):
    """AR-CMA-ES: chooses the shots of every generation for the largest gain per shot.

    Args:
        max_shots: Budget of one ``minimize``, see ``ShotOptimizer`` for this and all others.
        variant: ``ar`` (what works, the default), ``ar-paper`` (the reading of the paper that
            matches its noiseless tables) or ``ar-literal`` (its algorithm box).
        model: ``auto`` uses a local model of all that was measured; None is plain ``ar``.
        **settings: See ``ShotOptimizer``.

    References:
        C.-V. Dinu, Y. J. Patel, X. Bonet-Monroig, H. Wang, "An Adaptive Re-evaluation Method for
        Evolution Strategy under Additive Noise", GECCO 2025.

    Example:
        >>> from qiskit.circuit.library import real_amplitudes
        >>> from qiskit.quantum_info import SparsePauliOp
        >>> from qiskit_algorithms import VQE
        >>> from qiskit_arcmaes import ARCMAES, ShotEstimator
        >>> estimator = ShotEstimator(seed=1)
        >>> optimizer = ARCMAES(max_shots=50_000, primitive=estimator, seed=7)
        >>> vqe = VQE(estimator, real_amplitudes(2, reps=1), optimizer, initial_point=[0.5] * 4)
        >>> result = vqe.compute_minimum_eigenvalue(SparsePauliOp(["ZZ", "XI"]))
        >>> result.optimizer_result.shots <= 50_000, bool(result.eigenvalue < -1.2)
        (True, True)
    """

    _method = "ar"

    def __init__(
        self,
        max_shots: int = 1_000_000,
        *,
        variant: str = "ar",
        model: str | None = "auto",
        **settings: Any,
    ) -> None:
        super().__init__(max_shots, **settings)
        if variant not in ("ar", "ar-paper", "ar-literal"):
            raise ValueError(
                f"variant = {variant!r} is unknown; take one of ar, ar-paper, ar-literal."
            )
        self._settings |= {"variant": variant, "model": model}

    def _floods(self) -> bool:
        return self._settings["variant"] != "ar" or self._settings["model"] is None

    def _method_settings(self) -> dict[str, Any]:
        return {"method": self._settings["variant"], "model": self._settings["model"]}


class CMAES(ShotOptimizer):
    """Plain CMA-ES at a fixed number of shots; arguments as for ``ShotOptimizer``.

    Example:
        >>> from qiskit_arcmaes import CMAES, GaussianOracle, get_function
        >>> oracle = GaussianOracle(get_function("sphere", 3), tau=1.0, seed=1)
        >>> result = CMAES(max_shots=20_000, shots=100, seed=7).minimize(oracle, [1.0] * 3)
        >>> sorted(set(result.history["shots"].tolist()))
        [100.0]
    """

    _method = "cma"


class ThreeStageCMAES(ShotOptimizer):
    """CMA-ES whose shots rise tenfold twice on a fixed schedule; see ``ShotOptimizer``.

    Example:
        >>> from qiskit_arcmaes import GaussianOracle, ThreeStageCMAES, get_function
        >>> oracle = GaussianOracle(get_function("sphere", 3), tau=1.0, seed=1)
        >>> result = ThreeStageCMAES(max_shots=20_000, seed=7).minimize(oracle, [1.0] * 3)
        >>> sorted(set(result.history["shots"].tolist()))
        [1.0, 10.0, 100.0]
    """

    _method = "three-stage"


class UHCMAES(ShotOptimizer):
    """CMA-ES with uncertainty handling by rank changes; arguments as for ``ShotOptimizer``.

    Example:
        >>> from qiskit_arcmaes import GaussianOracle, UHCMAES, get_function
        >>> oracle = GaussianOracle(get_function("sphere", 3), tau=1.0, seed=1)
        >>> result = UHCMAES(max_shots=20_000, seed=7).minimize(oracle, [1.0] * 3)
        >>> bool(result.history["shots"].max() > result.history["shots"][0])
        True
    """

    _method = "uh"


class LRACMAES(ShotOptimizer):
    """CMA-ES with learning rate adaptation; arguments as for ``ShotOptimizer``.

    Example:
        >>> from qiskit_arcmaes import GaussianOracle, LRACMAES, get_function
        >>> oracle = GaussianOracle(get_function("sphere", 3), tau=1.0, seed=1)
        >>> result = LRACMAES(max_shots=20_000, seed=7).minimize(oracle, [1.0] * 3)
        >>> sorted(set(result.history["shots"].tolist())), bool((result.x**2).sum() < 0.5)
        ([1.0], True)
    """

    _method = "lra"


class PSACMAES(ShotOptimizer):
    """CMA-ES with population size adaptation; arguments as for ``ShotOptimizer``.

    Example:
        >>> from qiskit_arcmaes import GaussianOracle, PSACMAES, get_function
        >>> oracle = GaussianOracle(get_function("sphere", 3), tau=1.0, seed=1)
        >>> result = PSACMAES(max_shots=20_000, seed=7).minimize(oracle, [1.0] * 3)
        >>> bool(result.history["points"].max() > result.history["points"][0])
        True
    """

    _method = "psa"


def _check_primitives(primitive: Any) -> tuple[ShotControl, ...]:
    if primitive is None:
        return ()
    given = tuple(primitive) if isinstance(primitive, list | tuple) else (primitive,)
    wrong = [each for each in given if not isinstance(each, ShotControl)]
    if wrong or not given:
        raise TypeError(
            "primitive must be a ShotEstimator or a ShotSampler, not "
            f"{(wrong or [primitive])[0]!r}; wrap a V2 primitive, as in estimator = "
            "ShotEstimator(estimator), and give the same object to the algorithm, or leave "
            "primitive at None."
        )
    return given


def _says_something(bounds: Any) -> bool:
    """VQE hands over (None, None) pairs where there are no bounds."""
    return bounds is not None and any(limit is not None for pair in bounds for limit in pair)
