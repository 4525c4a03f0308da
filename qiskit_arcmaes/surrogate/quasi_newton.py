"""A quasi-Newton descent with finite differences, while the noise of single values is negligible.

A quadratic has d²/2 coefficients, a slope d. Where the loss falls by far more than the noise,
slopes from 2d values and the curvature that they reveal on the way (BFGS) descend at a small part
of the cost of a regression: curved valleys are followed by many cheap steps. The width of the
differences is that of implicit filtering (Kelley, Implicit Filtering, 2011): it begins at sigma0,
which smooths ripples, and falls with the steps. It is never so narrow that the curvature changes
the loss by less than its noise (Moré and Wild, ACM Trans. Math. Softw. 38, 2012). That such
differences keep up with Powell's methods also under noise is shown by Shi et al. (Optim. Methods
Softw. 38, 2023).
"""

from __future__ import annotations

import enum
import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from qiskit_arcmaes.domain import Domain
from qiskit_arcmaes.surrogate.params import DescentParams

Array = NDArray[np.float64]

_TINY = 1e-300  # replaces zero in denominators


class Ending(enum.Enum):
    """Why the descent has ended."""

    NOISE = "the slope is hidden by noise"
    STALLED = "no step leads lower"
    CONVERGED = "what a step promises is within rounding"


@dataclass(frozen=True)
class Descent:
    """State of a descent.

    Attributes:
        centre: The present point, shape (d,); periodic coordinates are not wrapped.
        radius: Half the width of the differences.
        longest: Length of the longest step.
        hessian: Its estimate, shape (d, d); None before the first differences.
        gradient: The slope at the point before, shape (d,); None there.
        step: The step that has led to ``centre``; None at the start and after a failure.
        value: The loss at ``centre`` as the last differences found it; NaN before.
        direction: The next step, where trial points are due; None where differences are.
        gained: Fall of the loss so far.
        ending: Why it has ended; None before.
    """

    centre: Array
    radius: float
    longest: float
    hessian: Array | None = None
    gradient: Array | None = None
    step: Array | None = None
    value: float = math.nan
    direction: Array | None = None
    gained: float = 0.0
    ending: Ending | None = None


@dataclass(frozen=True)
class Slope:
    """What differences tell.

    Attributes:
        gradient: Shape (d,).
        second: Second derivatives along the coordinates, NaN where unknown, shape (d,).
        widths: Distance of the two points of each difference, shape (d,).
    """

    gradient: Array
    second: Array
    widths: Array


class QuasiNewton:
    """Advances a descent from job to job: differences, then trial points along the step.

    Args:
        domain: Bounds and periods.
        sigma0: The first radius.
        params: Parameters of the descent.

    Example:
        >>> from qiskit_arcmaes.domain import make_domain
        >>> method = QuasiNewton(make_domain(3), 1.0, DescentParams())
        >>> descent = method.start(np.full(3, 2.0))
        >>> while descent.ending is None:
        ...     points = method.points(descent, noise=0.0)
        ...     descent = method.advance(descent, points, np.sum(points**2, axis=1), noise=0.0)
        >>> descent.ending.name, bool(np.abs(descent.centre).max() < 1e-6)
        ('CONVERGED', True)
    """

    def __init__(self, domain: Domain, sigma0: float, params: DescentParams) -> None:
        self.domain, self.params = domain, params
        self.sigma0 = min(sigma0, domain.step_limit)

    def start(self, centre: Array) -> Descent:
        """A descent from a point."""
        return Descent(centre, self.sigma0, self.sigma0 * math.sqrt(len(centre)))

    def points(self, descent: Descent, noise: float) -> Array:
        """What the next job evaluates, shape (n, d).

        Args:
            descent: The present state.
            noise: Variance of one value.
        """
        centre = descent.centre
        if descent.direction is not None:
            fractions = np.array(self.params.fractions)[:, None]
            return self.domain.repair(centre + fractions * descent.direction)
        offsets = np.diag(self._widths(descent, noise))
        if self._one_sided(descent, noise):
            assert descent.gradient is not None
            offsets *= np.where(descent.gradient > 0, -1.0, 1.0)[:, None]  # downhill
            return self.domain.repair(np.concatenate([centre + offsets, centre[None]]))
        points = np.concatenate([centre + offsets, centre - offsets, centre[None]])
        return self.domain.repair(points)

    def _one_sided(self, descent: Descent, noise: float) -> bool:
        """Whether differences to the centre do: without noise, and once the curvature is known."""
        return noise == 0 and descent.step is not None

    def scale(self, descent: Descent, noise: float) -> Array:
        """Matrix D of a distribution in which the loss rises well above the noise, shape (d, d).

        Args:
            descent: A descent that has ended.
            noise: Variance of one value.
        """
        if descent.hessian is None:
            return descent.radius * np.eye(len(descent.centre))
        curvatures, axes = np.linalg.eigh(descent.hessian)
        rise = self.params.rise * math.sqrt(noise)
        radii = np.sqrt(2 * rise / np.maximum(curvatures, _TINY))
        return np.asarray((axes * np.minimum(radii, self.sigma0)) @ axes.T)

    def cost(self, dim: int) -> int:
        """Points of one iteration."""
        return 2 * dim + 1 + len(self.params.fractions)

    def _widths(self, descent: Descent, noise: float) -> Array:
        """Half the width of the difference along each coordinate, shape (d,)."""
        radius = descent.radius
        if self._one_sided(descent, noise):
            radius *= self.params.one_sided_width
        widths = np.full(len(descent.centre), radius)
        if descent.hessian is None:
            return widths
        error = math.sqrt(max(noise, (self.params.rounding * descent.value) ** 2))
        curvatures = np.maximum(np.diag(descent.hessian), _TINY)
        narrowest = self.params.width * np.sqrt(error / curvatures)
        return np.asarray(np.minimum(np.maximum(widths, narrowest), self.sigma0))

    def advance(self, descent: Descent, points: Array, values: Array, noise: float) -> Descent:
        """Learn from a job.

        Args:
            descent: The state that has chosen the points.
            points: The points, shape (n, d).
            values: The loss there, NaN where it failed, shape (n,).
            noise: Variance of one value.
        """
        if descent.direction is not None:
            return self._try_steps(descent, points, values, noise)
        return self._learn_slope(descent, points, values, noise)

    def _learn_slope(self, descent: Descent, points: Array, values: Array, noise: float) -> Descent:
        """Take the slope from differences, update the Hessian, and choose the next step."""
        value = float(values[-1])
        if not math.isfinite(value):
            return replace(descent, ending=Ending.STALLED)
        values = np.where(np.isfinite(values), values, value)
        one_sided = self._one_sided(descent, noise)
        slope = one_sided_slope if one_sided else central_slope
        found = slope(points, values, descent.hessian)
        if np.any(found.widths <= self.params.rounding * np.abs(descent.centre)):
            return replace(descent, ending=Ending.CONVERGED)
        hessian = self._hessian(descent, found)
        known = replace(descent, value=value, hessian=hessian, gradient=found.gradient)
        signal = float(np.mean((found.gradient * found.widths) ** 2))
        if noise > 0 and signal < self.params.significant * 2 * noise:
            return replace(known, ending=Ending.NOISE)
        direction = self._direction(found.gradient, hessian, descent.longest)
        promise = -float(found.gradient @ direction) / 2
        if promise > self.params.rounding * max(descent.gained, abs(value)):
            return replace(known, direction=direction)
        if one_sided:  # central differences decide
            return replace(descent, value=value, hessian=None, gradient=None, step=None)
        flat = not np.any(found.second)
        return replace(known, ending=Ending.STALLED if flat else Ending.CONVERGED)

    def _hessian(self, descent: Descent, found: Slope) -> Array:
        """The diagonal from second differences at first, then Powell's damped BFGS."""
        before, step, gradient, second = descent.hessian, descent.step, found.gradient, found.second
        if before is None or step is None or descent.gradient is None:
            fallback = float(np.linalg.norm(gradient)) / descent.longest
            known = np.where(np.isfinite(second) & (second != 0), np.abs(second), fallback)
            return np.diag(np.maximum(known, self.params.flattest * known.max()))
        predicted = before @ step
        expected, seen = float(step @ predicted), float(step @ (gradient - descent.gradient))
        share = 1.0
        if seen < self.params.damping * expected:
            share = (1 - self.params.damping) * expected / (expected - seen)
        change = share * (gradient - descent.gradient) + (1 - share) * predicted
        updated = (
            before
            - np.outer(predicted, predicted) / expected
            + np.outer(change, change) / float(step @ change)
        )
        return updated if np.isfinite(updated).all() else before

    def _direction(self, gradient: Array, hessian: Array, longest: float) -> Array:
        """The step to the minimiser of the quadratic, at most ``longest`` long."""
        curvatures, axes = np.linalg.eigh(hessian)
        curvatures = np.maximum(curvatures, max(self.params.rounding * curvatures[-1], _TINY))
        direction = -(axes / curvatures) @ (axes.T @ gradient)
        length = max(float(np.linalg.norm(direction)), _TINY)
        return np.asarray(direction * min(1.0, longest / length))

    def _try_steps(self, descent: Descent, points: Array, values: Array, noise: float) -> Descent:
        """Go to the lowest trial point, or narrow the differences."""
        values = np.where(np.isfinite(values), values, math.inf)
        best, descent = int(np.argmin(values)), replace(descent, direction=None)
        step = points[best] - descent.centre
        proof = self.params.proof * math.sqrt(noise)
        gain = descent.value - float(values[best])
        if gain > max(proof, self.params.rounding * abs(descent.value)) and step.any():
            typical = float(np.linalg.norm(step)) / math.sqrt(len(step))
            narrower = max(typical, descent.radius / self.params.fastest_narrowing)
            return replace(
                descent,
                centre=points[best],
                step=step,
                radius=min(descent.radius, narrower),
                gained=descent.gained + gain,
            )
        return self._narrowed(descent, noise)

    def _narrowed(self, descent: Descent, noise: float) -> Descent:
        """After a failure: narrower differences, shorter steps, curvature learnt anew."""
        radius = descent.radius / self.params.narrowing
        shortest = radius * math.sqrt(len(descent.centre))
        longest = max(descent.longest / self.params.narrowing, shortest)
        limit = self.params.narrowest * self.sigma0
        ended = radius < limit or float(self._widths(descent, noise).min()) > 2 * descent.radius
        return replace(
            descent,
            radius=radius,
            longest=longest,
            hessian=None,
            gradient=None,
            step=None,
            ending=Ending.STALLED if ended else None,
        )


def central_slope(points: Array, values: Array, hessian: Array | None) -> Slope:
    """The slope from differences across the centre, along the coordinates.

    Args:
        points: First points of all pairs, then the second ones, last the centre, shape (2d + 1, d).
        values: The loss there, shape (2d + 1,).
        hessian: Not needed.
    """
    centre, value = points[-1], values[-1]
    above, below = np.split(points[:-1], 2)
    rises, falls = np.diag(above - centre), np.diag(centre - below)
    first, second = np.split(values[:-1], 2)
    widths = rises + falls
    with np.errstate(divide="ignore", invalid="ignore"):  # a bound may leave no room on a side
        change = (first - value) / rises - (value - second) / falls
        return Slope((first - second) / widths, 2 * change / widths, widths)


def one_sided_slope(points: Array, values: Array, hessian: Array | None) -> Slope:
    """The slope from differences to the centre, less what the known curvature adds.

    Args:
        points: One point along each coordinate, last the centre, shape (d + 1, d).
        values: The loss there, shape (d + 1,).
        hessian: Its estimate, shape (d, d).
    """
    assert hessian is not None
    rises = np.diag(points[:-1] - points[-1])
    with np.errstate(divide="ignore", invalid="ignore"):
        gradient = (values[:-1] - values[-1]) / rises - rises * np.diag(hessian) / 2
    return Slope(gradient, np.full(len(rises), math.nan), np.abs(rises))
