"""Second-order phase with shift rules: designs about draws of the gradient model's minimiser."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from qiskit_arcmaes.method import Setup
from qiskit_arcmaes.numerics.newton import newton_step
from qiskit_arcmaes.shift.descent import DescentPhase
from qiskit_arcmaes.shift.evidence import expected_changes
from qiskit_arcmaes.shift.gradient_surrogate import Surrogate, fit_record, next_design
from qiskit_arcmaes.shift.iterate import Iterate, Measurement
from qiskit_arcmaes.shift.newton_phase import NewtonPhase
from qiskit_arcmaes.shift.rules import SlopeRules
from qiskit_arcmaes.shift.shot_noise import take_twins
from qiskit_arcmaes.shift.slopes import Pairs
from qiskit_arcmaes.shift.spectral_params import SpectralParams
from qiskit_arcmaes.shift.spectral_plan import model_steps

Array = NDArray[np.float64]


def is_due(phase: DescentPhase, iterate: Iterate, x0: Array, params: SpectralParams) -> bool:
    """Whether a descent should try to hand over: enough steps, and a proved gain where gated.

    Args:
        phase: The descent.
        iterate: The present point.
        x0: The start, shape (d,).
        params: Parameters of the method.
    """
    steps, plan = phase.adam.steps, phase.plan
    enough = steps >= model_steps(len(x0), params) and steps % params.plan.value_interval == 0
    if not (plan.second_order and enough):
        return False
    changes = expected_changes(phase.record, x0, iterate.centre)
    return not plan.gated or float(changes.sum()) < 0


def start_refinement(
    phase: DescentPhase,
    iterate: Iterate,
    rng: np.random.Generator,
    rules: SlopeRules,
    setup: Setup,
    params: SpectralParams,
) -> tuple[NewtonPhase, Iterate] | None:
    """Fit the last steps; None if no minimum lies in the trust region or few designs are paid.

    Args:
        phase: The descent.
        iterate: The present point.
        rng: Draws the first design.
        rules: The shift rules.
        setup: The problem.
        params: Parameters of the method.
    """
    record, newton = phase.record.recent(params.newton.recent_share), params.newton
    designs = (phase.plan.limit - iterate.spent) / (rules.rows + 2)
    few = len(record.gradients.centres) <= rules.dim + 1 or not record.curvature_shots
    if few or designs < newton.fewest_designs * setup.least_shots:
        return None
    guess = max(float(np.mean(record.curvatures**2)), params.model.least_prior_variance)
    fit = fit_record(record, iterate.centre, guess, 0.0, params.model)
    step = newton_step(fit.quadratic, params.model.resolution, _radius(rules.dim, params))
    if step.step_fraction < 1:
        return None
    surrogate = next_design(fit, step, iterate.centre, rng, newton)
    least = min(setup.overhead, designs / newton.fewest_designs)
    shots = max(int(max(designs / newton.most_designs, least)), setup.least_shots)
    refinement = NewtonPhase(record, surrogate, phase.plan.limit, float(shots))
    return refinement, _moved(iterate, surrogate)


def refinement_points(phase: NewtonPhase, rules: SlopeRules) -> Array:
    """All pairs about the centre of the design, and that centre twice."""
    centre = phase.surrogate.design
    return np.concatenate([rules.points(centre), centre[None], centre[None]])


def refine(
    phase: NewtonPhase,
    iterate: Iterate,
    job: Measurement,
    rng: np.random.Generator,
    rules: SlopeRules,
    params: SpectralParams,
) -> tuple[NewtonPhase, Iterate]:
    """Take in a design, fit, and go to the minimum; failed slopes count as expected.

    Args:
        phase: The phase as it asked for the design.
        iterate: The present point.
        job: Values at ``refinement_points``.
        rng: Draws the next design.
        rules: The shift rules.
        params: Parameters of the method.
    """
    values, twins = job.values[:-2], job.values[-2:]
    if not job.reported:
        noise = take_twins(iterate.noise, twins, job.shots, params.newton.noise_weight)
        iterate = replace(iterate, noise=noise)
    pairs, record, before = Pairs(values[::2], values[1::2]), phase.record, phase.surrogate
    measured = np.isfinite(twins)
    if measured.any():
        value = float(np.nanmean(twins))
        iterate = replace(iterate, value=value, value_shots=job.shots * int(measured.sum()))
        record = record.with_curvatures(rules.curvatures(pairs.means, value), job.shots)
    slopes = rules.slopes(pairs.half_differences)
    if np.isfinite(slopes).any():
        slopes = np.where(np.isfinite(slopes), slopes, before.expected)
        variance = float(np.mean(iterate.noise.variance * rules.factors / job.shots))
        record = record.with_gradient(before.design, slopes, variance)
    fit = fit_record(
        record, iterate.centre, before.prior_variance, before.lack_of_fit, params.model
    )
    step = newton_step(fit.quadratic, params.model.resolution, _radius(rules.dim, params))
    surrogate = next_design(fit, step, iterate.centre, rng, params.newton)
    return replace(phase, record=record, surrogate=surrogate), _moved(iterate, surrogate)


def is_over(phase: NewtonPhase, iterate: Iterate, rules: SlopeRules) -> bool:
    """Whether the budget does not pay another design."""
    return phase.limit - iterate.spent < (rules.rows + 2) * phase.shots


def _radius(dim: int, params: SpectralParams) -> float:
    """Trust-region radius in radians."""
    return params.newton.radius * math.sqrt(dim)


def _moved(iterate: Iterate, surrogate: Surrogate) -> Iterate:
    """The iterate at the minimum of the surrogate."""
    return replace(iterate, centre=surrogate.minimum, iteration=iterate.iteration + 1)
