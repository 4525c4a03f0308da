"""Outcomes of an earlier sweep, taken over into a new one instead of run again."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, fields
from typing import Any

import pandas as pd

from qiskit_arcmaes.bench.baselines import SOLVERS
from qiskit_arcmaes.bench.description import versions
from qiskit_arcmaes.bench.method_names import base_name
from qiskit_arcmaes.bench.store import Record, Scores, Status, Store, StoreError
from qiskit_arcmaes.bench.tasks import Task
from qiskit_arcmaes.registry import METHODS

_KEY = [each.name for each in fields(Task)][1:]  # seeds do not depend on the experiment
_OWN = "qiskit-arcmaes"
_COMMON = ("python", "numpy", "scipy", "qiskit")  # what every method uses


@dataclass(frozen=True)
class Reuse:
    """Which outcomes of an earlier sweep a new one takes over.

    Attributes:
        source: The earlier sweep, finished, with the same root seed.
        anew: Methods that run again, named without what follows ``@``, ``:`` or ``%``; by default
            all methods of this package, so that only baselines are taken over.
    """

    source: Store
    anew: Collection[str] = tuple(METHODS)

    def records(self, tasks: Sequence[Task], root_seed: int) -> list[Record]:
        """The outcomes of those tasks that the earlier sweep has and that do not run again.

        Raises:
            StoreError: The earlier sweep is not finished, took outcomes over itself, had another
                root seed, or ran with other versions than this process has: of Python, numpy,
                scipy, qiskit, or of the packages that the methods taken over come from.
            ValueError: ``anew`` names a method that there is not.
        """
        self._check(root_seed)
        known = {*METHODS, *(base_name(task.method) for task in tasks)}
        for name in self.anew:
            if name not in known:
                raise ValueError(
                    f"anew: {name!r} is unknown; take some of {', '.join(sorted(known))}."
                )
        wanted = {task.rank[1:]: task for task in tasks if base_name(task.method) not in self.anew}
        runs, paths, times = map(self._by_task, ("runs", "trajectories", "timings"))
        found = []
        for key, task in wanted.items():
            if key in runs:
                row = runs[key].astype(object).where(runs[key].notna(), None).to_dict("records")[0]
                scores = {each.name: row[each.name] for each in fields(Scores)}
                scores["status"] = Status(row["status"])
                path = paths[key][["shots", "error"]] if key in paths else pd.DataFrame()
                steps = [*path.itertuples(index=False, name=None)]
                (took,) = times[key][["seconds", "cpu_seconds"]].to_dict("records")
                found.append(Record(task, Scores(**scores), steps, **took))
        self._check_versions({base_name(record.task.method) for record in found})
        return found

    def origin(self, records: Sequence[Record]) -> dict[str, Any]:
        """Where the outcomes come from, as JSON data for the new sweep's description."""
        return {
            "methods": ", ".join(sorted({record.task.method for record in records})),
            "version": self.source.description["versions"].get(_OWN),
            "command": self.source.description["command"],
        }

    def _check(self, root_seed: int) -> None:
        there = self.source.description
        reasons = {
            "is not finished": not self.source.finished,
            "took outcomes over itself": there.get("reused") is not None,
            f"has the root seed {there.get('root_seed')}": there.get("root_seed") != root_seed,
        }
        for reason, holds in reasons.items():
            if holds:
                raise self._refusal(reason)

    def _check_versions(self, methods: Collection[str]) -> None:
        """Compare the packages that these methods use; what else is installed changes no run."""
        theirs, mine = self.source.description.get("versions", {}), versions()
        packages = (SOLVERS[name].package for name in sorted(methods))
        names = dict.fromkeys([*_COMMON, *(package[0] for package in packages if package)])
        others = [name for name in names if theirs.get(name) != mine.get(name)]
        if others:
            words = (f"{name} {theirs.get(name)}, here {mine.get(name)}" for name in others)
            raise self._refusal(f"ran with other packages ({'; '.join(words)})")

    def _refusal(self, reason: str) -> StoreError:
        return StoreError(f"{str(self.source.directory)!r} {reason}: it cannot be reused.")

    def _by_task(self, name: str) -> dict[Any, pd.DataFrame]:
        frame = self.source.table(name).fillna({"noise": -1.0})
        return dict(iter(frame.groupby(_KEY, sort=False)))
