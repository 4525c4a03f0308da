"""Measurement groups on estimators that run one shot count per job: parameter rows are repeated.

A group is one pub: its terms as observables, which the estimator measures in one basis, at
parameter rows that are repeated until each has its shots.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from qiskit.primitives.containers.estimator_pub import EstimatorPub
from qiskit.primitives.containers.observables_array import ObservablesArray

from qiskit_arcmaes.oracles import GroupEstimate
from qiskit_arcmaes.primitives.engines import PubTask
from qiskit_arcmaes.primitives.group_task import GroupTask
from qiskit_arcmaes.primitives.planning import EstimatorTask

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class RepeatedRows:
    """One group at repeated points.

    Attributes:
        task: The whole task.
        group: The group.
        shots: Shots of every row.
        rows: The points, indices into the plan, ascending, each as often as it is repeated.
    """

    task: GroupTask
    group: int
    shots: int
    rows: NDArray[np.int_]

    def pub(self, part: slice, observables: ObservablesArray) -> EstimatorTask:
        """Some of the rows as a pub of shape (rows, terms)."""
        values = self.task.values[self.rows[part]]
        pub = EstimatorPub(self.task.circuit, observables, values.reshape(values.size, 1))
        return PubTask(pub, self.shots)

    def fill(self, estimate: GroupEstimate, values: Array) -> int:
        """Fill in means and variances.

        Args:
            estimate: What is filled.
            values: Expectation value of each term in each row, shape (rows, terms).

        Returns:
            How many rows failed: they hold NaN and are left out.
        """
        plan, terms = self.task.plan, self.task.readout.terms
        members = np.flatnonzero(terms.groups == self.group)
        fine = np.isfinite(values).all(axis=1)
        rows = self.rows[fine]
        parts = plan.parts[plan.partition[rows]][:, members]
        weighted = values[fine] * terms.coefficients[members]
        sums = [
            np.where(parts == part, weighted, 0.0).sum(axis=1) for part in range(plan.num_parts)
        ]
        seen, which = np.unique(rows, return_inverse=True)
        means, variances = _moments(np.array(sums).T, which, len(seen))
        estimate.means[seen, self.group] = means
        estimate.variances[seen, self.group] = self.shots * variances
        return int(np.count_nonzero(~fine))


def repeat_rows(task: GroupTask) -> list[RepeatedRows]:
    """The groups of a task at repeated rows, all with the largest common number of shots."""
    shots = task.plan.shots
    common = int(np.gcd.reduce(shots[shots > 0])) if shots.any() else 1
    repeats = shots // common
    points = np.arange(len(shots))
    return [
        RepeatedRows(task, group, common, np.repeat(points, repeats[:, group]))
        for group in np.flatnonzero(shots.any(axis=0)).tolist()
    ]


def term_observables(task: GroupTask, group: int) -> ObservablesArray:
    """The terms of a group, each as an observable of its own, shape (terms,)."""
    terms = task.readout.terms
    members: Sequence[int] = np.flatnonzero(terms.groups == group).tolist()
    return ObservablesArray([{terms.labels[member]: 1.0} for member in members])


def _moments(values: Array, which: NDArray[np.int_], count: int) -> tuple[Array, Array]:
    """Mean and sample variance of rows of values that belong together; NaN for a single row."""
    sizes = np.bincount(which, minlength=count)[:, None]
    means = np.zeros((count, values.shape[1]))
    np.add.at(means, which, values)
    means /= sizes
    squares = np.zeros_like(means)
    np.add.at(squares, which, np.square(values - means[which]))
    variances = np.full_like(means, np.nan)
    np.divide(squares, sizes - 1, out=variances, where=sizes > 1)
    return means, variances
