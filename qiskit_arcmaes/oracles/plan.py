"""Planned measurement: shots for each point and measurement group, read out part by part."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from qiskit_arcmaes.rotations import RotationForm

Array = NDArray[np.float64]
Integers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class MeasuredCircuit:
    """The circuit and the observable behind a loss that is a plain expectation value.

    The loss is ``constant`` plus the sum over the terms of coefficient times expectation. Terms
    that commute qubit by qubit are measured together, in groups.

    Attributes:
        cones: Which terms each coordinate can change, shape (d, terms).
        coefficients: Of the terms, shape (terms,).
        groups: The measurement group of each term, shape (terms,), 0 to groups - 1.
        constant: The coefficient of the identity.
        equal_shots: Whether all measurements of a job have the same shots, so that a plan costs
            fewest rows where its shots are multiples of a common number.
        form: The circuit as Pauli rotations, with the observable; None where it is not known.
    """

    cones: NDArray[np.bool_]
    coefficients: Array
    groups: NDArray[np.int_]
    constant: float
    equal_shots: bool = False
    form: RotationForm | None = None

    @property
    def num_groups(self) -> int:
        """Number of measurement groups."""
        return int(self.groups.max(initial=-1)) + 1

    @property
    def dim(self) -> int:
        """Number of coordinates d."""
        return len(self.cones)


@dataclass(frozen=True, eq=False)
class MeasurementPlan:
    """One job in which every point and measurement group has shots of its own.

    Attributes:
        points: Shape (n, d).
        shots: Of each point in each group, shape (n, groups), integers >= 0; where it is 0 nothing
            is measured.
        partition: Which row of ``parts`` each point is read out by, shape (n,).
        parts: The part that each term belongs to, shape (partitions, terms): 0, 1, ..., or -1 for
            terms that are not wanted. The parts of one row share no term.

    Example:
        >>> shots, parts = np.array([[5, 0], [5, 7]]), np.array([[0, 0, -1]])
        >>> plan = MeasurementPlan(np.zeros((2, 1)), shots, np.zeros(2, int), parts)
        >>> plan.total, plan.num_parts
        (17, 1)
    """

    points: Array
    shots: Integers
    partition: NDArray[np.int_]
    parts: NDArray[np.int_]

    @property
    def total(self) -> int:
        """All shots."""
        return int(self.shots.sum())

    @property
    def num_parts(self) -> int:
        """Parts of the row with the most."""
        return int(self.parts.max(initial=-1)) + 1


@dataclass(frozen=True, eq=False)
class GroupEstimate:
    """What a plan gave.

    For point i, group g and part p, a shot's value is the sum of coefficient times outcome over
    the terms of that group in that part.

    Attributes:
        means: Mean over the shots, shape (n, groups, parts); NaN where nothing was measured.
        variances: Variance of one shot as the shots show it, of the same shape; NaN with fewer
            than two shots or where it is not known.
        failures: Measurements that failed; their means are NaN.
    """

    means: Array
    variances: Array
    failures: int = 0


class NotPlainError(RuntimeError):
    """The loss is not the plain expectation value that planned measurement takes it for."""
