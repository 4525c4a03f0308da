"""The tests on the newest and on the oldest supported versions: ``nox``, or ``nox -s minimum``."""

from __future__ import annotations

import nox

OLDEST = ("qiskit==2.0.*", "qiskit-aer==0.17.*", "qiskit-algorithms==0.4.*")
TOOLS = (
    "hypothesis",
    "pytest",
    "pytest-randomly",
    "pytest-timeout",
    "pytest-xdist",
    "qiskit-ibm-runtime",
    "qiskit-optimization",
)  # not the extra "dev": its runtime needs a newer Qiskit
ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1"}

nox.options.default_venv_backend = "venv"


@nox.session
def newest(session: nox.Session) -> None:
    """Everything that pip finds, as CI runs it."""
    session.install("--upgrade", ".[dev]")
    session.run("pytest", *session.posargs, env=ONE_THREAD)


@nox.session(python="3.11")
def minimum(session: nox.Session) -> None:
    """The oldest Qiskit, Aer and algorithms; tests that need a newer runtime are skipped."""
    session.install(".[plot]", *OLDEST, *TOOLS)
    session.run("pytest", *session.posargs, env=ONE_THREAD)
