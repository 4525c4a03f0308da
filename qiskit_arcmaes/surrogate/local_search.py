"""A local search: designs around the minimiser of a quadratic that is fitted to all of them."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from qiskit_arcmaes.domain import Domain
from qiskit_arcmaes.method import Setup
from qiskit_arcmaes.numerics.newton import NewtonStep, PrincipalAxes
from qiskit_arcmaes.numerics.noise import NoiseLevel
from qiskit_arcmaes.surrogate.basis import QuadraticBasis
from qiskit_arcmaes.surrogate.bias import measure_bias
from qiskit_arcmaes.surrogate.design import Design, SamplingDistribution
from qiskit_arcmaes.surrogate.lack_of_fit import (
    LackOfFit,
    measure_lack_of_fit,
    unexplained_variance,
)
from qiskit_arcmaes.surrogate.newton import (
    RadiusLimits,
    principal_axes,
    rescaled,
    step_to_minimiser,
)
from qiskit_arcmaes.surrogate.noise import NoiseTrend, PointVariances
from qiskit_arcmaes.surrogate.normal_equations import SumsCache
from qiskit_arcmaes.surrogate.params import SurrogateParams
from qiskit_arcmaes.surrogate.regression import QuadraticModel, fit
from qiskit_arcmaes.surrogate.selection import used_designs
from qiskit_arcmaes.surrogate.shots import Demand, DesignCost, next_cost
from qiskit_arcmaes.surrogate.trust_region import (
    RadiusUpdate,
    TrustRegion,
    is_resolved,
    update_radius,
)
from qiskit_arcmaes.surrogate.wide_fit import WideMemory, remembered, wide_fit

Array = NDArray[np.float64]

_ROUNDING = 1e-9  # of an axis that is as long as it may be


@dataclass(frozen=True)
class LocalSearch:
    """State of a local search.

    Attributes:
        distribution: Where the next design is drawn; its centre is the minimiser.
        demand: What the next design should cost, and what is known for its size.
        started_at: One-shot evaluations of the run before this search.
        designs: The designs that fits may use, oldest first.
        prior_variance: Prior variance of the Hessian's entries; None before the first fit.
        region: State of the trust region.
        noise_trend: How the noise changes with the radius.
        converged: Whether the quadratic has ever fitted with its minimiser resolved.
        value: The quadratic's value at its minimiser.
        std: Its standard error.
        wide: What wider distributions told of the minimiser, although the quadratic did not fit.
    """

    distribution: SamplingDistribution
    demand: Demand
    started_at: float = 0.0
    designs: tuple[Design, ...] = ()
    prior_variance: float | None = None
    region: TrustRegion = field(default_factory=TrustRegion)
    noise_trend: NoiseTrend = field(default_factory=NoiseTrend)
    converged: bool = False
    value: float = math.nan
    std: float = math.nan
    wide: WideMemory = field(default_factory=WideMemory)

    @property
    def centre(self) -> Array:
        """The minimiser, shape (d,); periodic coordinates are not wrapped."""
        return self.distribution.centre


@dataclass(frozen=True)
class Finding:
    """What a design has shown.

    Attributes:
        step: The step to the minimiser.
        lack: The lack of fit.
        curvature: Trace of the Hessian in the coordinates of the sampling distribution.
    """

    step: NewtonStep
    lack: LackOfFit
    curvature: float


class LocalSearcher:
    """Advances local searches from design to design.

    Args:
        setup: The problem.
        basis: The quadratic's basis.
        params: Parameters of the surrogate.
    """

    def __init__(self, setup: Setup, basis: QuadraticBasis, params: SurrogateParams) -> None:
        self.domain: Domain = setup.domain
        self.overhead = setup.overhead
        self.radius_limit = min(setup.sigma0, setup.domain.step_limit)
        self.limits = RadiusLimits(self.radius_limit, self.radius_limit)
        self.wide_limits = RadiusLimits(self.radius_limit, setup.domain.step_limit)
        self.basis, self.params = basis, params
        self.cache = SumsCache()

    def start(self, centre: Array, fewest_pairs: int, started_at: float) -> LocalSearch:
        """A search from a point, with the largest radius."""
        scale = self.radius_limit * np.eye(self.basis.dim)
        distribution = SamplingDistribution(centre, scale)
        return LocalSearch(distribution, Demand(fewest_pairs), started_at)

    def follow_noise(
        self, search: LocalSearch, points: Array, measured: PointVariances
    ) -> LocalSearch:
        """Learn how the noise changes with the distance from the centre, and with the radius.

        Args:
            search: The search that has drawn the points.
            points: The points of a design, not wrapped, shape (n, d).
            measured: Variances of one shot at some of them.
        """
        distribution = search.distribution
        inside = distribution.standardised(points[measured.rows])
        distances = np.mean(inside**2, axis=1)
        trend = search.noise_trend.updated(
            distribution.typical_radius, distances, measured.variances, self.params.noise.memory
        )
        return replace(search, noise_trend=trend)

    def advance(
        self, search: LocalSearch, design: Design, noise: NoiseLevel, shots: int, cost: float
    ) -> tuple[LocalSearch, Finding]:
        """Fit the quadratic, step to its minimiser, choose radius and cost of the next design.

        Args:
            search: The search that has drawn the design.
            design: The newest design, with at least one pair.
            noise: The noise level.
            shots: Shots per point of the design.
            cost: One-shot evaluations that the design has cost.
        """
        params, model = self.params, self.fit(search, design)
        designs = used_designs(
            (*search.designs, design), model.components, params.regression.dropped_after
        )
        self.cache.keep_only(designs)
        quadratic = principal_axes(model)
        step = step_to_minimiser(quadratic, params.newton)
        since = len(designs) - 2  # the two newest designs, and more just after others were dropped
        lack = measure_lack_of_fit(model, since, noise.degrees_of_freedom, design.noise / shots)
        lack = replace(
            lack, harmless=search.wide.returned and not self._biased(model, quadratic, step)
        )
        power = search.noise_trend.power(params.noise.significance)
        width = search.distribution.typical_radius / self.radius_limit
        update = update_radius(search.region, lack, step, power, params.trust_region, width)
        demand = Demand(
            *(search.demand.fewest_pairs, math.nan, design.noise, *unexplained_variance(model)),
            outliers=model.left_out > 0,
        )
        present = DesignCost(cost, shots, self.overhead)
        converged = search.converged or self._converged(lack, step)
        distribution = self._moved(search, quadratic, step, update, converged)
        newest = wide_fit(
            model, quadratic, step, search.distribution.scale, distribution.centre, cost
        )
        wide = remembered(search.wide, newest, update.decision, step, lack, params.trust_region)
        returns = wide.best is not None and wide.returned and not search.wide.returned
        advanced = replace(
            search,
            distribution=wide.best.distribution if wide.best and returns else distribution,
            demand=replace(
                demand, cost=next_cost(update, step, lack, demand, power, present, params)
            ),
            designs=tuple(designs),
            prior_variance=model.prior_variance,
            region=update.region.begun_anew() if returns else update.region,
            noise_trend=NoiseTrend() if update.moved else search.noise_trend,
            converged=converged,
            wide=wide,
        )
        if not search.wide.returned:  # else the quadratic does not fit, and its value is biased
            value, std = model.predict(step.vector)
            advanced = replace(advanced, value=value, std=std)
        return advanced, Finding(step, lack, float(np.trace(model.hessian)))

    def _biased(self, model: QuadraticModel, quadratic: PrincipalAxes, step: NewtonStep) -> bool:
        """Whether odd terms of higher order move the minimiser by more than noise does."""
        bias = measure_bias(model, quadratic, step.curvatures)
        least = max(self.params.trust_region.significance * bias.error, step.noise_loss)
        return bias.loss > least

    def _moved(
        self,
        search: LocalSearch,
        quadratic: PrincipalAxes,
        step: NewtonStep,
        update: RadiusUpdate,
        converged: bool,
    ) -> SamplingDistribution:
        """The sampling distribution around the minimiser, inside the bounds."""
        present = search.distribution
        centre = self.domain.repair(present.centre + present.scale @ step.vector)
        at_limit = present.radius >= (1 - _ROUNDING) * self.radius_limit
        fits_there = converged and at_limit and not update.region.ever_shrunk
        limits = self.wide_limits if fits_there else self.limits
        scale = rescaled(present, quadratic, update.factor, limits, self.params.newton)
        return SamplingDistribution(centre, scale)

    def fit(self, search: LocalSearch, design: Design) -> QuadraticModel:
        """Fit the quadratic to the designs of a search and a further one."""
        return fit(
            (*search.designs, design),
            search.distribution,
            self.basis,
            search.prior_variance,
            self.params.regression,
            self.cache,
        )

    def _converged(self, lack: LackOfFit, step: NewtonStep) -> bool:
        """Whether the quadratic fits, has a minimum along all axes, and resolves it."""
        params = self.params.trust_region
        resolved = is_resolved(step, params.resolved) and step.unresolved == 0
        return resolved and not lack.significant(params)
