"""Descents of a run with known frequencies: the first one, several ones, the last one."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from qiskit_arcmaes.method import Setup
from qiskit_arcmaes.shift.descent import DescentPhase, start_descent
from qiskit_arcmaes.shift.inspection import StartProof, expected_gain, proved_rate
from qiskit_arcmaes.shift.iterate import Iterate
from qiskit_arcmaes.shift.multistart import ComparisonPhase
from qiskit_arcmaes.shift.plan import Stage
from qiskit_arcmaes.shift.rules import SlopeRules, balanced_shift, exact_rules, pair_rules
from qiskit_arcmaes.shift.spectral_coordinates import SpectralCoordinates
from qiskit_arcmaes.shift.spectral_params import SpectralParams
from qiskit_arcmaes.shift.spectral_plan import count_starts, plan_descent, short_run_factor

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Problem:
    """What follows from the setup.

    Attributes:
        setup: The problem.
        params: Parameters of the method.
        coordinates: Scaled angles.
        exact: Rules of the first job and of descents that end in the answer.
        pairs: Rules of descents that explore.
        trust_radius: Largest first step in radians, where the user gave one.
    """

    setup: Setup
    params: SpectralParams
    coordinates: SpectralCoordinates
    exact: SlopeRules
    pairs: SlopeRules
    trust_radius: float | None

    @classmethod
    def of(cls, setup: Setup, params: SpectralParams, trust_radius: float | None) -> Problem:
        """Read coordinates and rules from a setup with spectra."""
        if setup.spectra is None:
            raise ValueError("setup.spectra must be known; without them run ParameterShift.")
        coordinates = SpectralCoordinates.of(setup, setup.spectra)
        spectra = tuple(setup.spectra[index] for index in coordinates.live)
        if trust_radius is not None:
            trust_radius /= float(coordinates.scale.max())
        exact, pairs = exact_rules(spectra, params.rules), pair_rules(spectra, params.rules)
        return cls(setup, params, coordinates, exact, pairs, trust_radius)

    @property
    def dim(self) -> int:
        """Number of angles that the loss depends on."""
        return self.exact.dim

    @property
    def x0(self) -> Array:
        """The first point in scaled radians, shape (d,)."""
        return self.coordinates.to_angles(self.setup.start)

    def rules(self, stage: Stage, iterate: Iterate) -> SlopeRules:
        """The rules of a stage."""
        if stage is Stage.EXPLORING:
            return self.pairs
        return self.exact.with_shift(iterate.test.shift)

    @property
    def reserve(self) -> float:
        """One-shot evaluations that are kept for the comparison with x0."""
        return self.params.acceptance.share * self.setup.budget

    def descent(
        self, stage: Stage, budget: float, spent: float, rate: float, gated: bool = False
    ) -> DescentPhase:
        """A descent with a budget; the first step is longer in a short run, or as trusted."""
        rules = self.pairs if stage is Stage.EXPLORING else self.exact
        plan = plan_descent(stage, budget, spent, rate, gated, rules, self.setup, self.params)
        if not gated:
            rate *= short_run_factor(plan.steps, self.params.descent)
        if self.trust_radius is not None:
            rate = min(rate, self.trust_radius)
        return start_descent(replace(plan, rate=rate), self.dim)


@dataclass(frozen=True)
class Restarts:
    """Several starts.

    Attributes:
        count: How many there will be; 0 where there is one descent.
        endpoints: Their endpoints so far, shape (k, d).
    """

    count: int
    endpoints: Array


def first_descent(
    problem: Problem, proof: StartProof, informed: bool, iterate: Iterate
) -> tuple[Restarts, DescentPhase, Iterate]:
    """Begin from x0: with steps as proved, with plain ones, or as the first of several starts.

    Args:
        problem: The problem.
        proof: What the first job told.
        informed: Whether x0 is an informed start.
        iterate: x0.
    """
    spent = iterate.spent
    starts = Restarts(0, np.empty((0, problem.dim)))
    several = bool(problem.pairs.finite.any()) and not informed and problem.trust_radius is None
    share = problem.params.restarts.budget_share * problem.setup.budget - spent
    count = count_starts(share, problem.pairs, problem.setup, problem.params) if several else 1
    if count > 1:
        starts = replace(starts, count=count)
        phase = problem.descent(Stage.EXPLORING, share / count, spent, problem.params.adam.rate)
        return starts, phase, iterate
    rest = problem.setup.budget - problem.reserve - spent
    phase = problem.descent(Stage.SINGLE, rest, spent, problem.params.adam.rate, gated=informed)
    if informed:
        phase = with_proved_rate(phase, problem, proof)
    return starts, phase, narrowed(problem, iterate, proof, rest)


def with_proved_rate(phase: DescentPhase, problem: Problem, proof: StartProof) -> DescentPhase:
    """A descent whose first step is as long as the proved gain allows."""
    params = problem.params.inspection
    deviation = float(np.sqrt(proof.noise * problem.exact.factors.mean() / phase.shots))
    gain = expected_gain(proof, proof.shots)
    rate = proved_rate(gain, problem.dim, deviation, phase.plan.rate, params)
    return replace(phase, plan=replace(phase.plan, rate=rate), rate=rate)


def narrowed(problem: Problem, iterate: Iterate, proof: StartProof, rest: float) -> Iterate:
    """The iterate with the finite shift that suits the rest of the budget."""
    curvature = float(np.mean(np.abs(proof.curvatures)))
    shots = rest / problem.dim
    shift = balanced_shift(shots, iterate.noise.variance, curvature, problem.params.rules)
    return replace(iterate, test=replace(iterate.test, shift=shift))


def end_start(
    problem: Problem, starts: Restarts, iterate: Iterate, rng: np.random.Generator
) -> tuple[Restarts, Iterate, DescentPhase | ComparisonPhase]:
    """Keep the endpoint of a start; begin the next one at random angles, or the comparison.

    Args:
        problem: The problem.
        starts: The starts so far.
        iterate: The endpoint.
        rng: Draws the next start, uniform over a period in every angle.
    """
    starts = replace(starts, endpoints=np.concatenate([starts.endpoints, iterate.centre[None]]))
    done, params = len(starts.endpoints), problem.params.restarts
    rest = params.budget_share * problem.setup.budget - iterate.spent
    if done == starts.count or rest < problem.pairs.rows + 1:
        share = params.comparison_share * problem.setup.budget / (done + 1)
        shots = max(int(share), problem.setup.least_shots)
        rate = problem.params.adam.rate * params.final_rate
        return starts, iterate, ComparisonPhase(shots, rate)
    drawn = problem.coordinates.turn * rng.random(problem.dim)
    budget = rest / (starts.count - done)
    phase = problem.descent(Stage.EXPLORING, budget, iterate.spent, problem.params.adam.rate)
    return starts, replace(iterate, centre=drawn), phase


def choose_endpoint(
    problem: Problem, starts: Restarts, iterate: Iterate, proof: StartProof, values: Array
) -> tuple[DescentPhase, Iterate]:
    """Go on from the lowest of the endpoints and x0 with the rest of the budget.

    Args:
        problem: The problem.
        starts: All starts.
        iterate: The present point.
        proof: What the first job told of the curvatures.
        values: At the endpoints and at x0, NaN where one failed.
    """
    points = np.concatenate([starts.endpoints, problem.x0[None]])
    best = points[int(np.argmin(np.nan_to_num(values, nan=np.inf)))].copy()
    rest = problem.setup.budget - problem.reserve - iterate.spent
    rate = problem.params.adam.rate * problem.params.restarts.final_rate
    phase = problem.descent(Stage.FINAL, rest, iterate.spent, rate)
    iterate = replace(iterate, centre=best, iteration=iterate.iteration + 1)
    return phase, narrowed(problem, iterate, proof, rest)
