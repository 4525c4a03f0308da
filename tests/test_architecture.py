"""Imports go one way: the contracts of pyproject.toml hold, and planted violations are caught."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


def lint(folder):
    """Run import-linter on the package in a folder."""
    command = [
        sys.executable,
        "-c",
        "from importlinter.cli import lint_imports_command as run; run()",
    ]
    return subprocess.run(
        [*command, "--config", "pyproject.toml", "--no-cache"],
        cwd=folder,
        env={"PYTHONPATH": str(folder), "PATH": "/usr/bin:/bin", "COLUMNS": "200"},
        capture_output=True,
        text=True,
    )


@pytest.fixture
def copy(tmp_path):
    shutil.copytree(ROOT / "qiskit_arcmaes", tmp_path / "qiskit_arcmaes")
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    return tmp_path


def plant(folder, module, line):
    file = folder / "qiskit_arcmaes" / module
    file.write_text(file.read_text() + f"\n{line}\n")


def test_every_contract_is_kept():
    found = lint(ROOT)
    assert found.returncode == 0, found.stdout
    assert "0 broken" in found.stdout


@pytest.mark.parametrize(
    ("module", "line", "broken"),
    [
        ("domain.py", "from qiskit_arcmaes.engine import run", "Imports go down the tree BROKEN"),
        ("api.py", "import qiskit_arcmaes.optimizers", "Imports go down the tree BROKEN"),
        ("method.py", "import qiskit_arcmaes", "Imports go down the tree BROKEN"),
        (
            "bench/store/store.py",
            "from qiskit_arcmaes.bench import runner",
            "No circle of imports, at any depth BROKEN",
        ),
        (
            "engine/history.py",
            "from qiskit_arcmaes.engine import saver",
            "Imports inside engine go down BROKEN",
        ),
        ("engine/run.py", "import qiskit", "minimize works without Qiskit BROKEN"),
    ],
    ids=["backwards", "sideways", "the package itself", "cycle", "inside a folder", "qiskit"],
)
def test_a_planted_violation_is_caught(copy, module, line, broken):
    plant(copy, module, line)
    found = lint(copy)
    assert found.returncode == 1
    assert broken in found.stdout


def test_a_module_outside_the_tree_is_caught(copy):
    (copy / "qiskit_arcmaes" / "stray.py").write_text('"""A module that no layer names."""\n')
    assert "stray" in lint(copy).stdout


def test_minimize_does_not_load_qiskit():
    code = (
        "import sys, qiskit_arcmaes as q\n"
        "q.minimize(lambda x: float(x @ x), [1.0], max_shots=500, seed=1, tau=0.0)\n"
        "assert not any(m == 'qiskit' or m.startswith('qiskit.') for m in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
