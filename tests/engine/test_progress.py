"""The live display: in a terminal, in a notebook, and in lines elsewhere."""

import subprocess
import sys

import pytest

from qiskit_arcmaes import GaussianOracle, get_function, minimize
from qiskit_arcmaes.engine.progress import NotebookProgress

from ..processes import written_to_a_terminal

RUN = (
    "import sys, qiskit_arcmaes as q\n"
    "oracle = q.GaussianOracle(q.get_function('sphere', 3), seed=1)\n"
)
MINIMIZE = RUN + "q.minimize(oracle, [1.0] * 3, max_shots=5000, seed=1, progress=True)\n"
OPTIMIZER = RUN + "q.CMAES(5000, seed=1, progress=True).minimize(oracle, [1.0] * 3)\n"


def in_a_terminal(code):
    return written_to_a_terminal([sys.executable, "-c", code])


@pytest.mark.parametrize(("code", "title"), [(MINIMIZE, "frugal"), (OPTIMIZER, "CMAES")])
def test_a_terminal_shows_value_and_shots(code, title):
    written = in_a_terminal(code)
    assert title in written
    assert "value" in written
    assert "100%" in written
    assert "The shot budget is used" in written
    assert in_a_terminal(code.replace("True", "False")) == ""


@pytest.mark.parametrize("code", [MINIMIZE, OPTIMIZER])
def test_elsewhere_a_line_is_written_to_standard_error(code):
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert done.stdout == b""
    (line,) = done.stderr.decode().splitlines()
    assert ": 100% of 5,000 shots, value" in line or ": 100% of 4," in line


def test_lines_come_now_and_then_with_the_time_left(monkeypatch, capsys):
    monkeypatch.setattr("qiskit_arcmaes.engine.progress._LINES", 0.0)
    oracle = GaussianOracle(get_function("sphere", 3), seed=1)
    result = minimize(oracle, [1.0] * 3, max_shots=5000, seed=1, progress=True)
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == len(result.history) + 1
    assert " left" in lines[0]
    assert "100%" in lines[-1]


def test_an_interrupted_run_does_not_end_at_100_percent(capsys):
    def interrupt(*_):
        raise KeyboardInterrupt

    oracle = GaussianOracle(get_function("sphere", 3), seed=1)
    minimize(oracle, [1.0] * 3, max_shots=5000, seed=1, progress=True, callback=interrupt)
    line = capsys.readouterr().err
    assert "Interrupted from the keyboard" in line
    assert "100%" not in line


def test_without_rich_the_error_says_what_to_install():
    written = in_a_terminal(
        RUN
        + "sys.modules['rich'] = None\n"
        + "try:\n"
        + "    q.minimize(oracle, [1.0] * 3, max_shots=5000, seed=1, progress=True)\n"
        + "except ImportError as error:\n"
        + "    print(error)\n"
    )
    assert "pip install 'qiskit-arcmaes[plot]'" in written


def test_a_notebook_gets_one_output_that_is_rewritten():
    """In a real kernel: the outputs that the notebook would keep."""
    nbformat = pytest.importorskip("nbformat")
    client = pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(MINIMIZE.rstrip() + ";")])
    client.NotebookClient(book, timeout=120, kernel_name="python3").execute()
    (shown,) = [out for out in book.cells[0].outputs if out.output_type == "display_data"]
    assert "The shot budget is used" in shown.data["text/html"]
    assert "100% of" in shown.data["text/plain"]


def test_the_users_callback_is_still_asked(monkeypatch):
    """Seen from within a pretended notebook: the display goes along, the callback decides."""
    shown = []

    class Handle:
        def update(self, display):
            shown.append(repr(display))

    monkeypatch.setattr("qiskit_arcmaes.engine.progress.in_notebook", lambda: True)
    monkeypatch.setattr(
        NotebookProgress, "__enter__", lambda self: setattr(self, "_handle", Handle()) or self
    )
    oracle = GaussianOracle(get_function("sphere", 3), seed=1)
    calls = []

    def stop(nfev, *_):
        calls.append(nfev)
        return len(calls) == 3

    result = minimize(oracle, [1.0] * 3, max_shots=5000, seed=1, callback=stop, progress=True)
    assert len(calls) == len(result.history) == 3
    assert any("of 5,000 shots" in line for line in shown)
    assert "The callback asked to stop" in shown[-1]
