"""Where a run begins: at x0, or where the exact expansion of the loss about x0 is lowest.

At a Clifford point (Hartree-Fock, Néel states, all angles zero) value, slopes and Hessian follow
from the circuit without a shot (``rotations.expansion``). The first point is then the minimiser of
the second-order expansion within a trust region: a Newton step from Hartree-Fock, and a way out of
saddle points, at which product states often lie and which no slope shows. x0 stays a candidate: it
is compared with the recommendation at the end.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

from qiskit_arcmaes.rotations import expand
from qiskit_arcmaes.shift.problem import Problem
from qiskit_arcmaes.shift.spectral_params import ExpansionParams

Array = NDArray[np.float64]

ALGORITHM = "inspection of a Newton step from the exact expansion at x0"

_SAME = 1e-6  # relative difference by which a step of the radius may fall short of it


@dataclass(frozen=True, eq=False)
class FirstPoint:
    """Where a run begins.

    Attributes:
        point: In scaled radians, shape (d,).
        is_far: Whether the minimum is known to be far from x0: outside of the trust region.
    """

    point: Array
    is_far: bool = False


def first_point(problem: Problem, rng: np.random.Generator) -> FirstPoint:
    """The lowest point of the expansion at x0; x0 itself where that is not known.

    Args:
        problem: Coordinates, start and circuit.
        rng: Chooses a side of a saddle point.
    """
    circuit, coordinates = problem.setup.circuit, problem.coordinates
    if circuit is None or circuit.form is None:
        return FirstPoint(problem.x0)
    expansion = expand(circuit.form, problem.setup.start)
    if expansion is None:
        return FirstPoint(problem.x0)
    live, scale = coordinates.live, coordinates.scale
    slopes = expansion.slopes[live] * scale
    hessian = expansion.hessian[np.ix_(live, live)] * np.outer(scale, scale)
    step = lowest_step(slopes, hessian, rng, problem.params.expansion)
    is_far = bool(np.linalg.norm(step) > problem.params.expansion.radius * (1 - _SAME))
    longest = float(np.abs(step).max(initial=0.0))
    if problem.trust_radius is not None and longest > problem.trust_radius:
        step *= problem.trust_radius / longest
    return FirstPoint(coordinates.inside(problem.x0 + step), is_far)


def lowest_step(
    slopes: Array, hessian: Array, rng: np.random.Generator, params: ExpansionParams
) -> Array:
    """Minimiser of slopes·s + s·hessian·s/2 over ‖s‖ <= radius, shape (d,).

    Directions without a slope are left alone: a negative curvature there may vanish on the way to
    the minimum along the others. Only where they promise much more than the slopes, as at a saddle
    point, they get a random slope, which chooses a side.

    Args:
        slopes: Shape (d,).
        hessian: Shape (d, d).
        rng: Draws that slope, where there is a negative curvature.
        params: The radius, and what is much more.

    Example:
        >>> rng, params = np.random.default_rng(1), ExpansionParams(radius=1.0)
        >>> lowest_step(np.array([0.5, 0.0]), np.diag([2.0, -0.1]), rng, params).round(3).tolist()
        [-0.25, 0.0]
        >>> step = lowest_step(np.zeros(2), np.diag([-1.0, 1.0]), rng, params)
        >>> np.abs(step).round(3).tolist()
        [1.0, 0.0]
    """
    curvatures, axes = np.linalg.eigh(hessian)
    largest = float(max(np.abs(curvatures).max(initial=0.0), np.abs(slopes).max(initial=0.0)))
    along = axes.T @ slopes
    along[np.abs(along) <= params.rounding * largest] = 0.0
    step = _trusted_step(along, curvatures, params)
    falling = curvatures < -params.rounding * largest
    if falling.any():
        drawn = np.where(falling, rng.standard_normal(len(along)), 0.0)
        pushed = along + params.perturbation * largest * params.radius * drawn
        other = _trusted_step(pushed, curvatures, params)
        if _change(other, along, curvatures) < params.much_more * _change(step, along, curvatures):
            step = other
    return np.asarray(axes @ step)


def _change(step: Array, along: Array, curvatures: Array) -> float:
    return float(along @ step + curvatures @ np.square(step) / 2)


def _trusted_step(along: Array, curvatures: Array, params: ExpansionParams) -> Array:
    """The step along the principal axes (Moré and Sorensen, SIAM J. Sci. Stat. Comput. 4, 553)."""
    moved = np.flatnonzero(along)
    step = np.zeros(len(along))
    if not len(moved):
        return step
    slopes, bends = along[moved], curvatures[moved]
    length = float(np.linalg.norm(slopes))

    def excess(shift: float) -> float:
        return float(np.linalg.norm(slopes / (bends + shift))) - params.radius

    least = max(-float(bends.min()), 0.0) + params.rounding * length / params.radius
    if excess(least) > 0:
        most = least + length / params.radius + float(np.abs(bends).max())
        least = brentq(excess, least, most)
    step[moved] = -slopes / (bends + least)
    return step
