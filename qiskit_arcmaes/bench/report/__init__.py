"""What a sweep is turned into: a page, figures for a paper, tables for a text.

``write_report(directory)`` writes all of it beside the sweep's tables.
"""

from __future__ import annotations

from qiskit_arcmaes.bench.report.write import write_report

__all__ = ["write_report"]
