"""Second-order phase: measure a gradient, fit the gradient model, go to its minimum.

A design is measured not at the minimiser itself but at a draw from its distribution: along axes
where the minimiser is uncertain the designs spread, along the others hardly. The recommendation is
the minimiser.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from qiskit_arcmaes.method import Setup
from qiskit_arcmaes.numerics.newton import newton_step
from qiskit_arcmaes.shift.gradient_surrogate import (
    Surrogate,
    estimated_bias,
    fit_record,
    next_design,
    shift_factor,
)
from qiskit_arcmaes.shift.iterate import Iterate, Measurement
from qiskit_arcmaes.shift.params import ShiftParams
from qiskit_arcmaes.shift.plan import Stage, model_steps
from qiskit_arcmaes.shift.record import GradientRecord
from qiskit_arcmaes.shift.shot_noise import take_twins
from qiskit_arcmaes.shift.slopes import Pairs, curvatures, slope_variance, slopes

Array = NDArray[np.float64]

ALGORITHM = "gradient surrogate"


@dataclass(frozen=True)
class NewtonPhase:
    """State of the second-order phase.

    Attributes:
        record: What the model is fitted to.
        surrogate: What was fitted last.
        limit: One-shot evaluations of the run at which this phase ends.
        shots: Shots per point of every design.
    """

    record: GradientRecord
    surrogate: Surrogate
    limit: float
    shots: float


def is_due(steps: int, rest: float, stage: Stage, setup: Setup, params: ShiftParams) -> bool:
    """Whether the first-order phase should try to hand over.

    Args:
        steps: Steps of Adam in this start; the model needs a multiple of its coefficients.
        rest: One-shot evaluations left to this start, which must pay enough designs.
        stage: Starts that explore are never refined.
        setup: The problem.
        params: Parameters of the method.
    """
    designs = params.newton.fewest_designs * _rows(setup.dim) * setup.least_shots
    return (
        stage is not Stage.EXPLORING
        and steps >= model_steps(setup.dim, params)
        and rest >= designs
        and steps % params.plan.value_interval == 0
    )


def start_newton(
    record: GradientRecord,
    limit: float,
    iterate: Iterate,
    stage: Stage,
    rng: np.random.Generator,
    setup: Setup,
    params: ShiftParams,
) -> tuple[NewtonPhase, Iterate] | None:
    """Fit the last of the first-order steps; None if no minimum lies in the trust region.

    Args:
        record: What the first-order phase measured.
        limit: One-shot evaluations of the run at which the phase will end.
        iterate: The present point.
        stage: With several frequencies the shift is chosen anew.
        rng: Draws the first design.
        setup: The problem.
        params: Parameters of the method.
    """
    recent = record.recent(params.newton.recent_share)
    if not record.curvature_shots or len(recent.gradients.centres) <= setup.dim + 1:
        return None
    guess = max(float(np.mean(record.curvatures**2)), params.model.least_prior_variance)
    fit = fit_record(recent, iterate.centre, guess, 0.0, params.model)
    step = newton_step(fit.quadratic, params.model.resolution, _radius(setup.dim, params))
    if step.step_fraction < 1:
        return None
    surrogate = next_design(fit, step, iterate.centre, rng, params.newton)
    phase = NewtonPhase(recent, surrogate, limit, _plan_shots(limit - iterate.spent, setup, params))
    iterate = _moved(iterate, surrogate)
    return _reduce_shift(phase, iterate, params) if stage is Stage.FINAL else (phase, iterate)


def design_points(phase: NewtonPhase, iterate: Iterate) -> Array:
    """Pairs about the centre of the design, all above, all below, and that centre twice."""
    centre = phase.surrogate.design
    steps = iterate.test.shift * np.eye(len(centre))
    return np.concatenate([centre + steps, centre - steps, centre[None], centre[None]])


def learn(
    phase: NewtonPhase,
    iterate: Iterate,
    job: Measurement,
    rng: np.random.Generator,
    params: ShiftParams,
) -> tuple[NewtonPhase, Iterate]:
    """Take in a design, fit, and go to the minimum; failed slopes count as expected.

    Args:
        phase: The phase as it asked for the design.
        iterate: The present point.
        job: Values at ``design_points``.
        rng: Draws the next design.
        params: Parameters of the method.
    """
    dim, shift = len(iterate.centre), iterate.test.shift
    pairs, twins = Pairs(job.values[:dim], job.values[dim : 2 * dim]), job.values[2 * dim :]
    if not job.reported:
        noise = take_twins(iterate.noise, twins, job.shots, params.newton.noise_weight)
        iterate = replace(iterate, noise=noise)
    record = phase.record
    measured = np.isfinite(twins)
    if measured.any():
        value = float(np.nanmean(twins))
        iterate = replace(iterate, value=value, value_shots=job.shots * int(measured.sum()))
        record = record.with_curvatures(curvatures(pairs.means, value, shift), job.shots)
    gradient = slopes(pairs.half_differences, shift)
    if np.isfinite(gradient).any():
        gradient = np.where(np.isfinite(gradient), gradient, phase.surrogate.expected)
        variance = slope_variance(iterate.noise.variance, 1, job.shots, shift)
        record = record.with_gradient(phase.surrogate.design, gradient, variance)
    before = phase.surrogate
    fit = fit_record(
        record, iterate.centre, before.prior_variance, before.lack_of_fit, params.model
    )
    step = newton_step(fit.quadratic, params.model.resolution, _radius(dim, params))
    surrogate = next_design(fit, step, iterate.centre, rng, params.newton)
    return replace(phase, record=record, surrogate=surrogate), _moved(iterate, surrogate)


def is_over(phase: NewtonPhase, iterate: Iterate) -> bool:
    """Whether the budget does not pay another design."""
    return phase.limit - iterate.spent < _rows(len(iterate.centre)) * phase.shots


def _rows(dim: int) -> int:
    """Points of a design."""
    return 2 * dim + 2


def _plan_shots(rest: float, setup: Setup, params: ShiftParams) -> float:
    """Shots per point: many designs of equal shots, fewer where a new circuit is expensive."""
    rows = _rows(setup.dim)
    least = min(setup.overhead, rest / (params.newton.fewest_designs * rows))
    shots = max(rest / (params.newton.most_designs * rows), least)
    return float(max(int(shots), setup.least_shots))


def _radius(dim: int, params: ShiftParams) -> float:
    """Trust-region radius in radians."""
    return params.newton.radius * math.sqrt(dim)


def _moved(iterate: Iterate, surrogate: Surrogate) -> Iterate:
    """The iterate at the minimum of the surrogate."""
    return replace(iterate, centre=surrogate.minimum, iteration=iterate.iteration + 1)


def _reduce_shift(
    phase: NewtonPhase, iterate: Iterate, params: ShiftParams
) -> tuple[NewtonPhase, Iterate]:
    """Reduce the shift until bias and noise balance; gradients so far then count as biased."""
    record, test, last = phase.record, iterate.test, phase.surrogate
    bias = estimated_bias(record, params.test.ratio)
    pairs = (phase.limit - iterate.spent) / (2 * len(bias))
    deviation = math.sqrt(iterate.noise.variance / (2 * pairs)) / math.sin(test.shift)
    fit = fit_record(record, iterate.centre, last.prior_variance, last.lack_of_fit, params.model)
    factor = shift_factor(fit, bias, deviation, params.model)
    if factor == 1.0:
        return phase, iterate
    phase = replace(phase, record=record.as_biased(float(np.mean(bias**2))))
    shift = max(test.shift * factor, params.test.least_shift)
    return phase, replace(iterate, test=replace(test, shift=shift))
