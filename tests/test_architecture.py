"""The rooms and their one-way arrows; and that the engine does not load Qiskit."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "qiskit_arcmaes"
ENGINE = {
    "oracles",
    "functions",
    "domain",
    "cma",
    "methods",
    "markup",
    "history",
    "result",
    "checkpoint",
    "run",
    "loop",
    "conformance",
    "progress",
    "plotting",
}

# Which rooms of the package a room may import, besides itself.
ALLOWED = {
    "oracles": set(),
    "functions": set(),
    "domain": set(),
    "cma": set(),
    "markup": set(),
    "history": {"markup"},
    "checkpoint": set(),
    "result": {"history", "markup", "plotting"},
    "methods": {"cma", "domain", "oracles"},
    "run": {"methods", "oracles", "history", "result", "checkpoint"},
    "loop": {"run", "methods", "oracles", "domain", "cma", "result", "progress"},
    "conformance": {"methods", "domain", "checkpoint"},
    "progress": {"markup"},
    "plotting": {"history"},
    "optimizer_data": {"history", "result", "plotting"},
    "optimizers": {
        "optimizer_data",
        "cma",
        "loop",
        "run",
        "oracles",
        "primitives",
        "result",
        "methods",
        "history",
        "markup",
        "progress",
    },
    "primitives": {"oracles"},
    "problems": set(),
    "cli": {"bench"},
}


def rooms():
    return [
        path
        for path in PACKAGE.rglob("*.py")
        if path.name != "__init__.py" or path.parent != PACKAGE
    ]


def room_of(path):
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imports(path):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path.name}: imports are absolute here"
            yield node.module
            if node.module == "qiskit_arcmaes":
                yield from (f"qiskit_arcmaes.{alias.name}" for alias in node.names)


@pytest.mark.parametrize("path", rooms(), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_arrows_go_one_way(path):
    room = room_of(path)
    for name in imports(path):
        top, *rest = name.split(".")
        if top == "qiskit_arcmaes" and rest:
            allowed = ALLOWED.get(room)
            assert allowed is None or rest[0] in allowed | {room}, f"{room} imports {name}"
        elif room in ENGINE and top != "qiskit_arcmaes":
            assert not top.startswith("qiskit"), f"{room} imports {name}"


def test_the_engine_runs_without_loading_qiskit():
    code = (
        "import sys, qiskit_arcmaes as q\n"
        "q.minimize(lambda x: float(x @ x), [1.0], max_shots=500, seed=1, tau=0.0)\n"
        "assert not any(m == 'qiskit' or m.startswith('qiskit.') for m in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
