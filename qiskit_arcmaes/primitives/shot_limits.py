"""Services that limit the shots of a circuit: more of them are run in parts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from qiskit.primitives import BitArray, DataBin, PubResult, SamplerPubResult

from qiskit_arcmaes.primitives.engines import PubTask


@dataclass(frozen=True)
class SplitShots:
    """Tasks of limited shots in the place of tasks of more.

    Attributes:
        tasks: What is to be run.
        counts: For each original task, how many of ``tasks`` it became, one after the other.

    Example:
        >>> split = split_shots([PubTask("pub", 250), PubTask("pub", 80)], most=100)
        >>> [task.shots for task in split.tasks], split.counts
        ([84, 83, 83, 80], [3, 1])
    """

    tasks: list[PubTask[Any]]
    counts: list[int]

    def merge(self, results: Sequence[Any]) -> list[Any]:
        """Give each original task one result again."""
        merged, start = [], 0
        for count in self.counts:
            stop = start + count
            parts = list(results[start:stop])
            shots = [task.shots for task in self.tasks[start:stop]]
            merged.append(parts[0] if count == 1 else _merge(parts, shots))
            start = stop
        return merged


def split_shots(tasks: Sequence[PubTask[Any]], most: int | None) -> SplitShots:
    """Divide the shots of tasks that have too many into nearly equal parts.

    Args:
        tasks: What was asked for.
        most: The most shots that one circuit may have, >= 1; None for no limit.
    """
    split: list[PubTask[Any]] = []
    counts = []
    for task in tasks:
        count = 1 if most is None else -(-task.shots // most)
        least, more = divmod(task.shots, count)
        split += [PubTask(task.pub, least + (part < more)) for part in range(count)]
        counts.append(count)
    return SplitShots(split, counts)


def _merge(parts: list[Any], shots: list[int]) -> Any:
    """Means of values, weighted by their shots; bitstrings one after the other."""
    first = parts[0].data
    if "evs" not in first:
        data = {n: BitArray.concatenate_shots([part.data[n] for part in parts]) for n in first}
        return SamplerPubResult(DataBin(**data, shape=first.shape), metadata=parts[0].metadata)
    weights = np.array(shots) / sum(shots)
    values = {"evs": sum(w * part.data.evs for w, part in zip(weights, parts, strict=True))}
    if "stds" in first:
        squares = [(w * part.data.stds) ** 2 for w, part in zip(weights, parts, strict=True)]
        values["stds"] = np.sqrt(sum(squares))
    return PubResult(DataBin(**values, shape=first.shape), metadata=parts[0].metadata)
