"""Dealing the shots of one observable among its measurement groups."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qiskit_arcmaes.primitives.groups import Plan

Array = NDArray[np.float64]


_FLOOR = 0.4  # of a group's deviation on a random state: few shots may show too little


def deal(weights: Array, total: int, least: int = 1) -> NDArray[np.int64]:
    """Deal ``total`` shots in proportion to weights, at least some to each.

    Groups whose share is below the least get that; the others share the rest in proportion, rounded
    by largest remainder, so that the total is kept exactly.

    Args:
        weights: Non-negative weights, shape (n,).
        total: Shots to deal, >= n * least.
        least: The fewest shots of a group, >= 1.

    Example:
        >>> deal(np.array([3.0, 1.0, 0.0]), 10)
        array([7, 2, 1])
    """
    small = np.zeros(len(weights), dtype=bool)
    share = np.full(len(weights), total / len(weights))
    while not small.all():
        rest = total - least * small.sum()
        mass = weights[~small].sum()
        if mass <= 0:
            share[~small] = rest / (~small).sum()
            break
        share[~small] = rest * weights[~small] / mass
        fresh = ~small & (share < least)
        if not fresh.any():
            break
        small |= fresh
        share[small] = least
    shots: NDArray[np.int64] = np.floor(share).astype(np.int64)
    missing = total - int(shots.sum())
    shots[np.argsort(shots - share, kind="stable")[:missing]] += 1
    return shots


class Allocation:
    """Remembers how much each group scattered, and deals the next shots accordingly.

    Args:
        size: For how many sets of observables the memory holds.
    """

    def __init__(self, size: int = 64) -> None:
        self._size = size
        self._seen: dict[str, list[float]] = {}

    def shots(self, plan: Plan, shots: int, least: int = 1) -> NDArray[np.int64]:
        """Shots for each group; together always groups x shots.

        Args:
            plan: The groups, at least one. The deviation of one shot on a random state is a
                group's weight in the first job; no weight falls below 0.4 times that.
            shots: Shots for each group on average.
            least: The fewest shots of a group, at most ``shots``.
        """
        priors = _priors(plan)
        deviations = np.sqrt(np.array(self._seen.get(plan.digest, priors)))
        weights = np.maximum(deviations, _FLOOR * np.sqrt(np.array(priors)))
        return deal(weights, len(plan.groups) * shots, least)

    def learn(self, plan: Plan, scatter: Array, freedom: NDArray[np.int64]) -> None:
        """Take in what a job showed.

        Args:
            plan: The groups. What one shot would scatter on a random state counts as one
                observation, so that no group is written off because its few shots happened to
                agree.
            scatter: Sums of squared deviations from each point's mean, one for each group.
            freedom: Their degrees of freedom. A group without any keeps what was known of it.
        """
        if not freedom.any():
            return
        priors = _priors(plan)
        estimate = (scatter + np.array(priors)) / (freedom + 1.0)
        before = np.array(self._seen.pop(plan.digest, priors))
        self._seen[plan.digest] = np.where(freedom > 0, estimate, before).tolist()
        while len(self._seen) > self._size:
            del self._seen[next(iter(self._seen))]

    @property
    def state(self) -> dict[str, Any]:
        """The memory as plain data."""
        return {digest: list(seen) for digest, seen in self._seen.items()}

    @state.setter
    def state(self, state: Mapping[str, Sequence[float]]) -> None:
        self._seen = {digest: [float(v) for v in seen] for digest, seen in state.items()}


def _priors(plan: Plan) -> list[float]:
    return [group.prior for group in plan.groups]
