"""The results of a sweep: one directory of plain tables that describe themselves.

>>> import tempfile
>>> from qiskit_arcmaes.bench.tasks import Task
>>> task = Task("demo", "function:sphere", 2, 1.0, 100, "frugal", 0)
>>> with tempfile.TemporaryDirectory() as directory:
...     store = Store.create(directory, {"experiment": "demo", "settings": {"runs": 1}})
...     store.add(Record(task, Scores(5, 0.25, 0.3, 0.1, 98, 7, "budget spent"), [(50, 0.5)]))
...     store.finish()
...     Store.open(directory).table("runs")[["method", "error"]].values.tolist()
[['frugal', 0.25]]
"""

from __future__ import annotations

from qiskit_arcmaes.bench.store.database import StoreError, exclusive
from qiskit_arcmaes.bench.store.records import COLUMNS, Record, Scores, Status
from qiskit_arcmaes.bench.store.store import Store

__all__ = ["COLUMNS", "Record", "Scores", "Status", "Store", "StoreError", "exclusive"]
