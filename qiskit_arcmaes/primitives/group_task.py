"""A plan of measurements together with what it measures."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from qiskit.circuit import QuantumCircuit
from qiskit.primitives.containers.bindings_array import BindingsArray

from qiskit_arcmaes.oracles import MeasuredCircuit, MeasurementPlan
from qiskit_arcmaes.primitives.group_readout import GroupReadout
from qiskit_arcmaes.primitives.ledger import Cost


@dataclass(frozen=True, eq=False)
class GroupTask:
    """Measurement groups of one observable at some points, each with shots of its own.

    Attributes:
        circuit: Prepares the states.
        values: Its parameters at the points of the plan, shape (n,).
        readout: The terms of the observable in groups, and how outcomes tell them.
        plan: The points, their shots, and the parts that are wanted.
    """

    circuit: QuantumCircuit
    values: BindingsArray
    readout: GroupReadout
    plan: MeasurementPlan

    @property
    def cost(self) -> Cost:
        """One circuit for each point and group that has shots."""
        shots = self.plan.shots
        points = np.count_nonzero(shots.any(axis=1))
        return Cost(int(points), int(np.count_nonzero(shots)), self.plan.total)


def check_plan(plan: MeasurementPlan, circuit: MeasuredCircuit) -> None:
    """Refuse a plan that does not fit the circuit.

    Args:
        plan: Any plan.
        circuit: What it is to measure.
    """
    points, shots, parts = plan.points.shape, plan.shots.shape, plan.parts.shape
    wanted = ((len(plan.points), circuit.dim), (len(plan.points), circuit.num_groups))
    if (points, shots) != wanted or parts[1:] != circuit.groups.shape:
        raise ValueError(
            f"the plan has points of shape {points}, shots of shape {shots} and parts of shape "
            f"{parts}, but there are {circuit.dim} coordinates, {circuit.num_groups} groups and "
            f"{len(circuit.groups)} terms."
        )
    if plan.shots.min(initial=0) < 0:
        raise ValueError(f"the plan has {plan.shots.min()} shots; shots must be >= 0.")
