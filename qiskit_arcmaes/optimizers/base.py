"""What all optimizers share: Qiskit's form of a run, at once or step by step."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar, Unpack

import numpy as np
from numpy.typing import NDArray
from qiskit_algorithms.optimizers import OptimizerSupportLevel
from qiskit_algorithms.optimizers.steppable_optimizer import (
    OptimizerState,
    SteppableOptimizer,
    TellData,
)
from scipy.optimize import Bounds

from qiskit_arcmaes import validation
from qiskit_arcmaes.engine.markup import table
from qiskit_arcmaes.engine.prepare import check_point, prepare, prepare_steps
from qiskit_arcmaes.engine.progress import run_watched
from qiskit_arcmaes.engine.run import Answer, Run
from qiskit_arcmaes.method import Batch
from qiskit_arcmaes.optimizers.callbacks import adapt_callback
from qiskit_arcmaes.optimizers.data import ShotAskData, ShotOptimizerResult, ShotTellData
from qiskit_arcmaes.optimizers.vqd import correct_vqd
from qiskit_arcmaes.oracles import (
    CallableOracle,
    Estimate,
    ExternalOracle,
    Oracle,
    ShotCallableOracle,
    as_oracle,
)
from qiskit_arcmaes.oracles.checks import admit
from qiskit_arcmaes.primitives import PrimitiveOracle
from qiskit_arcmaes.primitives.adapter import on_primitive
from qiskit_arcmaes.primitives.control import ShotControl
from qiskit_arcmaes.primitives.uncounted import refuse_given
from qiskit_arcmaes.settings import (
    Options,
    Settings,
    documents_options,
    inherit_arguments,
    shows_options,
)

Array = NDArray[np.float64]
TerminationChecker = Callable[[int, Array, float, float, bool], bool]


class ForeignLossWarning(UserWarning):
    """A loss runs on no shot-controlled primitive: the budget counts its calls.

    Example:
        >>> import warnings
        >>> from qiskit_arcmaes import ARCMAES
        >>> with warnings.catch_warnings(record=True) as caught:
        ...     warnings.simplefilter("always")
        ...     _ = ARCMAES(max_shots=500, tau=0, seed=1).minimize(lambda x: float(x @ x), [1.0])
        >>> caught[0].category.__name__
        'ForeignLossWarning'
    """


@documents_options
class ShotOptimizer(SteppableOptimizer):
    """An optimizer of qiskit-algorithms that decides the shots; the base of all of them.

    Args:
        max_shots: Budget of one ``minimize``, an integer >= 1. Everything counts: points x
            measurement bases x shots, the measurement of the noise, the last estimate of the
            recommendation. Never exceeded.
        primitive: The ``ShotEstimator`` or ``ShotSampler`` that the algorithm runs on, the very
            same object; for VQD the estimator and the fidelity's sampler as a pair. Its shots are
            set for every job and restored after the run. None finds it by a dry run of ``fun``;
            a ``fun`` that runs on none is called M times, with a warning.
        termination_checker: Called after each job as SPSA's is, ``(nfev, x, fun, radius,
            accepted)`` with the radius of the next job and accepted always True; returning True
            stops the run.
        checkpoint: File to save the run in, now and then and at the end. Algorithms that minimise
            several times, as VQD and AdaptVQE, save each time in a file of its own: ``run``,
            ``run.2``, ``run.3`` and so on.
        **options: See ``Settings``.
    """

    _method: ClassVar[str]

    def __init_subclass__(cls, **arguments: Any) -> None:
        """Describe the arguments in the docstring of every optimizer that has no words of its own.

        Args:
            **arguments: Those of the class statement.
        """
        super().__init_subclass__(**arguments)
        cls.__doc__ = inherit_arguments(cls.__doc__, ShotOptimizer.__doc__)

    @shows_options
    def __init__(
        self,
        max_shots: int = 1_000_000,
        *,
        primitive: ShotControl | Sequence[ShotControl] | None = None,
        termination_checker: TerminationChecker | None = None,
        **options: Unpack[Options],
    ) -> None:
        self._run_settings = Settings(max_shots=max_shots, method=self._method, **options)
        super().__init__(maxiter=self._run_settings.maxiter)
        self._primitive = primitive
        self._primitives = _check_primitives(primitive)
        self._checker = validation.function("termination_checker", termination_checker)
        self._run: Run | None = None
        self._next: Batch | None = None
        self._session = ExitStack()  # of a run that is stepped through
        self._finished = 0  # calls of minimize

    @property
    def settings(self) -> dict[str, Any]:
        """Everything needed to build the optimizer again: ``type(opt)(**opt.settings)``."""
        own = {"primitive": self._primitive, "termination_checker": self._checker}
        options = {
            name: value for name, value in vars(self._run_settings).items() if name != "method"
        }
        return options | own

    @property
    def callback(self) -> Any:
        """Called after each job, see ``Settings``; can be set.

        A function of two parameters is called as ``callback(x, fun)``: the models of
        qiskit-machine-learning set theirs here. Where they have none they set None, which
        leaves the one that is there.
        """
        return self._run_settings.callback

    @callback.setter
    def callback(self, callback: Any) -> None:
        if callback is not None:
            self._run_settings = replace(self._run_settings, callback=callback)

    def __repr__(self) -> str:
        given = ", ".join(f"{name}={value!r}" for name, value in self._unusual().items())
        return f"{type(self).__name__}({given})"

    def _repr_html_(self) -> str:
        rows = [(name, repr(value)) for name, value in self._unusual().items()]
        return table(rows, caption=type(self).__name__)

    def _unusual(self) -> dict[str, Any]:
        """The budget, and the settings that differ from their defaults."""
        usual = {"primitive": None, "termination_checker": None}
        shown = self._run_settings.unusual | {
            name: value for name, value in self.settings.items() if name in usual and value
        }
        shown.pop("method", None)
        return shown

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
            x0: Start, shape (d,); or the result of an earlier run, whose ``x`` is the start and
                whose last radius is ``sigma0``, unless that is given.
            jac: Ignored, with a warning.
            bounds: One (lower, upper) pair per parameter, or a ``scipy.optimize.Bounds``; wins over
                the constructor's.
        """
        x0 = _start(x0)
        oracle, settings = self._problem(fun, x0, jac, bounds)
        run = prepare(oracle, x0, settings)
        run.callback = self._watch(run)
        result = run_watched(run, self._run_settings.progress, type(self).__name__)
        self._finished += 1
        known = run.oracle.delivered if isinstance(run.oracle, PrimitiveOracle) else []
        correct_vqd(fun, result, known)
        return ShotOptimizerResult(result)

    # Stepwise, in the form of qiskit-algorithms' SteppableOptimizer.

    def start(self, fun: Any, x0: Any, jac: Any = None, bounds: Any = None) -> None:
        """Begin a run to step through.

        Args:
            fun: As for ``minimize``; None when all points are evaluated outside, with every shot
                then counted once.
            x0: Start, shape (d,), or the result of an earlier run.
            jac: Ignored, with a warning.
            bounds: One (lower, upper) pair per parameter.
        """
        self._session.close()  # of a run that was left before its end
        x0 = _start(x0)
        oracle, settings = self._problem(fun, x0, jac, bounds)
        self._run = prepare_steps(oracle, x0, settings)
        self._run.callback = self._watch(self._run)
        self._session.enter_context(self._run.oracle.session())
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
        return ShotAskData(x_fun=self._next.points, shots=self._next.shots, batch=self._next)

    def evaluate(self, ask_data: ShotAskData) -> ShotTellData:
        """Evaluate what was asked with the ``fun`` given to ``start``."""
        estimate = self._started.evaluate(_batch(ask_data))
        assert isinstance(estimate, Estimate)  # nothing is planned step by step
        return ShotTellData(eval_fun=estimate.values, variances=estimate.variances)

    def tell(self, ask_data: ShotAskData, tell_data: TellData) -> None:
        """Learn from the values at the points that were asked.

        Args:
            ask_data: What ``ask`` returned.
            tell_data: The values in ``eval_fun``; a ``ShotTellData`` may have variances too.
        """
        run, batch = self._started, _batch(ask_data)
        values = np.asarray(tell_data.eval_fun, dtype=float)
        variances = tell_data.variances if isinstance(tell_data, ShotTellData) else None
        estimate = admit(Estimate(values, variances))
        answer: Answer = estimate
        if isinstance(run.oracle, ExternalOracle):
            run.oracle.answer = estimate
            answer = run.evaluate(batch)
        run.tell(batch, answer)
        self._next = run.ask()

    def create_result(self) -> ShotOptimizerResult:
        """Sum up; with ``fun`` given, the recommendation is estimated afresh within the budget."""
        with self._session:
            return ShotOptimizerResult(self._started.finish())

    @property
    def state(self) -> OptimizerState:
        """The present recommendation and the counts, in Qiskit's form."""
        run = self._started
        history = run.history
        return OptimizerState(
            x=run.recommendation,
            fun=float(history["value"][-1]) if len(history) else None,
            jac=None,
            nfev=run.ledger.points,
            njev=0,
            nit=run.progress.iteration,
        )

    @property
    def _started(self) -> Run:
        if self._run is None:
            raise RuntimeError("no run was started: call start first.")
        return self._run

    def _problem(self, fun: Any, x0: Any, jac: Any, bounds: Any) -> tuple[Oracle, Settings]:
        if jac is not None:
            warnings.warn(f"jac is ignored: {type(self).__name__} needs no gradient.", stacklevel=3)
        if np.size(x0) == 0:
            raise ValueError(
                "x0 is empty, so there is nothing to optimise; give the ansatz free parameters."
            )
        settings = replace(self._run_settings, checkpoint=self._checkpoint())
        if _says_something(bounds):
            settings = replace(settings, bounds=bounds)
        return self._oracle(fun, check_point(x0)), settings

    def _oracle(self, fun: Any, x0: Any) -> Oracle:
        if fun is None:
            return ExternalOracle()
        vectorized = self._run_settings.vectorized
        if isinstance(fun, Oracle):
            return fun
        if self._primitives:
            refuse_given(fun, self._primitives)
            loss = on_primitive(fun, self._primitives[0])
            return PrimitiveOracle(loss, self._primitives, x0, vectorized)
        oracle = as_oracle(fun, x0, vectorized)
        if isinstance(oracle, CallableOracle) and not isinstance(oracle, ShotCallableOracle):
            self._warn_foreign()
        return oracle

    def _warn_foreign(self) -> None:
        """Say what the budget counts where ``fun`` runs on no shot-controlled primitive."""
        most = self._run_settings.max_shots
        warnings.warn(
            f"fun runs on no ShotEstimator or ShotSampler, so max_shots = {most:,} counts calls of "
            f"fun, up to {most:,} of them, each at the precision of whatever fun runs on. To let "
            f"{type(self).__name__} set the shots, build the algorithm on "
            "ShotEstimator(estimator) or ShotSampler(sampler).",
            ForeignLossWarning,
            stacklevel=5,
        )

    def _checkpoint(self) -> Path | None:
        """A file for each time that the algorithm minimises."""
        if self._run_settings.checkpoint is None:
            return None
        path = Path(self._run_settings.checkpoint)
        return path.with_name(f"{path.name}.{self._finished + 1}") if self._finished else path

    def _watch(self, run: Run) -> Any:
        """One callback out of the user's two."""
        callback, checker = adapt_callback(self._run_settings.callback), self._checker
        if checker is None:
            return callback

        def watch(nfev: int, x: Array, fun: float, std: float, shots: int) -> bool:
            answer = None if callback is None else callback(nfev, x, fun, std, shots)
            stop = bool(checker(nfev, x, fun, run.progress.radius, True))
            return stop or (isinstance(answer, bool | np.bool_) and bool(answer))

        return watch


def _start(x0: Any) -> Any:
    """A start as the engine takes it."""
    return x0.run_result if isinstance(x0, ShotOptimizerResult) else x0


def _batch(ask_data: ShotAskData) -> Batch:
    """The batch behind what was asked."""
    if ask_data.batch is None:
        raise ValueError("ask_data must be what ask returned; it carries the batch.")
    return ask_data.batch


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
    """Whether there is a bound: VQE hands over (None, None) pairs where there is none."""
    if bounds is None or isinstance(bounds, Bounds):
        return bounds is not None
    return any(limit is not None for pair in bounds for limit in pair)
