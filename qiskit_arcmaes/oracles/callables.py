"""Plain noisy callables as oracles."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from qiskit_arcmaes.oracles.contract import Estimate, Oracle, OracleError, Price, check_shots
from qiskit_arcmaes.oracles.returned import as_number, as_reals

Array = NDArray[np.float64]


class CallableOracle(Oracle):
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
        calls_before: Calls of ``fun`` that were made to find out what it is, >= 0; they are
            counted with the first job.

    Example:
        >>> import numpy as np
        >>> rng = np.random.default_rng(1)
        >>> oracle = CallableOracle(lambda x: x[0] ** 2 + rng.normal(), generator=rng)
        >>> estimate = oracle.evaluate([[0.0, 1.0], [2.0, 1.0], [3.0, 1.0]], shots=400)
        >>> bool(np.all(np.abs(estimate.values - [0, 4, 9]) < 5 * np.sqrt(estimate.variances)))
        True
    """

    def __init__(
        self,
        fun: Callable[[Array], Any],
        vectorized: bool | None = None,
        generator: np.random.Generator | None = None,
        calls_before: int = 0,
    ) -> None:
        if not callable(fun):
            raise TypeError(f"fun must be callable or have an evaluate method, not {fun!r}.")
        self.fun = fun
        self.vectorized = vectorized
        self._generator = generator
        self._uncounted = calls_before

    def evaluate(self, points: ArrayLike, shots: int) -> Estimate:
        """Call the function ``shots`` times at every row; variances come from the repeats."""
        points = np.atleast_2d(np.asarray(points, dtype=float))
        check_shots(shots)
        self.charge(self._uncounted)
        self._uncounted = 0
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

    def price(self, n: int) -> Price:
        """Every point takes ``shots`` calls; the probing call may add three."""
        return Price(self._uncounted + (3 if self.vectorized is None else 0), n)

    @property
    def state(self) -> dict[str, Any]:
        """Calls made, whether batches are taken, and the generator's state if one was given."""
        rng = None if self._generator is None else self._generator.bit_generator.state
        return {"spent": self._spent, "vectorized": self.vectorized, "rng": rng}

    @state.setter
    def state(self, state: Mapping[str, Any]) -> None:
        if (self._generator is None) != (state["rng"] is None):
            raise ValueError(
                "generator must be given again exactly when the saved run had one: the noise "
                "could not be continued otherwise."
            )
        if self._generator is not None:
            self._generator.bit_generator.state = dict(state["rng"])
        self._spent = int(state["spent"])
        self.vectorized = state["vectorized"]

    def _takes_batches(self, points: Array) -> bool:
        """Probe with a row count other than d, and count what was evaluated."""
        dim = points.shape[1]
        rows = 2 if dim != 2 else 3
        probe = np.resize(points, (rows, dim))
        try:
            values = as_reals(self.fun(probe))
        except Exception:  # any failure on a batch means: not made for batches
            values = np.empty(0)
        batched = values.shape == (rows,)
        self.charge(rows if batched else 1)
        return batched

    def _call_batch(self, points: Array, shots: int = 1) -> Array:
        try:
            returned = self.fun(points.copy())
        except Exception as error:
            raise OracleError(
                f"fun raised {error!r} on a batch of {len(points)} points."
            ) from error
        values = as_reals(returned)
        if values.shape != (len(points),):
            raise OracleError(
                f"fun was given an array of shape {points.shape} and must return shape "
                f"({len(points)},), not {values.shape}; pass vectorized=False if it takes one "
                "point at a time."
            )
        self.charge(len(points) * shots)
        return values

    def _call_each(self, points: Array, shots: int = 1) -> Array:
        values = np.empty(len(points))
        for index, point in enumerate(points):
            try:
                returned = self.fun(point.copy())
            except Exception as error:
                raise OracleError(
                    f"fun raised {error!r} at x = {point.tolist()}.", point
                ) from error
            values[index] = as_number(returned)
            self.charge(shots)
        return values
