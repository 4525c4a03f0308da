"""State of the method for known frequencies."""

from __future__ import annotations

from dataclasses import dataclass

from qiskit_arcmaes.method import State
from qiskit_arcmaes.shift.inspection import StartProof
from qiskit_arcmaes.shift.iterate import Iterate
from qiskit_arcmaes.shift.restarts import Restarts
from qiskit_arcmaes.shift.scatter import Scatter
from qiskit_arcmaes.shift.spectral_diagnostics import Phase


@dataclass(kw_only=True)
class SpectralState(State):
    """State of the method.

    Attributes:
        iterate: The present point and what is known there.
        proof: What the first job told of x0; None before it.
        informed: Whether x0 is an informed start.
        starts: The starts so far.
        phase: What the next job is for.
        scatter: What single shots scatter, where slopes are measured by plan; else None.
        finished: Whether the last job was told.
    """

    iterate: Iterate
    proof: StartProof | None
    informed: bool
    starts: Restarts
    phase: Phase
    scatter: Scatter | None
    finished: bool = False

    @property
    def known_proof(self) -> StartProof:
        """What the first job told of x0, after it."""
        if self.proof is None:
            raise RuntimeError("x0 is not measured yet: tell the first batch.")
        return self.proof
