"""AR-CMA-ES through the wall: a local model of all that was measured steers the search.

Re-evaluating strategies shrink their cloud into the noise and end with an error that falls as
1/sqrt(budget). Here the cloud stays as wide as a quadratic fits it, the quadratic is fitted to all
rounds near it, its minimiser is the next centre and the answer, and its own errors say what a
further round is worth: the error falls as 1/budget.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from qiskit_arcmaes.legacy import Batch, Method, Setup, State
from qiskit_arcmaes.strategies import cma
from qiskit_arcmaes.strategies.efficiency import model_shots
from qiskit_arcmaes.surrogate import width
from qiskit_arcmaes.surrogate.basins import Basin, basin_from, better, new_start, same_place
from qiskit_arcmaes.surrogate.halves import Known, Terms
from qiskit_arcmaes.surrogate.lead import KINKS, LATEST, Lead, Population, lead_from
from qiskit_arcmaes.surrogate.newton import NewtonStep, newton_step
from qiskit_arcmaes.surrogate.noise_trend import follow
from qiskit_arcmaes.surrogate.quadratic import Quadratic, fit
from qiskit_arcmaes.surrogate.rounds import directions, make_round
from qiskit_arcmaes.surrogate.width import LackOfFit, lack_of_fit, width_factor

Array = NDArray[np.float64]

_PAIRS = 4.0  # pairs of the smallest round, in units of d
_REPEATED = 0.2  # share of the pairs that are measured twice, where the noise is unknown
_CHANGE = 2.0  # factor by which the cost of a round may change at once
_EXPLORED = 0.1  # share of the budget for further starts, where the landscape is rough
_REPEATS = 2  # starts that end at the same minimum before no more are tried
_MOST_PAIRS = 10_000
_MOST_ROUNDS = 1000
_FORGOTTEN = 20  # fits after which a round that none of them used is forgotten
_PRECISION = 1e-11  # noise below this part of the values' variance is of no consequence


@dataclass(kw_only=True)
class GuidedState(State):
    """Adds the descents, the noise level, and what the model believed last.

    Attributes:
        basin: The present descent.
        lead: Whether the model leads or a population does.
        best: The best descent so far that has settled, while other starts are tried.
        starts: Starts made so far.
        repeats: Starts that ended where the best one did.
        exploring: Whether a further start may still come.
        points: The batch that waits, unwrapped.
        repeated: How many of its pairs are repeats of its first ones.
        spent: Evaluations with one shot so far.
        noise_sum: Sum of squares behind the noise level, for one shot.
        noise_freedom: Degrees of freedom behind it.
        last_rounds: Rounds still to come, once the end is in sight; -1 before.
        finished: Whether the budget is used.
        belief: What the model believed after the last round, by name.
    """

    basin: Basin
    lead: Lead = field(default_factory=Lead)
    best: Basin | None = None
    starts: int = 1
    repeats: int = 0
    exploring: bool = True
    points: Array = field(default_factory=lambda: np.empty((0, 0)))
    repeated: int = 0
    spent: float = 0.0
    noise_sum: float = 0.0
    noise_freedom: float = 0.0
    last_rounds: int = -1
    finished: bool = False
    belief: dict[str, float] = field(default_factory=dict)


_BELIEFS = (
    "noise", "gain", "gain_error", "efficiency", "curvature", "odd_misfit", "even_misfit",
    "width", "cut", "start", "leader",
)  # fmt: skip


class ModelGuided(Method):
    """The default: rounds of mirrored pairs around the minimiser of a local quadratic."""

    name = "ar"
    state: GuidedState

    def __init__(self, setup: Setup, rng: np.random.Generator) -> None:
        super().__init__(setup, rng)
        dim = len(setup.start)
        self.terms = Terms(dim)
        self.width_limit = min(setup.sigma0, setup.domain.step_limit)
        self.least_shots = max(setup.min_shots, setup.shots or 1)
        least = math.ceil(max(_PAIRS * dim, 10)) if self.terms.full else 2 * dim
        self.enough_pairs = max(self.terms.products // 2, least)
        affordable = int(min(_MOST_PAIRS, 5e8 / self.terms.count**2))
        self.most_pairs = max(self.enough_pairs, affordable)
        shape = self.width_limit * np.eye(dim)
        self.state = GuidedState(
            distribution=cma.start(setup.start, self.width_limit),
            rng=rng,
            shots=float(self.least_shots),
            basin=Basin(mean=setup.start.copy(), shape=shape, least_pairs=least),
            belief=dict.fromkeys(_BELIEFS, math.nan),
        )
        self.population: Population | None = None
        self.known: Known = {}  # sums over the rounds of the present descent: no part of the state

    @classmethod
    def suits(cls, setup: Setup) -> bool:
        """Whether the budget pays for three of the smallest rounds, below which no model helps."""
        points, shots = cls(setup, np.random.default_rng(0)).first_jobs()[0]
        return setup.budget >= 3 * points * shots

    def first_jobs(self) -> list[tuple[int, int]]:
        """The first round."""
        pairs, shots = self._plan()
        return [(2 * self._total(pairs), shots)]

    @property
    def finished(self) -> bool:
        """Whether the last round was told."""
        return self.state.finished

    def restore(self, state: State) -> None:
        """Go on from a saved state."""
        assert isinstance(state, GuidedState)
        state.basin = basin_from(state.basin)
        state.best = None if state.best is None else basin_from(state.best)
        state.lead = lead_from(state.lead, state.rng)
        super().restore(state)
        self.known, self.population = {}, None
        if state.lead.population is not None:
            self.population = Population(state.lead, self.setup, state.rng)

    def ask(self) -> Batch:
        """One round of mirrored pairs, some of them twice where the noise is unknown."""
        state, basin = self.state, self.state.basin
        if self.population is not None and state.lead.leads:
            batch = self.population.ask(basin.mean, state.spent)
            batch = Batch(batch.points, batch.shots)
            state.waiting, state.shots = len(batch.points), float(batch.shots)
            return batch
        pairs, shots = self._plan()
        normals = directions(state.rng, pairs, self.terms.dim)
        state.repeated = self._repeats(pairs)
        offsets = np.concatenate([normals, normals[: state.repeated]]) @ basin.shape
        points = np.concatenate([basin.mean + offsets, basin.mean - offsets])
        state.points = self.setup.domain.repair(points)
        state.waiting = len(state.points)
        state.shots = float(shots)
        return Batch(self.setup.domain.wrap(state.points), shots)

    def _repeats(self, pairs: int) -> int:
        known = self.setup.noise is not None or self.setup.reports_variances
        return 0 if known else max(4, int(_REPEATED * pairs))

    def _total(self, pairs: int) -> int:
        return pairs + self._repeats(pairs)

    @property
    def _least_cost(self) -> int:
        """What a round costs at the least: so much that there is time for all rounds."""
        points = 2 * self._total(self.state.basin.least_pairs)
        return max(points * self.least_shots, int(self.setup.budget / _MOST_ROUNDS))

    def _plan(self) -> tuple[int, int]:
        """Pairs and shots of the next round, from the cost that it should have."""
        state, least = self.state, self._least_cost
        left = self.setup.budget - state.spent
        cost = least if math.isnan(state.basin.cost) else max(state.basin.cost, least)
        if state.last_rounds > 0:
            cost = max(left / state.last_rounds, least)
        if left - cost < max(least, 0.3 * cost):
            cost = left  # no small round at the end
        pairs = self._pairs(cost)
        shots = max(int(cost / (2 * self._total(pairs))), self.least_shots)
        while 2 * self._total(pairs + 1) * shots <= cost and pairs < self.most_pairs:
            pairs += 1  # what rounding the shots down left over
        return pairs, shots

    def _pairs(self, cost: float) -> int:
        """More points while misfit rules, more shots while noise (or overhead) does."""
        basin = self.state.basin
        shots = float(self.least_shots)
        odd, even = basin.misfit
        if basin.rounds:
            noise, misfit = basin.rounds[-1].noise, max(odd, even, 1e-300)
            shots = max(shots, noise / misfit, math.sqrt(self.setup.overhead * noise / misfit))
        pairs = cost / 2 / (self._total(1000) / 1000)
        pairs = (
            pairs / shots if pairs / shots > self.enough_pairs else min(pairs, self.enough_pairs)
        )
        most = self.most_pairs if odd > even / 4 else min(4 * self.enough_pairs, self.most_pairs)
        chosen = int(min(max(pairs, basin.least_pairs), most))
        while 2 * self._total(chosen) * self.least_shots > cost and chosen > basin.least_pairs:
            chosen -= 1
        return chosen

    def tell(self, values: ArrayLike, variances: ArrayLike | None = None) -> None:
        """Learn the noise, fit the model, move to its minimiser, choose width and shots."""
        rows = self.state.waiting
        values, variances = self._receive(values, variances)
        state, basin = self.state, self.state.basin
        shots = round(state.shots)
        state.spent += rows * shots
        if self.population is not None and state.lead.leads:
            self.population.tell(values, variances, shots, state.spent)
            self._follow_population()
            return
        noise = max(self._learn_noise(values, variances, shots), shots * _precision(values))
        above, below = np.split(state.points, 2)
        number = state.distribution.generation
        newest = make_round(above, below, values, noise, shots, basin.shape, number)
        if len(newest.odd) == 0:  # every pair has a failed value: nothing was learned
            state.distribution.generation += 1
            self._count_down()
            return
        basin.rounds.append(newest)
        spread = None if math.isnan(basin.spread) else basin.spread
        model = fit(basin.rounds, basin.mean, basin.shape, self.terms, spread, self.known)
        basin.spread = model.spread
        basin.misfit = (2 * model.halves[0].misfit, 2 * model.halves[1].misfit)
        basin.rounds = [each for each in basin.rounds if each.unused < _FORGOTTEN]
        for number in self.known.keys() - {each.number for each in basin.rounds}:
            del self.known[number]
        self._advance(model, rows * shots)

    def _learn_noise(self, values: Array, variances: Array | None, shots: int) -> float:
        """Variance of one shot: given, reported, or from the pairs measured twice."""
        state = self.state
        if self.setup.noise is not None:
            state.noise_sum, state.noise_freedom = self.setup.noise**2 * 1e9, 1e9
        elif variances is not None and np.isfinite(variances).any():
            state.noise_sum, state.noise_freedom = float(np.nanmean(variances)) * shots * 1e9, 1e9
            known = np.isfinite(variances)
            self._follow_noise(np.arange(len(variances))[known], shots * variances[known])
        else:
            self._compare_repeats(values, shots)
        return state.noise_sum / max(state.noise_freedom, 1.0)

    def _compare_repeats(self, values: Array, shots: int) -> None:
        """Pool what the repeats say with earlier rounds, unless the two disagree."""
        state = self.state
        first, second = np.split(values, 2)
        count = state.repeated
        changes = np.concatenate([first[-count:] - first[:count], second[-count:] - second[:count]])
        usable = np.isfinite(changes)
        changes = changes[usable]
        rows = np.concatenate([np.arange(count), len(first) + np.arange(count)])
        self._follow_noise(rows[usable], shots * changes**2 / 2)
        total, freedom = shots * float(changes @ changes) / 2, float(len(changes))
        if freedom == 0:
            return
        if state.noise_freedom > 0:
            ratio = (total / freedom + 1e-300) / (state.noise_sum / state.noise_freedom + 1e-300)
            if abs(math.log(ratio)) < 3 * math.sqrt(2 / freedom + 2 / state.noise_freedom):
                total += 0.9 * state.noise_sum
                freedom += 0.9 * state.noise_freedom
        state.noise_sum, state.noise_freedom = total, freedom

    def _follow_noise(self, rows: NDArray[np.int_], variances: Array) -> None:
        """See how the noise changes with the distance from the centre, and with the width."""
        basin = self.state.basin
        inside = np.linalg.solve(basin.shape, (self.state.points[rows] - basin.mean).T)
        typical = math.exp(np.linalg.slogdet(basin.shape)[1] / len(basin.mean))
        follow(basin.noise_trend, typical, np.mean(inside**2, axis=0), variances)

    def _advance(self, model: Quadratic, cost: float) -> None:
        """Step to the minimiser; then shape, width and cost of the next round."""
        state, basin = self.state, self.state.basin
        step = newton_step(model, self.terms)
        lack = lack_of_fit(model, basin, state.noise_freedom, state.shots)
        factor = width_factor(basin, lack, step)
        basin.value, basin.error = model.predict(self.terms, step.vector)
        basin.cost = self._next_cost(step, factor, lack, cost)
        basin.mean = self.setup.domain.repair(basin.mean + basin.shape @ step.vector)
        stretch = step.axes * (step.shape_factors() * factor)
        left, widths, _ = np.linalg.svd(basin.shape @ stretch @ step.axes.T)
        widths = np.clip(widths, 1e-8 * widths.max(), self.width_limit)
        basin.shape = (left * widths) @ left.T
        state.belief = {
            "noise": state.noise_sum / max(state.noise_freedom, 1.0),
            "gain": step.gain,
            "gain_error": step.gain_error,
            "efficiency": (step.gain - step.gain_error) / (self.setup.overhead + state.shots),
            "curvature": float(np.trace(model.hessian)),
            "odd_misfit": lack.odd,
            "even_misfit": lack.even,
            "width": float(widths.max()),
            "cut": step.cut,
            "start": float(state.starts),
            "leader": 0.0,
        }
        self._explore(lack, step)
        self._place()
        self._count_down()
        self._hand_over()

    def _next_cost(self, step: NewtonStep, factor: float, lack: LackOfFit, cost: float) -> float:
        """The paper's argument on the model: what makes the gain per cost of a round greatest."""
        basin, shots = self.state.basin, self.state.shots
        if factor < basin.narrowed:  # a jump into another landscape: begin small
            wanted = 0.0
        elif factor < 1:  # what locates the minimiser in the narrower cloud
            quieter = factor ** (2 * min(basin.noise_trend.power, 2.0))
            single = quieter * basin.rounds[-1].noise + shots * basin.misfit[0]
            wanted = float(np.mean(single / (step.floored * factor**2) ** 2)) / width.LOCATED**2
        else:
            gain, lost = max(step.significant_gain, 1e-300), max(step.gain_error, 1e-300)
            change = model_shots(gain, lost, self.setup.overhead / shots)
            wanted = cost * min(max(change, 1 / _CHANGE), _CHANGE)
            if lack.bad and step.cut == 1:
                wanted = max(wanted, 1.5 * cost)
        return float(min(max(wanted, cost / _CHANGE**2), _CHANGE * cost))

    def _explore(self, lack: LackOfFit, step: NewtonStep) -> None:
        """Once a minimum is located, see whether other starts with larger rounds end elsewhere."""
        state, basin = self.state, self.state.basin
        located = step.cut == 1 and step.unseen == 0 and step.location_error < width.LOCATED
        basin.settled = basin.settled or (located and not lack.bad)
        share = _EXPLORED * self.setup.budget
        if not state.exploring or not (basin.settled or (state.best and state.spent > share)):
            return
        known = state.best
        if basin.settled and (known is None or better(basin, known)):
            state.best = basin
        if basin.settled and known is not None and same_place(self.setup.domain, basin, known):
            state.repeats += 1
        affordable = 3 * state.spent - 2 * basin.began <= share  # the next one costs twice as much
        if basin.settled and affordable and state.repeats < _REPEATS:
            state.basin = self._new_basin(min(2 * basin.least_pairs, 4 * self.enough_pairs))
        else:
            assert state.best is not None
            state.basin, state.best, state.exploring = state.best, None, False
        self.known = {}

    def _new_basin(self, least_pairs: int) -> Basin:
        """A descent from another start."""
        setup, state = self.setup, self.state
        state.starts += 1
        return Basin(
            mean=new_start(setup.domain, setup.start, setup.sigma0, state.rng),
            shape=self.width_limit * np.eye(self.terms.dim),
            least_pairs=least_pairs,
            began=state.spent,
        )

    def _place(self) -> None:
        """Keep the distribution in step with the cloud."""
        basin, old = self.state.basin, self.state.distribution
        widths, axes = np.linalg.eigh(basin.shape)
        typical = float(np.exp(np.mean(np.log(widths))))
        scales = widths / typical
        self.state.distribution = replace(
            old,
            mean=basin.mean,
            step_size=typical,
            covariance=(axes * scales**2) @ axes.T,
            basis=axes,
            scales=scales,
            generation=old.generation + 1,
        )

    def _hand_over(self) -> None:
        """Let a population try where the cloud narrows in vain; best answer kept for comparison."""
        state = self.state
        late = state.spent > LATEST * self.setup.budget
        if state.basin.kinks < KINKS or self.population is not None or late:
            return
        if state.best is not None and not better(state.basin, state.best):
            state.basin, self.known = state.best, {}
        state.best, state.exploring, state.finished = None, False, False
        noise = state.noise_sum / max(state.noise_freedom, 1.0)
        self.population = Population(state.lead, self.setup, state.rng, noise)
        self.population.begin(state.spent)

    def _follow_population(self) -> None:
        """Keep the distribution and the beliefs in step with the population."""
        assert self.population is not None
        state, own = self.state, self.population.method.state
        state.belief = {**state.belief, "leader": 1.0, "noise": own.noise, "gain": own.gain}
        generation = state.distribution.generation + 1
        state.distribution = replace(own.distribution, generation=generation)

    def _count_down(self) -> None:
        """See whether the end has come: three equal rounds, unless smaller ones will do again."""
        state, least = self.state, self._least_cost
        left = self.setup.budget - state.spent
        wanted = max(state.basin.cost, least)
        if state.last_rounds > 0:
            state.last_rounds -= 1
            if _CHANGE * wanted * state.last_rounds < left:
                state.last_rounds = -1
        elif wanted > left / 3:
            state.last_rounds = 3
        state.finished = left < least or state.last_rounds == 0

    @property
    def answer(self) -> Array:
        """The model's minimiser; while other starts are tried, that of the best one so far.

        Once a population leads for good, it is the population's mean.
        """
        if self.population is not None and self.state.lead.leads_for_good:
            return self.setup.domain.wrap(self.population.mean)
        return self.setup.domain.wrap((self.state.best or self.state.basin).mean)

    @property
    def belief_of_value(self) -> tuple[float, float] | None:
        """The model's value at its minimiser."""
        if self.state.lead.leads_for_good:
            return None
        basin = self.state.best or self.state.basin
        return basin.value, basin.error

    @property
    def decision(self) -> Mapping[str, float]:
        """What the model believes, and what the shots were decided from."""
        return self.state.belief


def _precision(values: Array) -> float:
    """Variance below which noise cannot be told from rounding, or need not be."""
    finite = values[np.isfinite(values)]
    if len(finite) == 0:
        return 0.0
    return float(_PRECISION * np.var(finite) + (1e-15 * np.abs(finite).max()) ** 2)
