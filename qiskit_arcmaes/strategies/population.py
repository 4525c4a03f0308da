"""PSA-CMA-ES: the population size follows the precision of the updates.

K. Nishida, Y. Akimoto, "PSA-CMA-ES: CMA-ES with Population Size Adaptation", GECCO 2018.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from qiskit_arcmaes.method import Batch, Setup, receive
from qiskit_arcmaes.oracles import Estimate
from qiskit_arcmaes.strategies import cma
from qiskit_arcmaes.strategies.base import EvolutionStrategy, StrategyState

Array = NDArray[np.float64]

_THRESHOLD = 1.4  # alpha
_SMOOTHING = 0.4  # beta
_BUDGET_SHARE = 0.01  # of the budget that one generation may take at the most


@dataclass(kw_only=True)
class PopulationState(StrategyState):
    """Adds the real-valued population size and the path of the updates.

    Attributes:
        popsize: lambda, real-valued, rounded when used.
        fullness_sigma: gamma_sigma, how full the step-size path is.
        fullness_c: gamma_c, how full the covariance path is.
        path: p_theta, the path of normalised updates of mean and covariance, shape (d + d²,).
        fullness: gamma_theta, how full that path is.
    """

    popsize: float
    fullness_sigma: float = 0.0
    fullness_c: float = 0.0
    path: Array
    fullness: float = 0.0


class PopulationSizeAdaptation(EvolutionStrategy):
    """Grows the population while updates are imprecise; shots stay at M = ``shots`` or 1."""

    phase = "CMA-ES with population size adaptation"
    columns = EvolutionStrategy.columns | {
        "popsize": "population size",
        "path_length": "squared length of the path",
    }
    state: PopulationState

    def __init__(self, setup: Setup, rng: np.random.Generator) -> None:
        super().__init__(setup, rng)
        self.min_popsize = min(cma.default_popsize(setup.dim), setup.popsize)
        self.max_popsize = max(_BUDGET_SHARE * setup.budget / self.state.shots, self.popsize)

    def _start(
        self, distribution: cma.Distribution, rng: np.random.Generator, shots: float
    ) -> PopulationState:
        dim = len(distribution.mean)
        return PopulationState(
            distribution=distribution,
            rng=rng,
            shots=shots,
            popsize=float(self.popsize),
            path=np.zeros(dim + dim**2),
        )

    def restore(self, state: PopulationState) -> None:
        """Go on from a saved state, with the constants of its population size."""
        super().restore(state)
        self._set_population(round(self.state.popsize))

    def tell(self, batch: Batch, estimate: Estimate) -> None:
        """One update with path normalisation, then a new population size."""
        values, _ = receive(batch, estimate)
        state, rates, old = self.state, self.rates, self.state.distribution
        keep_sigma, keep_c = 1 - rates.c_sigma, 1 - rates.c_c
        state.fullness_sigma = keep_sigma**2 * state.fullness_sigma + 1 - keep_sigma**2
        grown_c = keep_c**2 * state.fullness_c + 1 - keep_c**2
        proposal = cma.propose(
            old,
            rates,
            self._select(batch.memo, values),
            self.weights,
            path_variances=(state.fullness_sigma, grown_c),
        )
        state.fullness_c = keep_c**2 * state.fullness_c if proposal.stalled else grown_c
        movement = np.concatenate(self._movement(old, proposal))
        self._adapt_population(movement)
        self._move(cma.settle(proposal))
        self._change_population()

    def _movement(self, old: cma.Distribution, proposal: cma.Proposal) -> tuple[Array, Array]:
        """The update of mean and Sigma in the metric of the old Sigma."""
        root = old.basis / (old.scales * old.step_size) @ old.basis.T
        sigma_change = (
            proposal.step_size**2 * proposal.covariance - old.step_size**2 * old.covariance
        )
        return root @ (proposal.mean - old.mean), (
            root @ sigma_change @ root / math.sqrt(2)
        ).ravel()

    def _adapt_population(self, movement: Array) -> None:
        state = self.state
        expected = expected_movement(
            self.rates, self.weights, state.fullness_sigma, state.fullness_c
        )
        gain = _SMOOTHING * (2 - _SMOOTHING)
        state.path = (1 - _SMOOTHING) * state.path + math.sqrt(gain / expected) * movement
        state.fullness = (1 - _SMOOTHING) ** 2 * state.fullness + gain
        length = float(state.path @ state.path)
        exponent = _SMOOTHING * (state.fullness - length / _THRESHOLD)
        popsize = state.popsize * math.exp(min(max(exponent, -1.0), 1.0))
        state.popsize = float(min(max(popsize, self.min_popsize), self.max_popsize))

    def _change_population(self) -> None:
        """Recompute all constants for the new size, and sigma for the new selection mass."""
        before = step_optimum(self.weights, self.popsize, self.rates.dim)
        self._set_population(round(self.state.popsize))
        after = step_optimum(self.weights, self.popsize, self.rates.dim)
        self.state.distribution.step_size *= after / before

    def _diagnostics(self) -> Mapping[str, float]:
        """The population size and the squared length of the path it is decided from."""
        state = self.state
        return {"popsize": state.popsize, "path_length": float(state.path @ state.path)}


def expected_movement(
    rates: cma.Parameters, weights: Array, fullness_sigma: float, fullness_c: float
) -> float:
    """E ‖movement‖² under neutral selection (with c_m = 1).

    The first term has the mean's learning rate c_m², not c_mu² as in some public codes; checked by
    simulation.
    """
    n, chi2 = rates.dim, rates.chi**2
    spread = (n - chi2) / chi2
    damping = (rates.c_sigma / rates.d_sigma) ** 2
    c_c, c_1, c_mu = rates.c_c, rates.c_1, rates.c_mu
    shape = (
        (n**2 + n) * c_mu**2 / rates.mu_eff
        + (n**2 + n) * c_c * (2 - c_c) * c_1 * c_mu * rates.mu_eff * float(np.sum(weights**3))
        + c_1**2 * (fullness_c**2 * n**2 + (1 - 2 * fullness_c + 2 * fullness_c**2) * n)
    )
    return (
        n / rates.mu_eff
        + 2 * n * spread * fullness_sigma * damping
        + 0.5 * (1 + 8 * fullness_sigma * spread * damping) * shape
    )


def step_optimum(weights: Array, popsize: int, dim: int) -> float:
    """rho: the optimal normalised step size on the sphere, up to a factor."""
    gain = cma.selection_gain(weights, popsize)
    mu_w = cma.effective_parents(weights)
    return gain * dim * mu_w / (dim - 1 + gain**2 * mu_w)
