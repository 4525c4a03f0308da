"""Callables that take the shots themselves."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from qiskit_arcmaes.oracles.callables import CallableOracle
from qiskit_arcmaes.oracles.contract import Estimate, check_shots

Array = NDArray[np.float64]


def takes_shots(fun: Any) -> bool:
    """Whether a callable has a parameter named ``shots`` that can be given by name.

    Example:
        >>> takes_shots(lambda x, shots=None: 0.0), takes_shots(lambda x: 0.0)
        (True, False)
    """
    try:
        parameter = inspect.signature(fun).parameters.get("shots")
    except (TypeError, ValueError):  # builtins have no signature
        return False
    return parameter is not None and parameter.kind in (
        parameter.POSITIONAL_OR_KEYWORD,
        parameter.KEYWORD_ONLY,
    )


class ShotLoss:
    """A callable ``fun(x, shots)`` as a function of the point.

    Args:
        fun: Takes a point or an (n, d) array, and ``shots``.

    Attributes:
        fun: The callable.
        shots: What it is called with.

    Example:
        >>> loss = ShotLoss(lambda x, shots: sum(x) / shots)
        >>> loss.shots = 10
        >>> loss([1.0, 2.0])
        0.3
    """

    def __init__(self, fun: Callable[..., Any]) -> None:
        self.fun = fun
        self.shots = 1

    def __call__(self, x: Any) -> Any:
        """Call the function at a point with the present shots."""
        return self.fun(x, shots=self.shots)


class ShotCallableOracle(CallableOracle):
    """A callable with a parameter named ``shots``: called once per point, with the shots to take.

    It returns the mean over that number of shots. Its noise is found out from repeated points.

    Args:
        fun: ``fun(x, shots)`` or ``fun(x, shots=...)``; takes a 1-D point and returns a number, or
            takes an (n, d) array and returns (n,).
        vectorized: Which of the two. None finds it out before the first job, with one shot each at
            two or three points, which are counted.
        calls_before: Shots that were taken to find out what ``fun`` is, >= 0; they are counted
            with the first job.

    Example:
        >>> rng = np.random.default_rng(1)
        >>> oracle = ShotCallableOracle(lambda x, shots: x @ x + rng.normal() / shots**0.5)
        >>> bool(abs(oracle.evaluate([[1.0, 2.0]], shots=10**6).values[0] - 5.0) < 0.01)
        True
        >>> oracle.spent
        1000001
    """

    def __init__(
        self, fun: Callable[..., Any], vectorized: bool | None = None, calls_before: int = 0
    ) -> None:
        self.loss = fun if isinstance(fun, ShotLoss) else ShotLoss(fun)
        super().__init__(self.loss, vectorized, calls_before=calls_before)

    def evaluate(self, points: ArrayLike, shots: int) -> Estimate:
        """Call the function at every row, with its shots."""
        points = np.atleast_2d(np.asarray(points, dtype=float))
        check_shots(shots)
        self.charge(self._uncounted)
        self._uncounted = 0
        self.loss.shots = 1
        if self.vectorized is None:
            self.vectorized = self._takes_batches(points)
        self.loss.shots = int(shots)
        call = self._call_batch if self.vectorized else self._call_each
        values = call(points, int(shots))
        return Estimate(np.where(np.isfinite(values), values, np.nan))
