"""What a sweep is turned into: a page, figures for a paper, tables for a text."""

from __future__ import annotations

from qiskit_arcmaes.bench.report.page import write_report

__all__ = ["write_report"]
