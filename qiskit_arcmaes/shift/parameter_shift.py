"""The parameter-shift method: for losses of rotation angles, as those of circuits are.

First-order steps come first: Adam on parameter-shift pairs crosses flat valleys. Once there are
enough of them for all curvatures, a model of the gradient is fitted to them, and every further
design goes to its minimum. Where an angle turns several gates, several starts come before.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from qiskit_arcmaes.method import Batch, Method, Progress, Setup, State, receive
from qiskit_arcmaes.oracles import Estimate
from qiskit_arcmaes.shift import adam_phase, multistart, newton_phase
from qiskit_arcmaes.shift.adam_phase import AdamPhase
from qiskit_arcmaes.shift.coordinates import AngleCoordinates
from qiskit_arcmaes.shift.diagnostics import COLUMNS, diagnostics, radius
from qiskit_arcmaes.shift.iterate import Iterate, Measurement
from qiskit_arcmaes.shift.multistart import ComparisonPhase, Multistart
from qiskit_arcmaes.shift.newton_phase import NewtonPhase
from qiskit_arcmaes.shift.params import DEFAULTS, ShiftParams
from qiskit_arcmaes.shift.plan import Stage, largest_job
from qiskit_arcmaes.shift.shift_test import ShiftTest, Verdict
from qiskit_arcmaes.shift.shot_noise import take_reported

Array = NDArray[np.float64]


@dataclass(kw_only=True)
class ShiftState(State):
    """State of the parameter-shift method.

    Attributes:
        iterate: The present point and what is known there.
        starts: The starts so far.
        phase: What the next job is for.
        finished: Whether the last job was told.
    """

    iterate: Iterate
    starts: Multistart
    phase: AdamPhase | NewtonPhase | ComparisonPhase
    finished: bool = False


class ParameterShift(Method):
    """Adam on parameter-shift pairs, then a surrogate of the gradient.

    Args:
        setup: The problem; ``affordable`` says whether this method suits it.
        rng: The generator to draw from.
        params: Parameters of the method.

    Example:
        >>> from qiskit_arcmaes.domain import make_domain
        >>> domain = make_domain(2, periodic=True)
        >>> setup = Setup(np.ones(2), 0.6, 10, domain, 1e4, noise=0.0, angles=True)
        >>> method = ParameterShift(setup, np.random.default_rng(1))
        >>> while not method.finished:
        ...     batch = method.ask()
        ...     method.tell(batch, Estimate(-np.cos(batch.points).sum(axis=1)))
        >>> bool(np.abs(method.recommendation).max() < 1e-3)
        True
    """

    columns: ClassVar[Mapping[str, str]] = COLUMNS
    state: ShiftState

    def __init__(
        self, setup: Setup, rng: np.random.Generator, params: ShiftParams = DEFAULTS
    ) -> None:
        super().__init__(setup, rng)
        self.params = params
        self.coordinates = AngleCoordinates.of(setup.domain, setup.circuit_frequencies)
        centre = self.coordinates.to_angles(setup.start)
        self.state = ShiftState(
            rng=rng,
            iterate=Iterate(centre, ShiftTest(params.test.first_shift)),
            starts=Multistart(Stage.SINGLE, np.empty((0, setup.dim))),
            phase=multistart.start_phase(setup.budget, 0.0, Stage.SINGLE, setup, params),
        )

    def first_jobs(self) -> list[tuple[int, int]]:
        """The first step, with a test of the shift."""
        return [(largest_job(self.setup.dim), round(self.state.phase.shots))]

    @property
    def finished(self) -> bool:
        """Whether the last job was told."""
        return self.state.finished

    @property
    def recommendation(self) -> Array:
        """The present centre."""
        return self.coordinates.to_x(self.state.iterate.centre)

    def report(self) -> Progress:
        """Iteration, radius, the last value at a centre, noise, shift and model."""
        state = self.state
        return Progress(
            iteration=state.iterate.iteration,
            radius=radius(state.phase) * float(self.coordinates.scale.max()),
            next_shots=float(state.phase.shots),
            value=state.iterate.value,
            std=state.iterate.value_std,
            diagnostics=diagnostics(state.iterate, state.starts, state.phase),
        )

    def ask(self) -> Batch:
        """Propose pairs along every angle, a second-order design, or all endpoints."""
        state, memo = self.state, None
        if isinstance(state.phase, ComparisonPhase):
            points, name = state.starts.endpoints, multistart.ALGORITHM
        elif isinstance(state.phase, NewtonPhase):
            points = newton_phase.design_points(state.phase, state.iterate)
            name = newton_phase.ALGORITHM
        else:
            points, memo = adam_phase.design_pairs(state.phase, state.iterate, self.params)
            name = adam_phase.ALGORITHM
        return Batch(self.coordinates.to_x(points), round(state.phase.shots), name, memo)

    def tell(self, batch: Batch, estimate: Estimate) -> None:
        """Take one step; at the end of a start, go on to the next."""
        state = self.state
        values, variances = receive(batch, estimate)
        values[np.abs(values) > self.params.largest_value] = np.nan
        job = Measurement(values, batch.shots, variances is not None)
        state.iterate = replace(
            state.iterate,
            spent=state.iterate.spent + len(values) * batch.shots,
            noise=take_reported(state.iterate.noise, variances, batch.shots),
        )
        if isinstance(state.phase, ComparisonPhase):
            state.starts, state.iterate, state.phase = multistart.choose_endpoint(
                state.starts, state.iterate, values, self.setup, self.params
            )
        elif isinstance(state.phase, NewtonPhase):
            state.phase, state.iterate = newton_phase.learn(
                state.phase, state.iterate, job, state.rng, self.params
            )
            state.finished = newton_phase.is_over(state.phase, state.iterate)
        else:
            self._take_step(state.phase, job, batch.memo)
        centre = self.coordinates.inside(state.iterate.centre)
        state.iterate = replace(state.iterate, centre=centre)

    def _take_step(self, phase: AdamPhase, job: Measurement, memo: adam_phase.PairsMemo) -> None:
        """Take a step of Adam; then the start ends, or the second order begins, or neither."""
        state, setup, params = self.state, self.setup, self.params
        step = adam_phase.read_step(phase, state.iterate, job, memo, state.starts.stage, params)
        phase = replace(phase, record=step.record)
        spent = state.iterate.spent
        reduced = step.verdict is Verdict.REDUCE
        if reduced and multistart.may_explore(state.starts.stage, spent, setup, params):
            state.starts, phase = multistart.explore(state.starts, spent, setup, params)
        state.phase, state.iterate = adam_phase.advance(
            phase, step.iterate, step.gradient, setup.least_shots, params
        )
        if adam_phase.is_over(state.phase, state.iterate):
            self._end_start()
        else:
            self._try_second_order(state.phase)

    def _end_start(self) -> None:
        """End a start: the next one begins, or the comparison, or the run is over."""
        state = self.state
        if state.starts.stage is not Stage.EXPLORING:
            state.finished = True
            return
        state.starts, state.iterate, state.phase = multistart.end_start(
            state.starts, state.iterate, state.rng, self.setup, self.params
        )

    def _try_second_order(self, phase: AdamPhase) -> None:
        """Begin the second-order phase where it is due and its minimum lies near."""
        state, stage = self.state, self.state.starts.stage
        limit = phase.plan.limit
        rest = limit - state.iterate.spent
        if not newton_phase.is_due(phase.adam.steps, rest, stage, self.setup, self.params):
            return
        begun = newton_phase.start_newton(
            phase.record, limit, state.iterate, stage, state.rng, self.setup, self.params
        )
        if begun is not None:
            state.phase, state.iterate = begun
            state.finished = newton_phase.is_over(*begun)
