"""Oracles: everything that can be optimised here.

An oracle estimates the loss at many points at once, each from the same number of shots::

    evaluate(points, shots) -> Estimate(values, variances)

One call is one job, and one job has one shot count. The paper's re-evaluation count M *is*
``shots``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Estimate:
    """What an oracle answers.

    Attributes:
        values: The estimated loss at each point, shape (n,). NaN or infinite where a point failed.
        variances: The estimated variance of each value, shape (n,), or None where it is unknown.
        failures: Single shots that failed and were left out of the values.

    Example:
        >>> import numpy as np
        >>> estimate = Estimate(np.array([0.1, 0.4]), variances=np.array([0.01, 0.01]))
        >>> estimate.values.shape, estimate.failures
        ((2,), 0)
    """

    values: Array
    variances: Array | None = None
    failures: int = 0


@runtime_checkable
class Oracle(Protocol):
    """The contract of everything that can be optimised.

    Attributes:
        reports_variances: Whether every estimate comes with variances that can be trusted.

    Example:
        A loss whose shots are read from a device one batch at a time needs no more than this:

        >>> import numpy as np
        >>> from qiskit_arcmaes import Estimate, Oracle, minimize
        >>> class Coins:
        ...     reports_variances = False
        ...
        ...     def __init__(self, seed):
        ...         self.spent, self.rng = 0, np.random.default_rng(seed)
        ...
        ...     @property
        ...     def state(self):
        ...         return {"spent": self.spent, "rng": self.rng.bit_generator.state}
        ...
        ...     @state.setter
        ...     def state(self, state):
        ...         self.spent, self.rng.bit_generator.state = state["spent"], state["rng"]
        ...
        ...     def cost(self, n, shots):
        ...         return n * shots
        ...
        ...     def evaluate(self, points, shots):
        ...         self.spent += self.cost(len(points), shots)
        ...         heads = 0.8 * np.sin(points / 2).prod(axis=1) ** 2
        ...         return Estimate(1 - self.rng.binomial(shots, heads) / shots)
        >>> oracle = Coins(seed=1)
        >>> isinstance(oracle, Oracle)
        True
        >>> result = minimize(oracle, [2.0, 2.0], max_shots=20_000, seed=7)
        >>> oracle.spent == result.shots, bool(result.fun < 0.3)
        (True, True)
    """

    reports_variances: bool

    @property
    def spent(self) -> int:
        """Shots taken since the oracle was made."""
        ...

    @property
    def state(self) -> dict[str, Any]:
        """What must be saved to go on bit for bit: plain data; can be set."""
        ...

    @state.setter
    def state(self, state: Mapping[str, Any]) -> None: ...

    def evaluate(self, points: Array, shots: int) -> Estimate:
        """Estimate the loss at every row of ``points``, shape (n, d), from ``shots`` shots each."""
        ...

    def cost(self, n: int, shots: int) -> int:
        """Tell the most that ``evaluate`` of ``n`` points with ``shots`` takes from the budget."""
        ...


class OracleError(RuntimeError):
    """An oracle failed.

    Attributes:
        point: Where, if it is known.
        result: The run so far, if there was one.

    Example:
        >>> from qiskit_arcmaes import OracleError, minimize
        >>> def fails(x):
        ...     raise ConnectionError("the service is down")
        >>> try:
        ...     minimize(fails, [1.0, 2.0], max_shots=1000, vectorized=False, seed=1)
        ... except OracleError as error:
        ...     print(error.__cause__, error.point.shape, error.result.shots)
        the service is down (2,) 0
    """

    def __init__(self, message: str, point: Array | None = None) -> None:
        super().__init__(message)
        self.point = point
        self.result: Any = None


class GaussianOracle:
    """A function with Gaussian noise, for validation where the truth is known.

    The mean of ``shots`` samples is drawn in one go (standard deviation tau/sqrt(shots)): exact,
    and a billion evaluations cost as little as one.

    Args:
        function: The noiseless loss, a callable on an (n, d) array that returns (n,) values.
        tau: Standard deviation of one shot, >= 0: a number, or a callable on an (n, d) array that
            returns (n,) values. With ``relative`` it multiplies the absolute value of the loss.
        seed: Anything ``numpy.random.default_rng`` takes.
        known_noise: Whether to report variances. A black box as in the paper does not.
        relative: Whether the noise is multiplicative, ``f(x) * (1 + tau * N(0, 1))``.

    Example:
        >>> from qiskit_arcmaes import GaussianOracle, get_function
        >>> oracle = GaussianOracle(get_function("sphere", 3), tau=1.0, seed=7)
        >>> oracle.evaluate([[0.0, 0.0, 0.0], [1.0, 1.0, 1.0]], shots=10_000).values.round(1) + 0.0
        array([0., 3.])
        >>> oracle.spent
        20000
    """

    def __init__(
        self,
        function: Callable[[Array], Array],
        tau: float | Callable[[Array], Array] = 1.0,
        seed: Any = None,
        known_noise: bool = False,
        relative: bool = False,
    ) -> None:
        if not callable(tau) and not (np.isfinite(tau) and tau >= 0):
            raise ValueError(f"tau must be a finite number >= 0 or a callable, not {tau!r}.")
        self.function = function
        self.tau = tau
        self.relative = relative
        self.reports_variances = known_noise
        self.spent = 0
        self._rng = np.random.default_rng(seed)

    def evaluate(self, points: ArrayLike, shots: int) -> Estimate:
        """Draw the mean of ``shots`` noisy samples at every row of ``points``."""
        points = np.asarray(points, dtype=float)
        if points.ndim != 2:
            points = np.atleast_2d(points)
        check_shots(shots)
        exact = np.asarray(self.function(points), dtype=float)
        tau = self.tau(points) if callable(self.tau) else self.tau
        deviation = tau * np.abs(exact) if self.relative else tau
        deviation = deviation / math.sqrt(shots)
        self.spent += len(points) * shots
        values = exact + deviation * self._rng.standard_normal(len(points))
        if not self.reports_variances:
            return Estimate(values)
        return Estimate(values, np.broadcast_to(np.square(deviation), values.shape))

    def cost(self, n: int, shots: int) -> int:
        """Every point takes ``shots``."""
        return n * shots

    @property
    def state(self) -> dict[str, Any]:
        """The random state and the shots spent."""
        return {"spent": self.spent, "rng": self._rng.bit_generator.state}

    @state.setter
    def state(self, state: Mapping[str, Any]) -> None:
        self.spent = int(state["spent"])
        self._rng.bit_generator.state = dict(state["rng"])


class CallableOracle:
    """A plain noisy callable, called ``shots`` times for each point and averaged.

    Calls that return NaN or infinity are left out and counted; a point of which all calls fail has
    the value NaN.

    Args:
        fun: Takes a 1-D point and returns a number, or takes an (n, d) array and returns (n,).
        vectorized: Which of the two. None finds it out in the first batch, with a row count that
            differs from d, so that ``x[0]**2 + x[1]**2`` does not pass for vectorised; what the
            probing call evaluated is counted (at most three shots).
        generator: The generator that ``fun`` draws its noise from, if it has one: its state is
            then saved and restored with the run's.

    Example:
        >>> import numpy as np
        >>> rng = np.random.default_rng(1)
        >>> oracle = CallableOracle(lambda x: x[0] ** 2 + rng.normal(), generator=rng)
        >>> estimate = oracle.evaluate([[0.0, 1.0], [2.0, 1.0], [3.0, 1.0]], shots=400)
        >>> bool(np.all(np.abs(estimate.values - [0, 4, 9]) < 5 * np.sqrt(estimate.variances)))
        True
    """

    reports_variances = False  # one call alone has no variance

    def __init__(
        self,
        fun: Callable[[Array], Any],
        vectorized: bool | None = None,
        generator: np.random.Generator | None = None,
    ) -> None:
        if not callable(fun):
            raise TypeError(f"fun must be callable or have an evaluate method, not {fun!r}.")
        self.fun = fun
        self.vectorized = vectorized
        self.spent = 0
        self._generator = generator

    def evaluate(self, points: ArrayLike, shots: int) -> Estimate:
        """Call the function ``shots`` times at every row; variances come from the repeats."""
        points = np.atleast_2d(np.asarray(points, dtype=float))
        check_shots(shots)
        if self.vectorized is None:
            self.vectorized = self._takes_batches(points)
        call = self._call_batch if self.vectorized else self._call_each
        count, mean, squares = np.zeros((3, len(points)))
        for _ in range(shots):  # Welford's running mean and sum of squares, failed calls left out
            values = call(points)
            finite = np.isfinite(values)
            count += finite
            excess = np.where(finite, values, mean) - mean
            mean = mean + excess / np.maximum(count, 1)
            squares += excess * (np.where(finite, values, mean) - mean)
        failures = int(len(points) * shots - count.sum())
        mean[count == 0] = np.nan
        if shots == 1:
            return Estimate(mean, failures=failures)
        variances = np.where(count > 1, squares / np.maximum(count * (count - 1), 1), np.nan)
        return Estimate(mean, variances, failures)

    def cost(self, n: int, shots: int) -> int:
        """Every point takes ``shots`` calls; the probing call may add three."""
        return n * shots + (3 if self.vectorized is None else 0)

    @property
    def state(self) -> dict[str, Any]:
        """Calls made, whether batches are taken, and the generator's state if one was given."""
        rng = None if self._generator is None else self._generator.bit_generator.state
        return {"spent": self.spent, "vectorized": self.vectorized, "rng": rng}

    @state.setter
    def state(self, state: Mapping[str, Any]) -> None:
        self.spent = int(state["spent"])
        self.vectorized = state["vectorized"]
        if (self._generator is None) != (state["rng"] is None):
            raise ValueError(
                "generator must be given again exactly when the saved run had one: the noise "
                "could not be continued otherwise."
            )
        if self._generator is not None:
            self._generator.bit_generator.state = dict(state["rng"])

    def _takes_batches(self, points: Array) -> bool:
        """Probe with a row count other than d, and count what was evaluated."""
        dim = points.shape[1]
        rows = 2 if dim != 2 else 3
        probe = np.resize(points, (rows, dim))
        try:
            values = np.asarray(self.fun(probe), dtype=float)
        except Exception:  # any failure on a batch means: not made for batches
            values = np.empty(0)
        batched = values.shape == (rows,)
        self.spent += rows if batched else 1
        return batched

    def _call_batch(self, points: Array) -> Array:
        try:
            values = np.asarray(self.fun(points), dtype=float)
        except Exception as error:
            raise OracleError(
                f"fun raised {error!r} on a batch of {len(points)} points."
            ) from error
        if values.shape != (len(points),):
            raise OracleError(
                f"fun was given an array of shape {points.shape} and must return shape "
                f"({len(points)},), not {values.shape}; pass vectorized=False if it takes one "
                "point at a time."
            )
        self.spent += len(points)
        return values

    def _call_each(self, points: Array) -> Array:
        values = np.empty(len(points))
        for index, point in enumerate(points):
            try:
                values[index] = float(self.fun(point.copy()))
            except Exception as error:
                raise OracleError(
                    f"fun raised {error!r} at x = {point.tolist()}.", point
                ) from error
            self.spent += 1
        return values


class ExternalOracle:
    """Stands for evaluations made outside, by who asks and tells step by step.

    Attributes:
        answer: The estimate to hand over at the next ``evaluate``; put it there first.
    """

    reports_variances = False

    def __init__(self) -> None:
        self.spent = 0
        self.answer: Estimate | None = None

    def evaluate(self, points: ArrayLike, shots: int) -> Estimate:
        """Hand over what was evaluated outside, and charge it."""
        if self.answer is None:
            raise OracleError("nothing was told: evaluate the points that were asked, then tell.")
        estimate, self.answer = self.answer, None
        self.spent += len(np.atleast_2d(points)) * shots
        return estimate

    def cost(self, n: int, shots: int) -> int:
        """Every point takes ``shots``."""
        return n * shots

    @property
    def state(self) -> dict[str, Any]:
        """The shots spent."""
        return {"spent": self.spent}

    @state.setter
    def state(self, state: Mapping[str, Any]) -> None:
        self.spent = int(state["spent"])


def as_oracle(oracle_or_fun: Any, vectorized: bool | None = None) -> Oracle:
    """Take an oracle as it is, and make one of a callable.

    Args:
        oracle_or_fun: An oracle (it has ``evaluate``) or a callable.
        vectorized: Whether a callable takes (n, d) arrays; None finds out.

    Example:
        >>> as_oracle(lambda x: x @ x).evaluate([[1.0, 2.0]], shots=1).values
        array([5.])
    """
    if hasattr(oracle_or_fun, "evaluate"):
        missing = [
            name
            for name in ("cost", "state", "spent", "reports_variances")
            if not hasattr(oracle_or_fun, name)
        ]
        if missing:
            raise TypeError(
                f"the oracle {type(oracle_or_fun).__name__} lacks {', '.join(missing)}; see "
                "qiskit_arcmaes.oracles.Oracle for the contract."
            )
        return oracle_or_fun  # type: ignore[no-any-return]
    return CallableOracle(oracle_or_fun, vectorized)


def check_shots(shots: int) -> None:
    """Refuse a shot count that is not a whole number >= 1."""
    if isinstance(shots, bool) or not isinstance(shots, int | np.integer) or shots < 1:
        raise ValueError(f"shots must be a whole number >= 1, not {shots!r}.")
