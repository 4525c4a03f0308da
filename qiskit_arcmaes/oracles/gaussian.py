"""Functions with Gaussian noise: where the truth is known."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from qiskit_arcmaes.oracles.contract import Estimate, Oracle, check_shots

Array = NDArray[np.float64]


class GaussianOracle(Oracle):
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
        values = exact + deviation * self._rng.standard_normal(len(points))
        variances = None
        if self.reports_variances:
            variances = np.broadcast_to(np.square(deviation), values.shape)
        estimate = Estimate(values, variances)
        self.charge(len(points) * shots)  # last: a job that is cut short was no job
        return estimate

    @property
    def state(self) -> dict[str, Any]:
        """The random state and the shots spent."""
        return {"spent": self._spent, "rng": self._rng.bit_generator.state}

    @state.setter
    def state(self, state: Mapping[str, Any]) -> None:
        self._rng.bit_generator.state = dict(state["rng"])
        self._spent = int(state["spent"])
