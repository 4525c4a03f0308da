"""The tests on the newest and on the oldest supported versions: ``nox``, or ``nox -s minimum``."""

from __future__ import annotations

import os
import tarfile
from pathlib import Path

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


@nox.session
def clients(session: nox.Session) -> None:
    """Every client against its real package, and the pages about them."""
    session.install("--upgrade", ".[dev]")
    chosen = ("tests/clients", "tests/docs/test_pages.py", "-k", "clients or devices or parallel")
    session.run("pytest", *chosen, *session.posargs, env=ONE_THREAD)


@nox.session
def eigensolvers(session: nox.Session) -> None:
    """qiskit-algorithms' own tests of its eigensolvers, with our optimizers in place of theirs.

    Not all of them can pass; docs/howto/clients/algorithms.md says which, and why.
    """
    session.install(".[plot]", "ddt", "pytest", "pytest-timeout")
    folder = Path(session.create_tmp())
    session.run(
        *("pip", "download", "--no-deps", "--no-binary", ":all:", "--dest", str(folder)),
        "qiskit-algorithms==0.4.0",
    )
    (archive,) = folder.glob("qiskit*algorithms-0.4.0.tar.gz")
    with tarfile.open(archive) as sources:
        sources.extractall(folder, filter="data")
    session.chdir(folder / "qiskit_algorithms-0.4.0")
    paths = (Path(__file__).parent / "tools", Path.cwd())
    env = ONE_THREAD | {"PYTHONPATH": os.pathsep.join(map(str, paths))}
    tests = ("test/minimum_eigensolvers", "test/eigensolvers/test_vqd.py")
    options = ("-p", "eigensolver_plugin", "--timeout", "600", "--tb", "line")
    session.run("pytest", *options, *tests, *session.posargs, env=env, success_codes=[0, 1])
