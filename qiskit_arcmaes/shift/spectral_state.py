"""State of the method for known frequencies."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from qiskit_arcmaes.method import State
from qiskit_arcmaes.shift.inspection import StartProof
from qiskit_arcmaes.shift.iterate import Iterate
from qiskit_arcmaes.shift.restarts import Restarts
from qiskit_arcmaes.shift.scatter import Scatter
from qiskit_arcmaes.shift.spectral_diagnostics import Phase

Array = NDArray[np.float64]


@dataclass(kw_only=True)
class SpectralState(State):
    """State of the method.

    Attributes:
        origin: The first point in scaled radians, shape (d,): x0, or where its exact expansion
            leads.
        is_far: Whether that expansion has its minimum far from x0.
        iterate: The present point and what is known there.
        proof: What the first job told of the origin; None before it.
        informed: Whether the origin is an informed start.
        starts: The starts so far.
        phase: What the next job is for.
        scatter: What single shots scatter, where slopes are measured by plan; else None.
        finished: Whether the last job was told.
    """

    origin: Array
    is_far: bool
    iterate: Iterate
    proof: StartProof | None
    informed: bool
    starts: Restarts
    phase: Phase
    scatter: Scatter | None
    finished: bool = False

    def starts_compared(self, x0: Array) -> Array:
        """What the recommendation is compared with, shape (n, d): x0, and the origin if it differs.

        Args:
            x0: In scaled radians, shape (d,).
        """
        differs = not np.array_equal(x0, self.origin)
        return np.stack([x0, self.origin]) if differs else x0[None]

    @property
    def known_proof(self) -> StartProof:
        """What the first job told of the origin, after it."""
        if self.proof is None:
            raise RuntimeError("the first point is not measured yet: tell the first batch.")
        return self.proof
