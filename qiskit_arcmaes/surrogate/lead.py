"""Who leads: where no quadratic fits at any width, the population may go on in the model's place.

Around a kink a quadratic fits as badly in a narrow cloud as in a wide one, while for a smooth loss
the even misfit's share falls with the fourth power of the width. Where the cloud had to narrow
several times for the even misfit, plain AR-CMA-ES with a large population begins at the first
start, with a tenth of the budget. Then its place and the model's are measured side by side. The
population leads to the end if it is better there, beyond chance; else the model goes on.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qiskit_arcmaes.legacy import Batch, Setup
from qiskit_arcmaes.strategies.adaptive import AdaptiveReevaluation, AdaptiveState

Array = NDArray[np.float64]

KINKS = 6  # narrowings for the even misfit's sake; two take a share of 1/2 below the limit of 1/12
POPULATION = 5  # points of the population, in units of d
SHARE = 0.1  # of the budget, for the population before it is compared
LATEST = 0.5  # share of the budget after which it is too late for that
COMPARISON = 0.02  # of what was spent, for the comparison
PROOF = 2.0  # standard errors by which the population must be better


@dataclass
class Lead:
    """The population, and who leads.

    Attributes:
        population: Its state, once there is one.
        leads: Whether it leads.
        comparing: Whether its place and the model's are to be compared next.
        until: When that is due: evaluations with one shot.
    """

    population: AdaptiveState | None = None
    leads: bool = False
    comparing: bool = False
    until: float = math.inf

    @property
    def leads_for_good(self) -> bool:
        """Whether it has been compared, and found better."""
        return self.leads and math.isinf(self.until)


def lead_from(data: Lead | Mapping[str, Any], rng: np.random.Generator) -> Lead:
    """As it was saved; the population draws from the run's one generator."""
    lead = data
    if lead.population is not None:
        lead.population.rng = rng
    return lead


class Population:
    """Plain AR-CMA-ES beside the model.

    Args:
        lead: Who leads; brought up to date.
        setup: As the model has it.
        rng: The run's generator.
        noise: Variance of one shot, where the population begins only now.
    """

    def __init__(
        self, lead: Lead, setup: Setup, rng: np.random.Generator, noise: float = math.nan
    ) -> None:
        self.lead = lead
        popsize = max(POPULATION * len(setup.start), setup.popsize)
        self.method = AdaptiveReevaluation(replace(setup, popsize=popsize), rng)
        if lead.population is None:
            lead.population = self.method.state
            lead.population.noise = noise
        else:
            self.method.restore(lead.population)

    def begin(self, spent: float) -> None:
        """Lead for a while."""
        self.lead.leads = True
        self.lead.until = spent + SHARE * self.method.setup.budget

    @property
    def mean(self) -> Array:
        """Where it is."""
        return self.method.state.distribution.mean

    def ask(self, place: Array, spent: float) -> Batch:
        """The next batch: one generation, or its place and the model's, to be compared."""
        if not self.lead.comparing:
            self._asked = self.method.ask()
            return self._asked
        setup = self.method.setup
        least = max(setup.min_shots, setup.shots or 1)
        shots = max(int(COMPARISON * spent / 2), least)
        return Batch(setup.domain.wrap(np.stack([self.mean, place])), shots)

    def tell(self, values: Array, variances: Array | None, shots: int, spent: float) -> None:
        """One generation; or the comparison, which says who leads from now on."""
        if self.lead.comparing:
            self.lead.comparing = False
            error = math.sqrt(2 * self.method.state.noise / shots)
            self.lead.leads = float(values[0] - values[1]) < -PROOF * error
            self.lead.until = math.inf
        else:
            from qiskit_arcmaes.oracles import Estimate

            self.method.tell(self._asked, Estimate(values, variances))
            self.lead.comparing = spent >= self.lead.until
