"""Test functions from public definitions and of our own, in two halves.

Methods are developed on ``DEVELOPMENT``; ``REPORTING`` runs for the results page only. The name of
a function decides its half, so that a function that is added moves no other.
"""

from __future__ import annotations

from qiskit_arcmaes.bench.testbed.catalog import (
    DEVELOPMENT,
    REPORTING,
    TESTBED,
    digest,
    draw_function,
)

__all__ = ["DEVELOPMENT", "REPORTING", "TESTBED", "digest", "draw_function"]
