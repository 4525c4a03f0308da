"""Dealing the shots of one observable among its measurement groups."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qiskit_arcmaes.primitives.groups import Plan

Array = NDArray[np.float64]


def deal(weights: Array, total: int) -> NDArray[np.int64]:
    """Deal ``total`` shots in proportion to weights, at least one to each.

    Groups whose share is below one get one; the others share the rest in proportion, rounded by
    largest remainder, so that the total is kept exactly.

    Args:
        weights: Non-negative weights, shape (n,).
        total: Shots to deal, >= n.

    Example:
        >>> deal(np.array([3.0, 1.0, 0.0]), 10)
        array([7, 2, 1])
    """
    small = np.zeros(len(weights), dtype=bool)
    share = np.full(len(weights), total / len(weights))
    while not small.all():
        rest = total - small.sum()
        mass = weights[~small].sum()
        if mass <= 0:
            share[~small] = rest / (~small).sum()
            break
        share[~small] = rest * weights[~small] / mass
        fresh = ~small & (share < 1)
        if not fresh.any():
            break
        small |= fresh
        share[small] = 1.0
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

    def shots(self, plan: Plan, shots: int) -> NDArray[np.int64]:
        """Shots for each group; together always groups x shots.

        Args:
            plan: The groups, at least one. What one shot of each would scatter on a random state
                is its weight in the first generation.
            shots: Shots for each group on average.
        """
        seen = self._seen.get(plan.digest, _priors(plan))
        return deal(np.sqrt(np.array(seen)), len(plan.groups) * shots)

    def learn(self, plan: Plan, scatter: Array, freedom: NDArray[np.int64]) -> None:
        """Take in what a generation showed.

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
