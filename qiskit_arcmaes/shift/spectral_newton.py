"""Second-order phase with shift rules: designs about draws of the gradient model's minimiser."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from qiskit_arcmaes.method import Setup
from qiskit_arcmaes.numerics.newton import newton_step
from qiskit_arcmaes.shift.descent import DescentPhase, measured
from qiskit_arcmaes.shift.gradient_surrogate import Surrogate, fit_record, next_design
from qiskit_arcmaes.shift.iterate import Iterate
from qiskit_arcmaes.shift.newton_phase import NewtonPhase
from qiskit_arcmaes.shift.readings import SlopeReading
from qiskit_arcmaes.shift.rules import SlopeRules
from qiskit_arcmaes.shift.spectral_params import SpectralParams
from qiskit_arcmaes.shift.spectral_plan import least_shots, model_steps

Array = NDArray[np.float64]


def is_due(phase: DescentPhase, dim: int, params: SpectralParams) -> bool:
    """Whether a descent should try to hand over: it is planned, and there are enough steps.

    Args:
        phase: The descent.
        dim: Number of angles.
        params: Parameters of the method.
    """
    steps = phase.adam.steps
    enough = steps >= model_steps(dim, params) and steps % params.plan.value_interval == 0
    return phase.plan.second_order and enough


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
    if few or designs < newton.fewest_designs * least_shots(setup):
        return None
    guess = max(float(np.mean(record.curvatures**2)), params.model.least_prior_variance)
    fit = fit_record(record, iterate.centre, guess, 0.0, params.model)
    step = newton_step(fit.quadratic, params.model.resolution, _radius(rules.dim, params))
    if step.step_fraction < 1:
        return None
    surrogate = next_design(fit, step, iterate.centre, rng, newton)
    least = min(setup.overhead, designs / newton.fewest_designs)
    jobs = newton.most_designs
    if setup.max_jobs is not None:
        jobs = max(min(jobs, setup.max_jobs - iterate.jobs - 1), 1)
    shots = max(designs / jobs, least, least_shots(setup))
    refinement = NewtonPhase(record, surrogate, phase.plan.limit, shots)
    return refinement, _moved(iterate, surrogate)


def refinement_points(phase: NewtonPhase, rules: SlopeRules) -> Array:
    """All pairs about the centre of the design, and that centre twice."""
    centre = phase.surrogate.design
    return np.concatenate([rules.points(centre), centre[None], centre[None]])


def refine(
    phase: NewtonPhase,
    iterate: Iterate,
    reading: SlopeReading,
    rng: np.random.Generator,
    params: SpectralParams,
) -> tuple[NewtonPhase, Iterate]:
    """Take in a design, fit, and go to the minimum; failed slopes count as expected.

    Args:
        phase: The phase as it asked for the design.
        iterate: The present point.
        reading: What the design told.
        rng: Draws the next design.
        params: Parameters of the method.
    """
    record, before = phase.record, phase.surrogate
    if not math.isnan(reading.value):
        iterate = measured(iterate, reading)
        record = record.with_curvatures(reading.curvatures, reading.shots)
    if np.isfinite(reading.slopes).any():
        slopes = np.where(np.isfinite(reading.slopes), reading.slopes, before.expected)
        record = record.with_gradient(before.design, slopes, float(reading.variances.mean()))
    fit = fit_record(
        record, iterate.centre, before.prior_variance, before.lack_of_fit, params.model
    )
    step = newton_step(fit.quadratic, params.model.resolution, _radius(len(before.design), params))
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
