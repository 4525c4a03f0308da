"""What follows from the setup where the frequencies are known: coordinates, rules, descents."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from qiskit_arcmaes.method import Setup
from qiskit_arcmaes.shift.descent import DescentPhase, start_descent
from qiskit_arcmaes.shift.group_rules import GroupRules, make_group_rules
from qiskit_arcmaes.shift.inspection import StartProof
from qiskit_arcmaes.shift.iterate import Iterate
from qiskit_arcmaes.shift.plan import Stage
from qiskit_arcmaes.shift.rules import SlopeRules, pair_rules
from qiskit_arcmaes.shift.spectral_coordinates import SpectralCoordinates
from qiskit_arcmaes.shift.spectral_params import SpectralParams
from qiskit_arcmaes.shift.spectral_plan import plan_descent, run_rules

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
    _groups: dict[tuple[bool, float], GroupRules] = field(default_factory=dict)  # a cache

    @classmethod
    def of(cls, setup: Setup, params: SpectralParams, trust_radius: float | None) -> Problem:
        """Read coordinates and rules from a setup with spectra."""
        if setup.spectra is None:
            raise ValueError("setup.spectra must be known; without them run ParameterShift.")
        coordinates = SpectralCoordinates.of(setup, setup.spectra)
        spectra = tuple(setup.spectra[index] for index in coordinates.live)
        if trust_radius is not None:
            trust_radius /= float(coordinates.scale.max())
        exact, pairs = run_rules(spectra, setup, params), pair_rules(spectra, params.rules)
        return cls(setup, params, coordinates, exact, pairs, trust_radius)

    @property
    def dim(self) -> int:
        """Number of angles that the loss depends on."""
        return self.exact.dim

    @property
    def x0(self) -> Array:
        """The first point in scaled radians, shape (d,)."""
        return self.coordinates.to_angles(self.setup.start)

    @property
    def first_rate(self) -> float:
        """First rate of an uninformed start in radians."""
        return self.params.rate.first

    @property
    def has_several_frequencies(self) -> bool:
        """Whether any angle has several frequencies, so that the loss has many minima."""
        return bool(self.pairs.finite.any())

    @property
    def layers(self) -> NDArray[np.int_]:
        """The kind of each angle, shape (d,): neighbours of the same period are layers of one."""
        periods = self.coordinates.periods
        changes = ~np.isclose(periods[1:], periods[:-1])
        return np.concatenate([[0], np.cumsum(changes)])

    def rules(self, stage: Stage, iterate: Iterate) -> SlopeRules:
        """The rules of a stage; between narrow bounds they depend on the centre."""
        rules = self.pairs
        if stage is not Stage.EXPLORING:
            rules = self.exact.with_shift(iterate.test.shift)
        c = self.coordinates
        return rules.within(iterate.centre, c.low / c.scale, c.high / c.scale, c.narrow)

    def group_rules(self, stage: Stage, iterate: Iterate) -> GroupRules:
        """The rules of a stage, divided over circuits; only where the circuit is known."""
        assert self.setup.circuit is not None
        key = (stage is Stage.EXPLORING, iterate.test.shift)
        if key not in self._groups or self.coordinates.narrow.any():
            rules = self.rules(stage, iterate)
            live = self.coordinates.live
            self._groups[key] = make_group_rules(self.setup.circuit, live, rules)
        return self._groups[key]

    @property
    def reserve(self) -> float:
        """One-shot evaluations that are kept for the comparison with x0."""
        return self.params.acceptance.share * self.setup.budget

    def descent(
        self,
        stage: Stage,
        budget: float,
        iterate: Iterate,
        rate: float,
        proof: StartProof,
    ) -> DescentPhase:
        """A descent with a budget; the first step is no longer than trusted."""
        rules = self.pairs if stage is Stage.EXPLORING else self.exact
        jobs = self.jobs(budget, iterate)
        plan = plan_descent(
            stage, budget, iterate.spent, rate, rules, self.setup, self.params, jobs, iterate.jobs
        )
        if self.trust_radius is not None:
            rate = min(rate, self.trust_radius)
        curvature = float(proof.curvatures.mean())
        if self.coordinates.narrow.any():  # a model of the gradient knows no bounds
            plan = replace(plan, second_order=False)
        return start_descent(replace(plan, rate=rate), self.dim, curvature)

    def jobs(self, budget: float, iterate: Iterate) -> float:
        """Jobs of a descent, its share of those that are left; one is kept for the comparison."""
        if self.setup.max_jobs is None:
            return math.inf
        rest = self.setup.budget - self.reserve - iterate.spent
        left = self.setup.max_jobs - iterate.jobs - 1
        return max(math.floor(left * min(budget / max(rest, 1e-300), 1.0)), 1)
