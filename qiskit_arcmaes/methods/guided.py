"""AR-CMA-ES through the wall: a local model of all that was measured steers the search.

Re-evaluating strategies shrink their cloud into the noise and end with an error that falls as
1/sqrt(budget). Here the cloud stays as wide as a quadratic fits it, the quadratic is fitted to all
rounds near it, its minimiser is the next centre and the answer, and its own errors say what a
further round is worth: the error falls as 1/budget.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields

import numpy as np
from numpy.typing import ArrayLike, NDArray

from qiskit_arcmaes import cma
from qiskit_arcmaes.methods.base import Batch, Method, Setup, State
from qiskit_arcmaes.methods.quadratic import Quadratic, Terms, fit
from qiskit_arcmaes.methods.rounds import Round, directions, make_round

Array = NDArray[np.float64]

_PAIRS = 4.0  # pairs of the smallest round, in units of d
_REPEATED = 0.2  # share of the pairs that are measured twice, where the noise is unknown
_FLOOR = 1.0  # curvature is floored at so many of its standard errors
_TRUST = 0.7  # longest step, in units of the cloud's typical radius sqrt(d)
_MISFIT = 3.0  # standard errors at which a misfit is one
_RIPPLE = 1 / 12  # share of even misfit in the curvature's variance that narrows the cloud
_SHRINK, _GROW = 0.7, 1.4  # of the width
_LOCATED = 0.3  # the minimiser is located when its error is below this part of the cloud
_PATIENCE = 5  # rounds without any signal before the cloud narrows all the same
_GAIN = 2.0  # gain per cost is greatest where the error of the gain is half of it
_CHANGE = 2.0  # factor by which the cost of a round may change at once
_MOST_PAIRS = 10_000


@dataclass(kw_only=True)
class GuidedState(State):
    """Adds the cloud, all rounds, and what the model believed last.

    Attributes:
        shape: Symmetric matrix D of the cloud: x = mean + D u, u standard normal.
        rounds: All that was measured.
        points: The batch that waits, unwrapped.
        repeated: How many of its pairs are repeats of its first ones.
        spent: Evaluations with one shot so far.
        noise_sum: Sum of squares behind the noise level, for one shot.
        noise_freedom: Degrees of freedom behind it.
        spread: Prior variance of the Hessian's entries, NaN before the first fit.
        misfit: Unexplained variance of single values in the newest round (odd, even).
        cost: What the next round should cost, in evaluations with one shot; NaN at first.
        last_rounds: Rounds still to come, once the end is in sight; -1 before.
        lost: Rounds without a signal, one after the other.
        finished: Whether the budget is used.
        belief: What the model believed after the last round, by name.
    """

    shape: Array
    rounds: list[Round] = field(default_factory=list)
    points: Array = field(default_factory=lambda: np.empty((0, 0)))
    repeated: int = 0
    spent: float = 0.0
    noise_sum: float = 0.0
    noise_freedom: float = 0.0
    spread: float = math.nan
    misfit: tuple[float, float] = (0.0, 0.0)
    cost: float = math.nan
    last_rounds: int = -1
    lost: int = 0
    finished: bool = False
    belief: dict[str, float] = field(default_factory=dict)


_BELIEFS = (
    "noise", "gain", "gain_error", "curvature", "odd_misfit", "even_misfit", "width", "cut",
    "model_value", "model_error",
)  # fmt: skip


class ModelGuided(Method):
    """The default: rounds of mirrored pairs around the minimiser of a local quadratic."""

    name = "ar"
    state: GuidedState

    def __init__(self, setup: Setup, rng: np.random.Generator) -> None:
        super().__init__(setup, rng)
        dim = len(setup.mean)
        self.terms = Terms(dim)
        self.width_limit = min(setup.step_size, setup.domain.step_limit)
        self.least_shots = max(setup.min_shots, setup.shots or 1)
        least = math.ceil(max(_PAIRS * dim, 10)) if self.terms.full else 2 * dim
        self.least_pairs = least
        self.enough_pairs = max(self.terms.products // 2, least)
        affordable = int(min(_MOST_PAIRS, 5e8 / self.terms.count**2))
        self.most_pairs = max(self.enough_pairs, affordable)
        self.state = GuidedState(
            distribution=cma.start(setup.mean, self.width_limit),
            rng=rng,
            shots=float(self.least_shots),
            shape=self.width_limit * np.eye(dim),
            belief=dict.fromkeys(_BELIEFS, math.nan),
        )

    @classmethod
    def suits(cls, setup: Setup) -> bool:
        """Whether the budget pays for three of the smallest rounds, below which no model helps."""
        points, shots = cls(setup, np.random.default_rng(0)).first_jobs()[0]
        return setup.budget >= 3 * points * shots

    def first_jobs(self) -> list[tuple[int, int]]:
        """The first round."""
        return [(2 * self._total(self.least_pairs), self.least_shots)]

    @property
    def finished(self) -> bool:
        """Whether the last round was told."""
        return self.state.finished

    def restore(self, state: State) -> None:
        """Go on from a saved state."""
        assert isinstance(state, GuidedState)
        names = {item.name for item in fields(Round)}
        state.rounds = [
            each if isinstance(each, Round) else Round(**{name: each[name] for name in names})
            for each in state.rounds
        ]
        state.misfit = (state.misfit[0], state.misfit[1])
        super().restore(state)

    def ask(self) -> Batch:
        """One round of mirrored pairs, some of them twice where the noise is unknown."""
        state = self.state
        pairs, shots = self._plan()
        normals = directions(state.rng, pairs, self.terms.dim)
        state.repeated = self._repeats(pairs)
        offsets = np.concatenate([normals, normals[: state.repeated]]) @ state.shape
        mean = state.distribution.mean
        state.points = self.setup.domain.repair(np.concatenate([mean + offsets, mean - offsets]))
        state.waiting = len(state.points)
        state.shots = float(shots)
        return Batch(self.setup.domain.wrap(state.points), shots)

    def _repeats(self, pairs: int) -> int:
        known = self.setup.noise is not None or self.setup.reports_variances
        return 0 if known else max(4, int(_REPEATED * pairs))

    def _total(self, pairs: int) -> int:
        return pairs + self._repeats(pairs)

    def _plan(self) -> tuple[int, int]:
        """Pairs and shots of the next round, from the cost that it should have."""
        state = self.state
        left = self.setup.budget - state.spent
        least = 2 * self._total(self.least_pairs) * self.least_shots
        cost = least if math.isnan(state.cost) else max(state.cost, least)
        if state.last_rounds > 0:
            cost = max(left / state.last_rounds, least)
        if left - cost < max(least, 0.3 * cost):
            cost = left  # no small round at the end
        pairs = self._pairs(cost)
        return pairs, max(int(cost / (2 * self._total(pairs))), self.least_shots)

    def _pairs(self, cost: float) -> int:
        """More points while misfit rules, more shots while noise (or overhead) does."""
        state = self.state
        shots = float(self.least_shots)
        if state.rounds:
            noise, misfit = state.rounds[-1].noise, max(*state.misfit, 1e-300)
            shots = max(shots, noise / misfit, math.sqrt(self.setup.overhead * noise / misfit))
        pairs = cost / 2 / (self._total(1000) / 1000)
        pairs = (
            pairs / shots if pairs / shots > self.enough_pairs else min(pairs, self.enough_pairs)
        )
        odd, even = state.misfit
        most = self.most_pairs if odd > even / 4 else min(4 * self.enough_pairs, self.most_pairs)
        chosen = int(min(max(pairs, self.least_pairs), most))
        while 2 * self._total(chosen) * self.least_shots > cost and chosen > self.least_pairs:
            chosen -= 1
        return chosen

    def tell(self, values: ArrayLike, variances: ArrayLike | None = None) -> None:
        """Learn the noise, fit the model, move to its minimiser, choose width and shots."""
        rows = self.state.waiting
        values, variances = self._receive(values, variances)
        state = self.state
        shots = round(state.shots)
        state.spent += rows * shots
        noise = self._learn_noise(values, variances, shots)
        above, below = np.split(state.points, 2)
        newest = make_round(above, below, values, noise, shots)
        if len(newest.odd) == 0:  # every pair has a failed value: nothing was learned
            state.distribution.generation += 1
            self._count_down()
            return
        state.rounds.append(newest)
        spread = None if math.isnan(state.spread) else state.spread
        mean = state.distribution.mean
        model = fit(state.rounds, mean, state.shape, self.terms, spread)
        state.spread = model.spread
        state.misfit = (2 * model.halves[0].misfit, 2 * model.halves[1].misfit)
        self._advance(model, rows * shots)

    def _learn_noise(self, values: Array, variances: Array | None, shots: int) -> float:
        """Variance of one shot: given, reported, or from the pairs measured twice."""
        state = self.state
        if self.setup.noise is not None:
            state.noise_sum, state.noise_freedom = self.setup.noise**2 * 1e9, 1e9
        elif variances is not None and np.isfinite(variances).any():
            state.noise_sum, state.noise_freedom = float(np.nanmean(variances)) * shots * 1e9, 1e9
        else:
            self._compare_repeats(values, shots)
        return state.noise_sum / max(state.noise_freedom, 1.0)

    def _compare_repeats(self, values: Array, shots: int) -> None:
        """Pool what the repeats say with earlier rounds, unless the two disagree."""
        state = self.state
        first, second = np.split(values, 2)
        count = state.repeated
        changes = np.concatenate([first[-count:] - first[:count], second[-count:] - second[:count]])
        changes = changes[np.isfinite(changes)]
        total, freedom = shots * float(changes @ changes) / 2, float(len(changes))
        if freedom == 0:
            return
        if state.noise_freedom > 0:
            ratio = (total / freedom + 1e-300) / (state.noise_sum / state.noise_freedom + 1e-300)
            if abs(math.log(ratio)) < 3 * math.sqrt(2 / freedom + 2 / state.noise_freedom):
                total += 0.9 * state.noise_sum
                freedom += 0.9 * state.noise_freedom
        state.noise_sum, state.noise_freedom = total, freedom

    def _advance(self, model: Quadratic, cost: float) -> None:
        """Step to the minimiser; then shape, width and cost of the next round."""
        state = self.state
        step = _newton_step(model, self.terms)
        odd = model.excess(False, len(state.rounds) - 1, state.noise_freedom)
        even = model.excess(True, len(state.rounds) - 1, state.noise_freedom)
        ripple = state.misfit[1] / max(float(np.sum(model.hessian**2)), 1e-300)
        bad = odd > _MISFIT or (even > _MISFIT and ripple > _RIPPLE)
        factor = self._width_factor(bad, odd, even, ripple, step)
        value, error = model.predict(self.terms, step.vector)
        move = state.shape @ step.vector
        mean = self.setup.domain.repair(state.distribution.mean + move)
        state.cost = self._next_cost(step, factor, bad, cost)
        stretch = step.axes * (step.shape_factors() * factor)
        left, widths, _ = np.linalg.svd(state.shape @ stretch @ step.axes.T)
        widths = np.clip(widths, 1e-8 * widths.max(), self.width_limit)
        state.shape = (left * widths) @ left.T
        self._place(mean, left, widths)
        self._count_down()
        state.belief = {
            "noise": state.noise_sum / max(state.noise_freedom, 1.0),
            "gain": step.gain,
            "gain_error": step.gain_error,
            "curvature": float(np.trace(model.hessian)),
            "odd_misfit": odd,
            "even_misfit": even,
            "width": float(widths.max()),
            "cut": step.cut,
            "model_value": value,
            "model_error": error,
        }

    def _width_factor(
        self, bad: bool, odd: float, even: float, ripple: float, step: NewtonStep
    ) -> float:
        """Narrow a cloud that fits badly, but only once the minimiser in it is located."""
        state = self.state
        located = step.cut == 1 and step.location_error < _LOCATED
        no_signal = bad and step.significant_gain == 0 and not located
        state.lost = state.lost + 1 if no_signal else 0
        if bad and (located or state.lost >= _PATIENCE):
            state.lost = 0
            return _SHRINK
        if not bad and odd < 1 and (even < 1 or ripple < _RIPPLE / 4):
            return _GROW
        return 1.0

    def _next_cost(self, step: NewtonStep, factor: float, bad: bool, cost: float) -> float:
        """The paper's argument on the model: gain per cost, (G - T)/S, is greatest at T = G/2."""
        state = self.state
        if factor < 1:  # what locates the minimiser in the narrower cloud
            single = state.rounds[-1].noise + state.shots * state.misfit[0]
            wanted = float(np.mean(single / (step.floored * factor**2) ** 2)) / _LOCATED**2
        else:
            share = 0.5 if step.cut == 1 else 1.0
            gain = max(step.gain_error, share * step.significant_gain, 1e-300)
            change = _GAIN * step.gain_error / gain
            wanted = cost * min(max(change, 1 / _CHANGE), _CHANGE)
            if self.setup.overhead:
                points = cost / state.shots
                wanted = max(wanted, points * math.sqrt(self.setup.overhead * state.shots))
            if bad and step.cut == 1:
                wanted = max(wanted, 1.5 * cost)
        return float(min(max(wanted, cost / _CHANGE**2), _CHANGE * cost))

    def _place(self, mean: Array, axes: Array, widths: Array) -> None:
        """Keep the distribution in step with the cloud."""
        width = float(np.exp(np.mean(np.log(widths))))
        order = np.argsort(widths)
        scales, basis = widths[order] / width, axes[:, order]
        old = self.state.distribution
        self.state.distribution = cma.Distribution(
            mean=mean,
            step_size=width,
            covariance=(basis * scales**2) @ basis.T,
            basis=basis,
            scales=scales,
            path_sigma=old.path_sigma,
            path_c=old.path_c,
            generation=old.generation + 1,
        )

    def _count_down(self) -> None:
        """See whether the end has come."""
        state = self.state
        left = self.setup.budget - state.spent
        least = 2 * self._total(self.least_pairs) * self.least_shots
        if state.last_rounds > 0:
            state.last_rounds -= 1
        elif max(state.cost, least) > left / 3:
            state.last_rounds = 3  # equal ones
        state.finished = left < least or state.last_rounds == 0

    @property
    def belief_of_value(self) -> tuple[float, float]:
        """The model's value at its minimiser."""
        belief = self.state.belief
        return belief["model_value"], belief["model_error"]

    @property
    def decision(self) -> Mapping[str, float]:
        """What the model believes, and what the shots were decided from."""
        return self.state.belief


@dataclass(frozen=True)
class NewtonStep:
    """A step to the model's minimiser, no longer than can be trusted.

    Attributes:
        vector: The step, in the coordinates of the cloud.
        axes: Eigenvectors of the Hessian as columns.
        floored: Curvature along each, floored at its own error.
        errors: Standard errors of the curvature.
        cut: 1, or the part of the step that was taken.
        gain: G, expected improvement by a full step, its own error taken out.
        gain_error: T, expected loss that the error of the slope causes.
        location_error: Root mean square error of the step, in units of the cloud.
    """

    vector: Array
    axes: Array
    floored: Array
    errors: Array
    cut: float
    gain: float
    gain_error: float
    location_error: float

    @property
    def significant_gain(self) -> float:
        """The gain that is left when two standard errors are taken off."""
        return max(0.0, self.gain - 2 * self.gain_error * math.sqrt(2 / len(self.vector)))

    def shape_factors(self) -> Array:
        """(mean curvature/curvature)^(1/4) along the axes, where it differs significantly."""
        typical = math.exp(float(np.mean(np.log(self.floored))))
        excess = self.floored - typical
        kept = np.sign(excess) * np.maximum(np.abs(excess) - _FLOOR * self.errors, 0.0)
        curvature = np.maximum(typical + kept, np.minimum(typical, _FLOOR * self.errors))
        curvature = np.maximum(curvature, 1e-300)
        return np.asarray((math.exp(float(np.mean(np.log(curvature)))) / curvature) ** 0.25)


def _newton_step(model: Quadratic, terms: Terms) -> NewtonStep:
    """-g/curvature along the eigenvectors; where no minimum is seen, only as a slope is proved."""
    dim = terms.dim
    gradient, covariance = model.gradient, model.covariance
    if terms.full:
        curvature, axes = np.linalg.eigh(model.hessian)
        features = np.hstack([np.ones((dim, 1)), terms.quadratic(axes.T, axes.T)])
        own = covariance[1 + dim :, 1 + dim :]
        errors = np.sqrt(np.maximum(np.sum((features @ own) * features, axis=1), 0.0))
    else:
        curvature, axes = np.diag(model.hessian).copy(), np.eye(dim)
        diagonal = np.diag(covariance)
        errors = np.sqrt(
            diagonal[1 + dim] + diagonal[2 + dim :] + 2 * covariance[1 + dim, 2 + dim :]
        )
    slopes = gradient @ axes
    own = covariance[1 : 1 + dim, 1 : 1 + dim]
    variances = np.sum((axes.T @ own) * axes.T, axis=1)
    floored = np.maximum(np.abs(curvature), _FLOOR * errors) + 1e-300
    unseen = curvature <= _FLOOR * errors
    steps = -slopes / floored
    if unseen.any():
        evidence = float(np.sum(slopes[unseen] ** 2 / np.maximum(variances[unseen], 1e-300)))
        steps[unseen] *= max(0.0, 1 - unseen.sum() / max(evidence, 1e-300))
    length = float(np.linalg.norm(steps))
    cut = min(1.0, _TRUST * math.sqrt(dim) / max(length, 1e-300))
    lost = float(np.sum(variances / floored))
    return NewtonStep(
        vector=cut * (axes @ steps),
        axes=axes,
        floored=floored,
        errors=errors,
        cut=cut,
        gain=max(float(np.sum(slopes**2 / floored)) - lost, 0.0),
        gain_error=lost,
        location_error=math.sqrt(float(np.mean(variances / floored**2))),
    )
