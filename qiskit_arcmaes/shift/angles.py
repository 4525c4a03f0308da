"""The local phase for angles of gates: pairs x ± s e_i, first order, then second.

For a parameter that rotates by a Pauli matrix the loss is a sine of that parameter, so that

    slope = (f(x + s e_i) - f(x - s e_i)) / (2 sin s)

holds for every spacing s, and s = π/2 gives the largest signal that a shot can carry. Whether it
holds is tested on the way: slopes at s and at a smaller spacing must agree. Where they do not, a
parameter turns several gates at once (as in QAOA): the smaller spacing is taken, and because such
losses have many minima the search begins from several starts, of which the best goes on.

The first steps are Adam's: they cross flat valleys. Once there are enough of them for all
curvatures, a model of the slopes is fitted to them, and every further round goes to its minimiser.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import fdtrc

from qiskit_arcmaes.legacy import Batch, Method, Setup
from qiskit_arcmaes.shift import angle_rounds
from qiskit_arcmaes.shift.angle_state import AngleState
from qiskit_arcmaes.strategies import cma

Array = NDArray[np.float64]

_RATE, _LAST_RATE = 0.15, 0.01  # first step in radians; the last one in units of it
_MOMENTUM, _SQUARES = 0.9, 0.99  # Adam's averages of slopes and of their squares
_STEPS = (250, 500)  # steps in flat valleys limit, not shots: fewest and most
_CHEAPEST, _DEAREST = 0.5, 1.25  # shots of a step, in units of the typical ones
_TESTS = 8  # of the spacing, in the first steps; later at every power of two
_STEPS_A_TEST = 40  # at the least, so that tests, each as dear as two more steps, cost a twentieth
_MORE_TESTS = 4  # times as many while the outcome is in doubt
_DOUBT = 0.1  # probability of the outcome below which it is
_KNOWN = 1e6  # degrees of freedom of a noise that was reported
_FALSE_ALARM = 1e-3  # probability that a test lowers a spacing that is right
_SUSPICION = 0.05  # the same, once a loss is known to have several frequencies
_TOLERANCE = 0.05  # share of the slopes' energy by which the two may differ
_SHOWN = 8  # the centre is measured at every so many steps, to show how far the run is
_TEST_COST = 1.12  # what the tests of the spacing add
_STARTS = 8  # where the loss has several frequencies; they share half of the budget
_SOON = 0.25  # share of the budget after which it is too late for several starts
_SHORTER = 0.5  # steps of one of several starts, in units of those of a run
_SETTLED = 0.2  # first step after the best of several starts was chosen, in units of the first one
_JUDGEMENT = 0.02  # share of the budget that compares their ends
_STEPS_A_COEFFICIENT = 4  # of Adam, before slopes and curvatures are fitted to them
_DEAR_STEPS = 100  # the fewest steps, where a new circuit costs more than its shots


class AnglePairs(Method):
    """The default for parameters of circuits: Adam on coordinate pairs, then a model of slopes."""

    name = "ar"
    state: AngleState

    def __init__(self, setup: Setup, rng: np.random.Generator) -> None:
        super().__init__(setup, rng)
        dim = len(setup.start)
        self.least_shots = max(setup.min_shots, setup.shots or 1)
        self.state = AngleState(
            distribution=cma.start(setup.start, _RATE),
            rng=rng,
            shots=1.0,
            slope=np.zeros(dim),
            square=np.zeros(dim),
            limit=0.0,
            ends=np.empty((0, dim)),
        )
        self._begin(setup.budget)

    @classmethod
    def suits(cls, setup: Setup) -> bool:
        """Whether the coordinates are angles, without walls, and the budget pays twenty steps."""
        least = max(setup.min_shots, setup.shots or 1)
        enough = setup.budget >= 20 * (6 * len(setup.start) + 1) * least
        return setup.angles and not setup.domain.bounded and enough

    def first_jobs(self) -> list[tuple[int, int]]:
        """The first step, with a test of the spacing."""
        return [(6 * len(self.setup.start) + 1, round(self.state.shots))]

    @property
    def finished(self) -> bool:
        """Whether the last step was told."""
        return self.state.finished

    def ask(self) -> Batch:
        """Pairs along every coordinate; in a test twice, and once at the smaller spacing."""
        state = self.state
        centre = state.distribution.mean
        if state.refining:
            points, shots = angle_rounds.points(state), round(state.shots)
        elif state.judging:
            points = state.ends
            share = _JUDGEMENT * self.setup.budget / len(points)
            left = (self.setup.budget - state.spent) / len(points)
            shots = max(int(min(share, left)), self.least_shots)
        else:
            tests = min(_TESTS, state.planned_steps / _STEPS_A_TEST)
            doubtful = state.chance < _DOUBT and state.step < _MORE_TESTS * tests
            soon = state.step < tests or doubtful
            state.testing = soon or math.log2(state.step).is_integer()
            spacings = [state.spacing]
            if state.testing:
                spacings += [state.spacing, angle_rounds.RATIO * state.spacing]
            steps = np.concatenate([s * np.eye(len(centre)) for s in spacings])
            points = np.stack([centre + steps, centre - steps], axis=1).reshape(-1, len(centre))
            state.centred = state.step % _SHOWN == 0
            if state.centred:
                points = np.concatenate([points, centre[None]])
            shots = round(state.shots)
        state.waiting = len(points)
        state.asked = shots
        domain = self.setup.domain
        return Batch(domain.wrap(domain.repair(points)), shots)

    def tell(self, values: ArrayLike, variances: ArrayLike | None = None) -> None:
        """One step of Adam; at the end of a start, on to the next."""
        state = self.state
        values, known = self._receive(values, variances)
        state.spent += len(values) * state.asked
        if known is not None and np.isfinite(known).any():
            state.noise = state.asked * float(np.nanmean(known))
        if state.judging:
            self._go_on_from(state.ends[int(np.nanargmin(values))])
        elif state.refining:
            angle_rounds.learn(state, values, known is None)
            self._refined()
        else:
            self._first_order(values, known is None)

    def _first_order(self, values: Array, unknown_noise: bool) -> None:
        """A step of Adam from the pairs of a batch."""
        state = self.state
        dim = len(state.slope)
        value = math.nan
        if state.centred:
            value = float(values[-1])
            state.value, state.value_shots = value, state.asked
            values = values[:-1]
        failed = np.isnan(values)
        worst = 0.0 if failed.all() else float(np.nanmax(values))
        above, below = np.where(failed, worst, values).reshape(-1, 2).T
        halves = (above - below) / 2
        slopes = halves[:dim] / math.sin(state.spacing)
        spacing = state.spacing
        if state.testing:
            first, second, narrow = np.split(halves, 3)
            slopes = self._test(first, second, narrow, unknown_noise)
        if state.spacing < spacing:
            angle_rounds.forget(state)
        elif self._second_order_pays and not failed.any():
            angle_rounds.keep(state, state.distribution.mean, slopes, 1 + state.testing)
            angle_rounds.keep_curvatures(state, (above + below)[:dim] / 2 - value)
        self._step(slopes)
        longest = (6 * dim + 1) * state.shots
        if state.spent + longest > state.limit:
            self._end()
        elif self._may_refine and angle_rounds.begin(state):
            self._refined()

    @property
    def _second_order_pays(self) -> bool:
        """Whether this start has more steps than the model needs."""
        dim = len(self.setup.start)
        return self.state.planned_steps > _STEPS_A_COEFFICIENT * dim * (dim + 3) / 2

    @property
    def _may_refine(self) -> bool:
        """Whether there are enough steps for all coefficients, and enough budget for rounds."""
        state = self.state
        dim = len(state.slope)
        searching = state.several and len(state.ends) < _STARTS
        enough = state.step >= _STEPS_A_COEFFICIENT * dim * (dim + 3) / 2
        rest = state.limit - state.spent
        pays = rest >= angle_rounds.FEWEST * (2 * dim + 2) * self.least_shots
        return not searching and enough and pays and state.step % _SHOWN == 0

    def _refined(self) -> None:
        """After a round of second order: the shots of the next, or the end."""
        state = self.state
        state.distribution.mean = self.setup.domain.repair(state.distribution.mean)
        state.distribution.generation += 1
        rows = 2 * len(state.slope) + 2
        rest = state.limit - state.spent
        if not state.rounds:
            least = min(self.setup.overhead, rest / (angle_rounds.FEWEST * rows))
            shots = max(rest / (angle_rounds.MOST * rows), least)
            state.shots = float(max(int(shots), self.least_shots))
        state.rounds += 1
        if rest < rows * state.shots:
            state.finished = True

    def _begin(self, budget: float) -> None:
        """Plan a start: enough steps to cross flat valleys, the shots follow."""
        state = self.state
        step = 2 * len(self.setup.start) * _TEST_COST + 1 / _SHOWN
        pairs = budget / step
        steps = min(max(4 * math.sqrt(pairs), _STEPS[0]), _STEPS[1])
        if state.several and len(state.ends) < _STARTS:
            steps *= _SHORTER
        dear = min(self.setup.overhead, pairs / _DEAR_STEPS)
        shots = max(int(pairs / steps), int(dear), self.least_shots)
        state.shots = state.typical = float(shots)
        state.planned_steps = pairs / shots
        angle_rounds.forget(state)
        state.planned = budget
        state.limit = state.spent + budget
        state.step = 0
        state.slope, state.square = np.zeros_like(state.slope), np.zeros_like(state.square)

    def _test(self, first: Array, second: Array, narrow: Array, unknown_noise: bool) -> Array:
        """Compare slopes at two spacings with what the noise explains; the slopes to go by."""
        state = self.state
        shots = round(state.shots)
        squares = shots * float(np.sum((first - second) ** 2))
        state.noise_sum += squares
        state.noise_count += len(first)
        if unknown_noise:  # it depends on the point: the last tests count
            before = state.noise if state.step else squares / len(first)
            state.noise = (before + squares / len(first)) / 2
        pooled = state.noise_sum / state.noise_count if unknown_noise else state.noise
        noise = pooled / 2  # of half a difference, for one shot
        freedom = state.noise_count if unknown_noise else _KNOWN
        sine, narrow_sine = math.sin(state.spacing), math.sin(angle_rounds.RATIO * state.spacing)
        slopes = (first + second) / 2 / sine
        variance = noise / shots * (0.5 / sine**2 + 1 / narrow_sine**2) + 1e-300
        state.difference = state.difference + slopes - narrow / narrow_sine
        state.differences += 1
        deviation = float(np.sum((slopes - narrow / narrow_sine) ** 2))
        state.disagreement += deviation / variance
        state.agreements += len(first)
        state.deviation += deviation - variance * len(first)
        state.energy += float(np.sum(slopes**2))
        ratio = state.disagreement / state.agreements
        state.chance = float(fdtrc(state.agreements, freedom, ratio))  # of so large a ratio
        limit = _SUSPICION if state.several else _FALSE_ALARM
        if state.chance < limit and state.deviation > _TOLERANCE * state.energy:
            state.spacing *= angle_rounds.RATIO
            state.disagreement, state.agreements, state.chance = 0.0, 0, 1.0
            state.deviation, state.energy = 0.0, 0.0
            slopes = narrow / narrow_sine
            if not state.several and state.spent < _SOON * self.setup.budget:
                state.several = True
                self._begin((self.setup.budget / 2 - state.spent) / _STARTS)
        return slopes

    def _step(self, slopes: Array) -> None:
        """Adam with a step that falls by a cosine as the budget is used."""
        state = self.state
        state.step += 1
        state.slope = _MOMENTUM * state.slope + (1 - _MOMENTUM) * slopes
        state.square = _SQUARES * state.square + (1 - _SQUARES) * slopes**2
        done = 1 - (state.limit - state.spent) / state.planned
        fall = 0.5 * (1 + math.cos(math.pi * min(done, 1.0)))
        settled = state.several and len(state.ends) == _STARTS
        first = _RATE * (_SETTLED if settled else 1.0)
        rate = first * (_LAST_RATE + (1 - _LAST_RATE) * fall)
        slope = state.slope / (1 - _MOMENTUM**state.step)
        self._choose_shots(slope)
        square = state.square / (1 - _SQUARES**state.step)
        distribution = state.distribution
        moved = distribution.mean - rate * slope / (np.sqrt(square) + 1e-12)
        distribution.mean = self.setup.domain.repair(moved)
        distribution.step_size = rate
        distribution.generation += 1

    def _choose_shots(self, slope: Array) -> None:
        """Cheaper steps while the slope stands out of its noise, dearer ones when it does not.

        In narrow limits: shots that grew more over a run took its steps away, and made LiH worse.
        """
        state = self.state
        noise = state.noise_sum / max(state.noise_count, 1) / (2 * math.sin(state.spacing) ** 2)
        averaged = (1 - _MOMENTUM) / (1 + _MOMENTUM)  # what momentum leaves of the noise
        signal = float(np.mean(slope**2)) - averaged * noise / state.shots
        ratio = math.sqrt(noise / state.typical / max(signal, 1e-300))
        wanted = state.typical * min(max(ratio, _CHEAPEST), _DEAREST)
        smoothed = _MOMENTUM * state.shots + (1 - _MOMENTUM) * wanted
        state.shots = max(smoothed, float(self.least_shots))

    def _end(self) -> None:
        """The end of a start: the next one, their comparison, or the end of the run."""
        state = self.state
        if not state.several or len(state.ends) == _STARTS:
            state.finished = True
            return
        state.ends = np.concatenate([state.ends, state.distribution.mean[None]])
        if len(state.ends) < _STARTS:
            dim = len(self.setup.start)
            drawn = state.rng.uniform(-math.pi, math.pi, dim)
            state.distribution.mean = self.setup.domain.repair(drawn)
            rest = self.setup.budget / 2 - state.spent
            self._begin(rest / (_STARTS - len(state.ends)))
        else:
            state.judging = True

    def _go_on_from(self, best: Array) -> None:
        """The best end gets the rest of the budget."""
        state = self.state
        state.judging = False
        state.distribution.mean = best.copy()
        state.distribution.generation += 1
        self._begin(self.setup.budget - state.spent)

    @property
    def belief_of_value(self) -> tuple[float, float]:
        """The last value measured at the centre."""
        state = self.state
        return state.value, math.sqrt(state.noise / state.value_shots)

    @property
    def decision(self) -> Mapping[str, float]:
        """Noise, spacing and its test, slope, rate, start; what the model of slopes believes."""
        state = self.state
        return {
            "noise": state.noise,
            "spacing": state.spacing,
            "disagreement": state.disagreement / max(state.agreements, 1),
            "slope": float(np.linalg.norm(state.slope)),
            "rate": state.distribution.step_size,
            "start": float(len(state.ends) + 1),
            "order": 2.0 if state.refining else 1.0,
            "gain": state.gain,
            "gain_noise": state.gain_noise,
            "trigonometric": state.trigonometric,
            "misfit": state.misfit,
        }
