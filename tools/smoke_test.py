"""What a fresh installation must be able to do, with the package's own dependencies alone.

Run by ``tools/check_dist.py`` in an empty folder: ``python -I smoke_test.py SOURCE``, SOURCE being
the folder that the package must not have been imported from.
"""

from __future__ import annotations

import importlib.metadata
import importlib.resources
import re
import subprocess
import sys
from pathlib import Path

BUDGET = 20_000


def check_files(source: Path) -> None:
    """The installed package, not the sources, with all its data."""
    package = importlib.resources.files("qiskit_arcmaes")
    assert source not in Path(str(package)).parents, f"{package} is the source, not an installation"
    for part in ("py.typed", "problems/data/hamiltonian_h2.json", "bench/report/page.css"):
        assert (package / part).is_file(), f"{part} is missing from the installation"


def check_light() -> None:
    """Nothing that an extra brings is there."""
    installed = {each.name.lower() for each in importlib.metadata.distributions()}
    needed = importlib.metadata.requires("qiskit-arcmaes") or []
    extras = {
        re.split(r"[\s\[<>=!~;(]", line)[0].lower() for line in needed if "extra ==" in line
    } - {"qiskit-arcmaes"}
    assert extras, "the installation says nothing of its extras"
    assert not extras & installed, f"installed without being asked: {extras & installed}"


def check_names() -> None:
    """All public names can be imported at once."""
    names: dict[str, object] = {}
    exec("from qiskit_arcmaes import *", names)
    assert {"ShotFrugal", "ARCMAES", "scipy_method"} <= set(names), sorted(names)


def check_lazy() -> None:
    """The engine runs without loading Qiskit."""
    from qiskit_arcmaes import GaussianOracle, get_function, minimize

    oracle = GaussianOracle(get_function("sphere", 3), tau=1.0, seed=1)
    result = minimize(oracle, [1.0] * 3, max_shots=BUDGET, seed=7)
    assert result.shots == oracle.spent <= BUDGET, result
    assert float(result.x @ result.x) < 0.5, result
    assert "qiskit" not in sys.modules, "minimize loaded Qiskit"


def check_vqe() -> None:
    """VQE for H2, within the budget, below the energy it started from."""
    from qiskit_algorithms import VQE

    from qiskit_arcmaes import ShotEstimator, ShotFrugal
    from qiskit_arcmaes.problems import get_problem

    problem, estimator = get_problem("h2"), ShotEstimator(seed=1)
    start = [0.5] * problem.dim
    optimizer = ShotFrugal(BUDGET, primitive=estimator, seed=7)
    vqe = VQE(estimator, problem.ansatz, optimizer, initial_point=start)
    result = vqe.compute_minimum_eigenvalue(problem.operator).optimizer_result
    before, after = problem.energy([start, result.x])
    assert result.shots <= BUDGET, result
    assert after < before - 0.1, f"from {before} to {after} only"
    print(
        f"VQE for H2 from {before:.3f} to {after:.3f}, ground {problem.ground_energy:.3f} Hartree"
    )


def check_command() -> None:
    """The command is there; what needs the extra says so."""
    command = str(Path(sys.executable).with_name("arcmaes"))
    subprocess.run([command, "--help"], check=True, capture_output=True)
    told = subprocess.run([command, "--version"], check=True, capture_output=True, text=True)
    assert told.stdout == f"arcmaes {importlib.metadata.version('qiskit-arcmaes')}\n", told
    run = [command, "bench", "run", "noise-floor", "--quick"]
    said = subprocess.run(run, check=False, capture_output=True, text=True)
    assert said.returncode == 2, said
    assert "qiskit-arcmaes[bench]" in said.stderr, said.stderr
    said = subprocess.run([command, "vqe", "h2"], check=False, capture_output=True, text=True)
    assert said.returncode == 2, said
    assert "qiskit-arcmaes[plot]" in said.stderr, said.stderr


if __name__ == "__main__":
    check_files(Path(sys.argv[1]))
    check_light()
    check_lazy()
    check_names()
    check_vqe()
    check_command()
