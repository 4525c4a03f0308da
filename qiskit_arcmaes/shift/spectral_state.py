"""State of the method for known frequencies, and the job that follows from it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from qiskit_arcmaes.method import State
from qiskit_arcmaes.shift import acceptance, descent, inspection, multistart, newton_phase
from qiskit_arcmaes.shift import spectral_newton as newton
from qiskit_arcmaes.shift.acceptance import AcceptancePhase
from qiskit_arcmaes.shift.inspection import Inspection, StartProof
from qiskit_arcmaes.shift.iterate import Iterate
from qiskit_arcmaes.shift.multistart import ComparisonPhase
from qiskit_arcmaes.shift.newton_phase import NewtonPhase
from qiskit_arcmaes.shift.plan import Stage
from qiskit_arcmaes.shift.restarts import Problem, Restarts
from qiskit_arcmaes.shift.spectral_diagnostics import Phase

Array = NDArray[np.float64]


@dataclass(kw_only=True)
class SpectralState(State):
    """State of the method.

    Attributes:
        iterate: The present point and what is known there.
        proof: What the first job told of x0; None before it.
        informed: Whether x0 is an informed start.
        starts: The starts so far.
        phase: What the next job is for.
        finished: Whether the last job was told.
    """

    iterate: Iterate
    proof: StartProof | None
    informed: bool
    starts: Restarts
    phase: Phase
    finished: bool = False

    @property
    def known_proof(self) -> StartProof:
        """What the first job told of x0, after it."""
        if self.proof is None:
            raise RuntimeError("x0 is not measured yet: tell the first batch.")
        return self.proof


def design(state: SpectralState, problem: Problem) -> tuple[Array, str]:
    """Points of the next job in scaled radians, shape (n, d), and what they are for.

    Args:
        state: The state; only its generator may change.
        problem: Coordinates and rules.
    """
    phase, iterate = state.phase, state.iterate
    if isinstance(phase, Inspection):
        turn = problem.coordinates.turn
        points = inspection.inspection_points(phase, iterate.centre, problem.exact, turn, state.rng)
        return points, inspection.ALGORITHM
    if isinstance(phase, NewtonPhase):
        rules = problem.rules(Stage.FINAL, iterate)
        return newton.refinement_points(phase, rules), newton_phase.ALGORITHM
    if isinstance(phase, ComparisonPhase):
        return np.concatenate([state.starts.endpoints, problem.x0[None]]), multistart.ALGORITHM
    if isinstance(phase, AcceptancePhase):
        return np.stack([problem.x0, iterate.centre]), acceptance.ALGORITHM
    rules = problem.rules(phase.plan.stage, iterate)
    return descent.descent_points(phase, iterate, rules, problem.params), descent.ALGORITHM
