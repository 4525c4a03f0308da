"""Parameter-shift descent where the circuit tells the frequencies of the loss.

The first job measures x0 and the slopes there. From an informed start steps are in proportion to
proof, and nothing is drawn at random; from another start Adam takes its usual steps, with several
starts where an angle has several frequencies. The gradient model refines, and at the end the
recommendation is compared with x0. Where the observable's terms are known too, slopes are measured
by plan: shots per circuit and measurement group.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from qiskit_arcmaes.method import Batch, Method, Progress, Setup, receive
from qiskit_arcmaes.oracles import Estimate, GroupEstimate
from qiskit_arcmaes.shift import acceptance, descent, inspection, restarts, spectral_jobs
from qiskit_arcmaes.shift import local_newton as local
from qiskit_arcmaes.shift import spectral_newton as newton
from qiskit_arcmaes.shift.clifford_start import first_point
from qiskit_arcmaes.shift.descent import DescentPhase
from qiskit_arcmaes.shift.inspection import Inspection, StartProof
from qiskit_arcmaes.shift.iterate import Iterate
from qiskit_arcmaes.shift.local_newton import LocalPhase
from qiskit_arcmaes.shift.multistart import ComparisonPhase
from qiskit_arcmaes.shift.newton_phase import NewtonPhase
from qiskit_arcmaes.shift.plan import Stage
from qiskit_arcmaes.shift.problem import Problem
from qiskit_arcmaes.shift.readings import SlopeReading
from qiskit_arcmaes.shift.scatter import first_scatter
from qiskit_arcmaes.shift.screening import ScreeningPhase, expected_loss, lowest, plan_screening
from qiskit_arcmaes.shift.shift_test import ShiftTest
from qiskit_arcmaes.shift.shot_noise import ShotNoise
from qiskit_arcmaes.shift.spectral_diagnostics import COLUMNS, diagnostics, radius
from qiskit_arcmaes.shift.spectral_params import DEFAULTS, SpectralParams
from qiskit_arcmaes.shift.spectral_state import SpectralState

Array = NDArray[np.float64]


class SpectralShift(Method):
    """Shift rules of known frequencies, Adam, and a surrogate of the gradient.

    Args:
        setup: The problem with ``spectra``; ``spectral_plan.affordable`` says whether this method
            suits it. With ``circuit``, slopes are measured by plan.
        rng: The generator to draw from.
        params: Parameters of the method.
        trust_radius: The largest first step in units of x, where the user gave one; then there are
            no random restarts either.

    Example:
        >>> from qiskit_arcmaes.domain import make_domain
        >>> from qiskit_arcmaes.rotations import listed
        >>> setup = Setup(np.ones(2), 0.6, 10, make_domain(2), 1e4, spectra=(listed([1.0]),) * 2)
        >>> method = SpectralShift(setup, np.random.default_rng(1))
        >>> while not method.finished:
        ...     batch = method.ask()
        ...     method.tell(batch, Estimate(-np.cos(batch.points).sum(axis=1)))
        >>> bool(np.abs(method.recommendation).max() < 1e-3)
        True
    """

    columns: ClassVar[Mapping[str, str]] = COLUMNS
    state: SpectralState

    def __init__(
        self,
        setup: Setup,
        rng: np.random.Generator,
        params: SpectralParams = DEFAULTS,
        trust_radius: float | None = None,
    ) -> None:
        super().__init__(setup, rng)
        self.params = params
        self.trust_radius = trust_radius
        self._begin_anew(setup, rng)

    def _begin_anew(
        self, setup: Setup, rng: np.random.Generator, spent: float = 0.0, jobs: int = 0
    ) -> None:
        self.setup, params = setup, self.params
        self.problem = Problem.of(setup, params, self.trust_radius)
        shift = ShiftTest(params.rules.shift)
        first = first_point(self.problem, rng)
        iterate = Iterate(first.point, shift, spent=spent, jobs=jobs)
        scatter = None
        if setup.circuit is not None:
            rules, known = self.problem.group_rules(Stage.SINGLE, iterate), setup.scatter
            known = None if known is None else known[self.problem.coordinates.live]
            scatter = first_scatter(rules, params.groups, known)
        self.state = SpectralState(
            rng=rng,
            origin=first.point,
            is_far=first.is_far,
            iterate=iterate,
            proof=None,
            informed=False,
            starts=restarts.no_restarts(self.problem.dim),
            phase=inspection.plan_inspection(self.problem.exact, setup, params.inspection),
            scatter=scatter,
        )

    def restore(self, state: Any) -> None:
        """Go on from a saved state, without plans where it had given them up."""
        if state.scatter is None and self.setup.circuit is not None:
            self.forget_plans()
        super().restore(state)

    def forget_plans(self) -> None:
        """Start again through values alone; the frequencies stay, the data are dropped."""
        setup, before = replace(self.setup, circuit=None, mean_loss=None), self.state.iterate
        self._begin_anew(setup, self.state.rng, before.spent, before.jobs)

    def first_jobs(self) -> list[tuple[int, int]]:
        """The inspection of x0, from which the first step follows."""
        rules = self.problem.exact
        plan = inspection.plan_inspection(rules, self.setup, self.params.inspection)
        points = plan.repeats * rules.rows + plan.centres + plan.random
        if self.setup.circuit is None:
            return [(points, round(plan.shots))]
        return [(1, spectral_jobs.most_evaluations(points, plan.shots))]

    @property
    def finished(self) -> bool:
        """Whether the last job was told."""
        return self.state.finished

    @property
    def scatter(self) -> Array | None:
        """Variances of one shot per coordinate and group, where jobs are planned by group."""
        if self.state.scatter is None:
            return None
        found = np.full((self.setup.dim, self.state.scatter.variances.shape[1]), np.nan)
        found[self.problem.coordinates.live] = self.state.scatter.variances
        return found

    @property
    def recommendation(self) -> Array:
        """The present centre."""
        return self.problem.coordinates.to_x(self.state.iterate.centre)

    def report(self) -> Progress:
        """Iteration, radius, the last value at a centre, noise and model."""
        state = self.state
        return Progress(
            iteration=state.iterate.iteration,
            radius=radius(state.phase) * float(self.problem.coordinates.scale.max()),
            next_shots=float(state.phase.shots),
            value=state.iterate.value,
            std=state.iterate.value_std,
            diagnostics=diagnostics(state.iterate, state.informed, state.starts, state.phase),
        )

    def ask(self) -> Batch:
        """Propose x0 with pairs, pairs, a second-order design, endpoints, or the comparison."""
        return spectral_jobs.next_batch(self.state, self.problem)

    def tell(self, batch: Batch, estimate: Estimate) -> None:
        """Take in one job of values and go on to the next."""
        values, variances = receive(batch, estimate)
        values[np.abs(values) > self.params.largest_value] = np.nan
        state = self.state
        state.iterate = spectral_jobs.counted(state.iterate, len(values) * batch.shots)
        phase = state.phase
        if isinstance(phase, ComparisonPhase):
            state.phase, state.iterate = restarts.choose_endpoint(
                self.problem, state.starts, state.iterate, state.known_proof, values
            )
        elif isinstance(phase, ScreeningPhase):
            points = self.problem.coordinates.to_angles(batch.points)
            losses = expected_loss(values, state.iterate.noise.variance / batch.shots)
            better = losses < state.known_proof.value
            self._descend_from(
                lowest(points, values, self.params.restarts.starts),
                lowest(points[better], losses[better], 1),
            )
        elif isinstance(phase, acceptance.AcceptancePhase):
            self._accept(phase, values)
        elif isinstance(phase, Inspection):
            rules = self.problem.rules(Stage.SINGLE, state.iterate)
            self._begin(inspection.read_inspection(phase, values, variances, rules, self.setup))
            self._project()
        else:
            state.iterate, reading = spectral_jobs.read_job(
                state, values, variances, batch.shots, self.problem
            )
            self._learn(reading)
            self._project()

    def tell_groups(self, batch: Batch, estimate: GroupEstimate) -> None:
        """Take in one planned job and go on to the next."""
        assert batch.plan is not None
        state, phase = self.state, self.state.phase
        spent = batch.plan.total / self.setup.evaluation_shots
        state.iterate = spectral_jobs.counted(state.iterate, spent)
        reading, state.scatter = spectral_jobs.read_plan(state, batch, estimate, self.problem)
        noise = ShotNoise(reading.noise, state.iterate.noise.pooled)
        state.iterate = replace(state.iterate, noise=noise)
        if isinstance(phase, Inspection):
            self._begin(spectral_jobs.planned_proof(reading, self.setup))
        else:
            self._learn(reading)
        self._project()

    def _begin(self, proof: StartProof) -> None:
        """Decide whether the start is informed, and take the first step."""
        state, problem, params = self.state, self.problem, self.params
        state.proof = proof
        several = restarts.wants_several(problem)
        state.informed = inspection.is_informed(proof, several, params.inspection)
        state.iterate = replace(
            state.iterate,
            noise=ShotNoise(proof.noise, state.iterate.noise.pooled),
            value=proof.value,
            value_shots=proof.shots,
        )
        if state.informed and problem.coordinates.narrow.any():  # Newton steps know no bounds
            rate = params.local.longest_step / 4
            begun, state.iterate = restarts.single_descent(problem, proof, state.iterate, rate)
            self._step(begun, proof)
            return
        if state.informed or not self._is_comparable:
            assert isinstance(state.phase, Inspection)
            limit = self.setup.budget - problem.reserve
            self._go_on(local.start_local(proof, state.phase.shots, limit, params.local))
            return
        screen = None
        if several:
            screen = plan_screening(self.setup, problem.first_rate, params.screening)
        if screen is not None:
            state.phase = screen
        else:
            nowhere = np.empty((0, problem.dim))
            self._descend_from(nowhere, nowhere)

    def _is_designed(self, phase: LocalPhase) -> bool:
        """Whether x0 looks like a start that somebody designed: its minimum is near.

        Where the exact expansion at x0 says that it is far, any slope that is seen leads there.
        Where every angle has one frequency, minima are so wide that a random point below the mean
        is no sign of one: its slopes tell.
        """
        state, problem, params = self.state, self.problem, self.params.local
        if state.is_far:
            return not local.has_slope(phase, params)
        away = state.iterate.centre - state.origin
        if not problem.has_several_frequencies and local.is_steep(phase, away, params):
            return False
        return local.is_local(phase, state.iterate, state.known_proof, state.origin, params)

    @property
    def _is_comparable(self) -> bool:
        """Whether x0 can be compared with the recommendation, so that unproved moves are safe."""
        return acceptance.is_affordable(self.setup, self.params.acceptance)

    def _descend_from(self, candidates: Array, better: Array) -> None:
        """Begin the first descent from x0, or the only one from a better point.

        Args:
            candidates: Where further starts begin, best first, shape (n, d).
            better: A point that is expected to be lower than x0, shape (1, d), or none, (0, d).
        """
        state, proof = self.state, self.state.known_proof
        started = restarts.first_descent(self.problem, proof, state.iterate, candidates)
        state.starts, begun, state.iterate = started
        if state.starts.count == 0 and len(better):
            state.phase, state.iterate = begun, replace(state.iterate, centre=better[0].copy())
        else:
            self._step(begun, proof)

    def _step(self, begun: DescentPhase, proof: StartProof) -> None:
        """Take the first step of a descent from the slopes at hand."""
        self.state.phase, self.state.iterate = descent.take_step(
            begun, self.state.iterate, proof.slopes, proof.variances, self.params
        )

    def _go_on(self, phase: LocalPhase) -> None:
        """Move as proved; then the next round, or Adam where x0 is left far behind, or the end."""
        state, problem, params = self.state, self.problem, self.params.local
        points = problem.exact.rows + 2
        over = local.is_over(phase, state.iterate, points, self.setup)
        designed = self._is_designed(phase)  # before the move: what it adds to the noise is large
        trust = problem.trust_radius
        damping = 0.0 if over else 1.0
        phase, state.iterate = local.move(
            phase, state.iterate, state.origin, trust, damping, params
        )
        if over:
            self._end(phase.rate, proved=True)
        elif self._is_comparable and not designed:
            begun, state.iterate = restarts.single_descent(
                problem, state.known_proof, state.iterate, params.longest_step / 4
            )
            state.phase = begun
        else:
            jobs = problem.jobs(phase.limit, state.iterate)
            shots = local.next_shots(phase, state.iterate.spent, points, jobs, params)
            state.phase = replace(phase, shots=shots)

    def _project(self) -> None:
        """Keep the centre between narrow bounds."""
        centre = self.problem.coordinates.inside(self.state.iterate.centre)
        self.state.iterate = replace(self.state.iterate, centre=centre)

    def _learn(self, reading: SlopeReading) -> None:
        """Take a step of the first order or of the second."""
        state, phase = self.state, self.state.phase
        if isinstance(phase, DescentPhase):
            self._descend(phase, reading)
        elif isinstance(phase, LocalPhase):
            if not np.isnan(reading.value):
                state.iterate = descent.measured(state.iterate, reading)
            self._go_on(local.learn(phase, reading, self.params.local))
        elif isinstance(phase, NewtonPhase):
            refined = newton.refine(phase, state.iterate, reading, state.rng, self.params)
            state.phase, state.iterate = refined
            if newton.is_over(*refined, self.problem.rules(Stage.FINAL, state.iterate)):
                self._end(phase.surrogate.radius)

    def _descend(self, phase: DescentPhase, reading: SlopeReading) -> None:
        """Take a step; then the descent ends, or the second order begins, or neither."""
        state, problem, params = self.state, self.problem, self.params
        stage = phase.plan.stage
        phase, state.iterate = descent.descend(phase, state.iterate, reading, params)
        state.phase = phase
        rules = problem.rules(stage, state.iterate)
        if descent.is_over(phase, state.iterate):
            if stage is Stage.EXPLORING:
                ended = restarts.end_start(
                    problem, state.starts, state.iterate, state.known_proof, state.rng
                )
                state.starts, state.iterate, state.phase = ended
            else:
                self._end(phase.rate)
        elif newton.is_due(phase, problem.dim, params):
            begun = newton.start_refinement(
                phase, state.iterate, state.rng, rules, self.setup, params
            )
            if begun is not None:
                state.phase, state.iterate = begun

    def _end(self, rate: float, proved: bool = False) -> None:
        """End the last phase, and compare with x0 and the origin."""
        state, spent = self.state, self.state.iterate.spent
        starts, params = state.starts_compared(self.problem.x0), self.params.acceptance
        last = acceptance.plan_acceptance(len(starts) + 1, spent, rate, proved, self.setup, params)
        state.finished = last is None or np.array_equal(state.iterate.centre, self.problem.x0)
        state.phase = last or state.phase

    def _accept(self, phase: acceptance.AcceptancePhase, values: Array) -> None:
        """Keep the recommendation, or return to x0 or the origin."""
        state, params = self.state, self.params.acceptance
        starts, proof = state.starts_compared(self.problem.x0), state.known_proof
        state.iterate = acceptance.accept(phase, values, proof, state.iterate, starts, params)
        state.finished = True
