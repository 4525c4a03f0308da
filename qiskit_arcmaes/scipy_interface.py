"""The methods behind ``scipy.optimize.minimize``: its protocol for a ``method`` of one's own."""

from __future__ import annotations

import difflib
import inspect
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import OptimizeResult, OptimizeWarning

from qiskit_arcmaes import validation
from qiskit_arcmaes.api import minimize
from qiskit_arcmaes.engine.result import FIELDS, Result
from qiskit_arcmaes.oracles.bound_loss import BoundLoss
from qiskit_arcmaes.registry import METHODS
from qiskit_arcmaes.settings import Callback, Options

Array = NDArray[np.float64]
R = TypeVar("R", bound=OptimizeResult)

_PRIMITIVES = {"BaseEstimatorV2", "BaseSamplerV2"}  # by name, so that Qiskit is not imported
_CONTROLLED = "ShotControl"


class ScipyResult(OptimizeResult):
    """An ``OptimizeResult`` with everything that ``Result`` has.

    Example:
        >>> from scipy.optimize import minimize
        >>> from qiskit_arcmaes import GaussianOracle, get_function, scipy_method
        >>> oracle = GaussianOracle(get_function("sphere", 3), tau=1.0, seed=1)
        >>> result = minimize(oracle, [1.0] * 3, method=scipy_method("frugal"),
        ...                   options={"max_shots": 10_000, "seed": 7})
        >>> low, high = result.interval(0.99)
        >>> low < result.fun < high, result.success, result["shots"] == oracle.spent
        (True, True, True)
    """

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """Confidence interval of the loss at ``x``.

        Args:
            level: Coverage, between 0 and 1.
        """
        return self._result().interval(level)

    def plot(
        self,
        reference: float | None = None,
        title: str = "",
        details: bool = False,
        unit: str = "",
    ) -> Any:
        """Draw the run over the shots spent; needs matplotlib.

        Args:
            reference: The true minimum, where it is known, in the loss's units.
            title: Stands above the picture.
            details: Whether to draw one more panel for each diagnostic of the method.
            unit: Unit of the loss. "Hartree" together with ``reference`` draws the energy above
                the reference, with a line for chemical accuracy (1.6 mHa).
        """
        return self._result().plot(reference, title, details, unit)

    def _result(self) -> Result:
        names = [name for name in FIELDS if name not in ("success", "status")]
        return Result(**{name: self[name] for name in names})

    def __repr__(self) -> str:
        return repr(self._result())

    def _repr_html_(self) -> str:
        return self._result()._repr_html_()


def scipy_method(name: str = "frugal") -> Callable[..., ScipyResult]:
    """Give a method the form that ``scipy.optimize.minimize`` takes as its ``method``.

    Everything but the loss, the start, the bounds and the callback is said in ``options``, under
    the names of ``Settings``: ``max_shots`` (needed), ``seed``, ``max_jobs``, ``checkpoint`` and so
    on; ``disp=True`` prints the message at the end.

    * ``bounds`` are pairs or a ``scipy.optimize.Bounds``. Constraints are refused.
    * ``fun`` is called with one point at a time, as by scipy's own methods;
      ``options={"vectorized": True}`` calls it with (n, d) arrays.
    * ``callback`` has one of scipy's two forms, ``callback(xk)`` or
      ``callback(*, intermediate_result)``, called after each job; one that does not tell its
      parameters, as many builtins, is called with ``xk``. It stops the run by raising
      StopIteration or by returning True. ``intermediate_result`` has ``x``, ``fun``, ``fun_std``,
      ``nfev`` and ``shots``.
    * ``tol`` is ignored with a warning: the budget decides how exact the answer is.
    * ``jac``, ``hess`` and ``hessp`` are ignored with a warning; ``jac=True`` is refused, since
      ``fun`` must return the loss alone.

    Args:
        name: ``frugal``, ``ar``, ``ar-paper``, ``ar-literal``, ``cma``, ``three-stage``, ``uh``,
            ``lra`` or ``psa``.

    Returns:
        What to pass as ``method``. The run returns an ``OptimizeResult`` with all fields of
        ``Result``; ``success`` is False where the run failed or was interrupted.

    Raises:
        ValueError: There is no method of that name.

    Example:
        >>> from qiskit.circuit.library import real_amplitudes
        >>> from scipy.optimize import minimize
        >>> from qiskit_arcmaes import ShotEstimator, scipy_method
        >>> def cost(params, ansatz, operator, estimator):
        ...     return estimator.run([(ansatz, operator, params)]).result()[0].data.evs
        >>> estimator, ansatz = ShotEstimator(seed=1), real_amplitudes(2, reps=1)
        >>> result = minimize(cost, [0.3] * 4, args=(ansatz, "ZZ", estimator),
        ...                   method=scipy_method("frugal"),
        ...                   options={"max_shots": 5000, "seed": 1})
        >>> result.shots == estimator.ledger.shots <= 5000, bool(result.fun < -0.8)
        (True, True)
    """
    validation.one_of("name", name, tuple(METHODS))
    return partial(_minimize, name)


def _minimize(
    name: str,
    fun: Any,
    x0: Any,
    args: Any = (),
    jac: Any = None,
    hess: Any = None,
    hessp: Any = None,
    bounds: Any = None,
    constraints: Any = (),
    callback: Any = None,
    tol: float | None = None,
    disp: bool = False,
    **options: Any,
) -> ScipyResult:
    """Run ``minimize`` under scipy's names."""
    args = args if isinstance(args, tuple) else (args,)
    _refuse_constraints(constraints)
    _refuse_uncontrolled(args)
    _check_options(options)
    _refuse_joint_gradient(fun, jac)
    for given, value in (("jac", jac), ("hess", hess), ("hessp", hessp)):
        if value is not None:
            _warn(f"{given} is ignored: {name!r} needs no derivatives; leave it out.")
    if tol is not None:
        _warn(
            f"tol = {tol!r} is ignored: under noise a small step is no sign of a minimum. The run "
            "ends when max_shots is spent; to end it earlier use max_jobs, max_seconds or callback."
        )
    options.setdefault("vectorized", False)  # scipy hands every function one point
    options |= {"bounds": bounds, "callback": _adapt_callback(callback)}
    found = minimize(_bind(fun, args), x0, method=name, **options)
    if disp:
        print(found)
    return _fill(ScipyResult(), {field: found[field] for field in FIELDS})


def _fill(result: R, fields: dict[str, Any]) -> R:
    """Put fields into one of scipy's results, which is a dictionary."""
    result.update(fields)
    return result


def _bind(fun: Any, args: tuple[Any, ...]) -> Any:
    """The loss as a function of the point; a parameter named ``shots`` stays visible."""
    if not args:
        return fun
    if not callable(fun):
        raise TypeError(f"fun must be callable where args are given, not {fun!r}.")
    return BoundLoss(fun, args)


def _adapt_callback(callback: Any) -> Callback | None:
    """A callback in our form out of one in scipy's two."""
    if validation.function("callback", callback) is None:
        return None
    whole = _parameters(callback) == {"intermediate_result"}

    def adapted(nfev: int, x: Array, fun: float, std: float, shots: int) -> Any:
        if not whole:
            return callback(x)
        so_far = {"x": x, "fun": fun, "fun_std": std, "nfev": nfev, "shots": shots}
        return callback(intermediate_result=_fill(OptimizeResult(), so_far))

    return adapted


def _parameters(function: Any) -> set[str]:
    """Names of a function's parameters; none where it does not tell, as many builtins."""
    try:
        return set(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        return set()


def _refuse_constraints(constraints: Any) -> None:
    if constraints is None or (isinstance(constraints, list | tuple | dict) and not constraints):
        return
    raise ValueError(
        f"constraints are not supported, and {constraints!r} was given; use bounds, or add a "
        "penalty to fun."
    )


def _refuse_joint_gradient(fun: Any, jac: Any) -> None:
    """Refuse ``jac=True``, which scipy hands over as a method of a loss with a memory."""
    if jac is not None and getattr(jac, "__self__", None) is fun:
        raise TypeError(
            "jac = True says that fun returns the loss and its gradient; no gradient is needed: "
            "let fun return the loss alone, and leave jac out."
        )


def _refuse_uncontrolled(args: tuple[Any, ...]) -> None:
    """Refuse a bare primitive: the budget would count calls, each of thousands of shots."""
    for place, value in enumerate(args):
        bases = {base.__name__ for base in type(value).__mro__}
        if bases & _PRIMITIVES and _CONTROLLED not in bases:
            wrapper = "ShotEstimator" if "BaseEstimatorV2" in bases else "ShotSampler"
            raise TypeError(
                f"args[{place}] is a {type(value).__name__}, whose shots cannot be set, so that "
                f"max_shots could not be kept; pass {wrapper}(...) around it."
            )


def _check_options(options: dict[str, Any]) -> None:
    known = ("max_shots", "disp", *(n for n in Options.__annotations__ if n not in _IN_CALL))
    for name in options:
        if name not in known:
            close = difflib.get_close_matches(name, known, 1)
            hint = f"did you mean {close[0]!r}?" if close else f"known are {', '.join(known)}."
            raise TypeError(f"options has {name!r}, which is no option of this method; {hint}")
    if "max_shots" not in options:
        raise TypeError(
            "options must have max_shots, the budget, as in options={'max_shots': 100_000}."
        )


_IN_CALL = ("bounds", "callback")  # arguments of scipy's minimize itself


def _warn(text: str) -> None:
    warnings.warn(text, OptimizeWarning, stacklevel=4)
