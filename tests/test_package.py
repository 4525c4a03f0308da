"""The package as it is imported: its names, and what works without the extras."""

import subprocess
import sys
import textwrap

import qiskit_arcmaes

from .processes import written_to_a_terminal

BLOCK = """
    import sys

    class Blocked:
        def find_spec(self, name, path=None, target=None):
            if name.split(".")[0] in {blocked!r}:
                raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

    sys.meta_path.insert(0, Blocked())
"""


def run(code, blocked):
    blocking = textwrap.dedent(BLOCK).format(blocked=blocked)
    return [sys.executable, "-c", blocking + textwrap.dedent(code)]


def test_every_public_name_exists():
    for name in qiskit_arcmaes.__all__:
        assert getattr(qiskit_arcmaes, name) is not None

    assert not hasattr(qiskit_arcmaes, "BFGS")


def test_everything_can_be_imported_without_matplotlib_and_rich():
    code = """
        from qiskit_arcmaes import *

        oracle = GaussianOracle(get_function("sphere", 3), seed=1)
        result = minimize(oracle, [1.0] * 3, max_shots=2000, seed=1)
        assert result.shots <= 2000
        repr(result), result._repr_html_(), result.history._repr_html_()
        optimizer = ARCMAES(2000, seed=1)
        assert optimizer.minimize(oracle, [1.0] * 3).shots <= 2000
        for module in ("matplotlib", "rich"):
            assert module not in sys.modules
    """
    subprocess.run(run(code, ("matplotlib", "rich")), check=True)


def test_minimize_works_without_qiskit():
    code = """
        import qiskit_arcmaes

        oracle = qiskit_arcmaes.GaussianOracle(qiskit_arcmaes.get_function("sphere", 3), seed=1)
        for method in qiskit_arcmaes.METHODS:
            result = qiskit_arcmaes.minimize(
                oracle, [1.0] * 3, max_shots=2000, method=method, seed=1
            )
            assert result.shots <= 2000
    """
    subprocess.run(run(code, ("qiskit", "qiskit_aer", "qiskit_algorithms")), check=True)


def test_progress_without_rich_says_so_before_the_first_shot():
    """In a terminal, where a display is wanted; elsewhere nothing is shown and none is needed."""
    code = """
        from qiskit_arcmaes import *

        oracle = GaussianOracle(get_function("sphere", 3), seed=1)
        optimizer = ARCMAES(2000, seed=1, progress=True)
        for run in (
            lambda: minimize(oracle, [1.0] * 3, max_shots=2000, seed=1, progress=True),
            lambda: optimizer.minimize(oracle, [1.0] * 3),
        ):
            try:
                run()
                print("it ran")
            except ImportError as error:
                print(error)
                print("spent", oracle.spent)
    """
    command = run(code, ("rich",))
    said = written_to_a_terminal(command).splitlines()
    assert said[1::2] == ["spent 0", "spent 0"]
    assert all("needs rich: pip install 'qiskit-arcmaes[plot]'" in line for line in said[::2])
    silent = subprocess.run(command, capture_output=True, text=True, check=True)
    assert silent.stdout.splitlines() == ["it ran", "it ran"]
