"""Proof that a loss is the value its estimator delivers, unchanged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from qiskit.primitives.containers.observables_array import ObservablesArray

from qiskit_arcmaes.oracles import MeasurementPlan
from qiskit_arcmaes.primitives.deliveries import Delivery
from qiskit_arcmaes.primitives.loss_circuit import MeasurableLoss

Array = NDArray[np.float64]

PROOF_POINTS = 3
_SAME_VALUE = 1e-12  # relative: a value that was delivered, and not transformed


class PlainProof:
    """Compares what a loss returns with what its estimator delivered.

    A loss is proved plain once both agreed at three distinct points. It is looked at in every
    later evaluation too, and one disagreement refutes it for good.

    Args:
        loss: The expectation value that the loss is taken for.

    Attributes:
        loss: The same.
        refuted: Whether the loss is something else.
    """

    def __init__(self, loss: MeasurableLoss) -> None:
        self.loss = loss
        self.refuted = False
        self._agreed: list[list[float]] = []  # points, as many as the proof needs
        self._asked: ObservablesArray | None = None  # the last that held the observable

    def check(self, points: Array, values: Array, deliveries: Sequence[Delivery]) -> None:
        """Take in an evaluation.

        Args:
            points: Where the loss was evaluated, shape (n, d).
            values: What it returned, shape (n,).
            deliveries: What its estimator delivered meanwhile.
        """
        if self.refuted:
            return
        if not self._agrees(points, values, deliveries):
            self.refuted = True
            return
        if len(self._agreed) < PROOF_POINTS:
            for point in points[np.isfinite(values)].tolist():  # a value that failed shows nothing
                if len(self._agreed) < PROOF_POINTS and point not in self._agreed:
                    self._agreed.append(point)

    def missing(self, plan: MeasurementPlan) -> Array:
        """Points of a plan at which the loss must be evaluated before the plan is run."""
        chosen: list[list[float]] = []
        if len(self._agreed) < PROOF_POINTS:
            for point in plan.points[plan.shots.any(axis=1)].tolist():
                if point not in self._agreed and point not in chosen:
                    chosen.append(point)
                if len(self._agreed) + len(chosen) == PROOF_POINTS:
                    break
        return np.array(chosen).reshape(-1, plan.points.shape[1])

    def _agrees(self, points: Array, values: Array, deliveries: Sequence[Delivery]) -> bool:
        delivered = [one.values for one in deliveries if one.values is not None]
        if len(delivered) != len(deliveries) or sum(map(len, delivered)) != len(values):
            return False
        pubs = [pub for one in deliveries for pub in one.pubs]
        same = np.allclose(
            values, np.concatenate(delivered), rtol=_SAME_VALUE, atol=0.0, equal_nan=True
        )
        asked = all(self._is_observable(pub.observables) for pub in pubs)
        return bool(same) and asked and self.loss.preparation.made(pubs, points)

    def _is_observable(self, observables: ObservablesArray) -> bool:
        """Whether an array, which cannot change, holds the observable of the loss alone."""
        if observables is not self._asked:
            flat = observables.ravel()
            if flat.size != 1 or flat[0] != self.loss.observable:
                return False
            self._asked = observables
        return True

    @property
    def state(self) -> dict[str, Any]:
        """What was shown so far, as plain data."""
        return {"agreed": [list(point) for point in self._agreed], "refuted": self.refuted}

    @state.setter
    def state(self, state: Mapping[str, Any]) -> None:
        self._agreed = [[float(number) for number in point] for point in state["agreed"]]
        self.refuted = bool(state["refuted"])
