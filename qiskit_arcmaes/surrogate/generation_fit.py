"""Does a quadratic fit the generations of an evolution strategy, and where?

It is fitted to those near the strategy's distribution. It can lead the search where it fits and
resolves its minimiser: the search around that minimiser is returned then.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from qiskit_arcmaes.numerics.newton import NewtonStep
from qiskit_arcmaes.numerics.noise import NoiseLevel
from qiskit_arcmaes.surrogate.design import Design, SamplingDistribution
from qiskit_arcmaes.surrogate.lack_of_fit import LackOfFit, measure_lack_of_fit
from qiskit_arcmaes.surrogate.local_search import LocalSearch, LocalSearcher
from qiskit_arcmaes.surrogate.newton import principal_axes, step_to_minimiser
from qiskit_arcmaes.surrogate.params import AssistanceParams
from qiskit_arcmaes.surrogate.regression import QuadraticModel


@dataclass(frozen=True)
class Attempt:
    """A fit to generations.

    Attributes:
        search: The local search that it would begin with.
        step: The step to the quadratic's minimiser.
        lack: The lack of fit.
        unexplained: Variance that the quadratic does not explain, as a share of what it does.
        refuted: Whether the lack of fit is significant.
    """

    search: LocalSearch
    step: NewtonStep
    lack: LackOfFit
    unexplained: float
    refuted: bool


class GenerationFitter:
    """Fits the quadratic to generations, in distributions of several widths.

    Args:
        searcher: Of the surrogate.
        fewest_pairs: Pairs of its smallest design.
        params: When a quadratic may lead.
    """

    def __init__(
        self, searcher: LocalSearcher, fewest_pairs: int, params: AssistanceParams
    ) -> None:
        self.searcher, self.fewest_pairs, self.params = searcher, fewest_pairs, params

    def find(
        self,
        designs: Sequence[Design],
        distribution: SamplingDistribution,
        noise: NoiseLevel,
        noise_dominates: bool,
    ) -> Attempt | None:
        """The fit that may lead now; None where no quadratic fits or none is resolved.

        A quadratic that fits the distribution itself is tried in wider ones too: older generations
        resolve its minimiser better. The widest one that is refuted by nothing is taken where noise
        dominates the ranks: the strategy can hardly tell its candidates apart then.

        Args:
            designs: Generations, oldest first, at least one.
            distribution: The strategy's distribution.
            noise: The noise level.
            noise_dominates: Whether it does in the strategy's ranks.
        """
        last: Attempt | None = None
        for width in self.params.widths:
            attempt = self._attempt(designs, self._widened(distribution, width), noise)
            if not self._fits(attempt):
                break
            if self._may_lead(attempt):
                return attempt
            last = attempt
        return last if noise_dominates else None

    def _widened(self, distribution: SamplingDistribution, width: float) -> SamplingDistribution:
        axes, basis = np.linalg.eigh(distribution.scale)
        axes = np.minimum(width * axes, np.maximum(self.searcher.radius_limit, axes))
        return SamplingDistribution(distribution.centre, (basis * axes) @ basis.T)

    def _attempt(
        self, designs: Sequence[Design], distribution: SamplingDistribution, noise: NoiseLevel
    ) -> Attempt:
        search = self.searcher.start(distribution.centre, self.fewest_pairs, 0.0)
        search = replace(search, distribution=distribution, designs=tuple(designs[:-1]))
        model = self.searcher.fit(search, designs[-1])
        step = step_to_minimiser(principal_axes(model), self.searcher.params.newton)
        value_noise = 2 * designs[-1].variance
        since = self._recent(designs, model)
        lack = measure_lack_of_fit(model, since, noise.degrees_of_freedom, value_noise)
        gradient, hessian = float(np.sum(model.gradient**2)), float(np.sum(model.hessian**2))
        explained = max(gradient + hessian / 2, 1e-300)
        refuted = lack.significant(self.searcher.params.trust_region)
        return Attempt(search, step, lack, lack.variance / explained, refuted)

    def _recent(self, designs: Sequence[Design], model: QuadraticModel) -> int:
        """The first design whose residuals count: the newest used ones with enough pairs."""
        pairs, used = 0, sorted({each.index for each in model.components}, reverse=True)
        for index in used:
            pairs += len(designs[index].offsets)
            if pairs >= self.params.tested_designs * self.fewest_pairs:
                return index
        return used[-1]

    def _fits(self, attempt: Attempt) -> bool:
        """Whether what the quadratic does not explain is noise, or too little to matter."""
        return not attempt.refuted or attempt.unexplained < self.params.unexplained

    def _may_lead(self, attempt: Attempt) -> bool:
        """Whether a quadratic that fits resolves its minimiser.

        One that the residuals refute may lead only to a minimiser inside its distribution: how
        little they matter is not known outside.
        """
        step = attempt.step
        inside = step.step_fraction == 1 or not attempt.refuted
        limit = self.searcher.params.trust_region.resolved
        return inside and step.location_error < limit and step.unresolved == 0
