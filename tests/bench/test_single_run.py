"""One problem through Qiskit's algorithms: the figures shown are those of the run, and are true."""

import re
import subprocess
import sys

import numpy as np
import pytest

from qiskit_arcmaes.bench.single_run import (
    METHODS,
    default_picture,
    run_qaoa,
    run_vqe,
    summary,
    write_picture,
)
from qiskit_arcmaes.problems import get_problem
from tests.processes import written_to_a_terminal

SHOTS = 1_000


@pytest.mark.parametrize("method", [*METHODS, "cma@40"])
def test_every_method_keeps_to_its_shots_and_is_scored_exactly(method):
    run = run_vqe("h2", SHOTS, method, seed=2)
    problem = get_problem("h2")
    assert 0 < run.result.shots <= SHOTS
    assert run.exact == pytest.approx(float(problem.energy(run.result.x)[0]), abs=1e-12)
    assert run.exact >= problem.best_energy - 1e-9


def test_shots_after_the_at_sign_are_the_shots_of_every_job():
    history = run_vqe("h2", 4 * SHOTS, "cma@40", seed=2).result.history
    assert set(history["shots"][:-1]) == {40.0}


def test_the_same_seed_gives_the_same_run_and_another_seed_another():
    first, second, third = (run_vqe("h2", SHOTS, "frugal", seed=seed) for seed in (2, 2, 3))
    assert np.array_equal(first.result.x, second.result.x)
    assert not np.array_equal(first.result.x, third.result.x)


def test_qaoa_measures_a_cut_and_says_how_large_it_is():
    run = run_qaoa("maxcut8", 300, "uh", seed=2)
    bits, value = run.measured
    assert len(bits) == 8
    assert -10 <= value < 0
    assert f"{-value:g} of 10 edges ({bits})" in summary(run)


def test_a_graph_of_another_size_is_drawn_from_the_seed():
    run = run_qaoa("maxcut4", 200, "uh", seed=2)
    assert run.problem.num_qubits == 4
    assert run.problem.ground_energy <= run.problem.best_energy + 1e-9


def test_the_summary_gives_the_total_energies_with_the_error_bar():
    run = run_vqe("h2", SHOTS, seed=2)
    text = summary(run)
    measured = re.search(r"measured energy +(-?[\d.]+) ± ([\d.]+)", text)
    assert float(measured[1]) == pytest.approx(run.result.fun + run.problem.shift, abs=1e-6)
    assert float(measured[2]) == pytest.approx(run.result.fun_std, abs=1e-6)
    low, high = run.result.interval()
    assert f"(exact: {'inside' if low <= run.exact <= high else 'outside'})" in text
    assert "-1.137306" in text  # the ground energy of H2 at this distance


def test_the_picture_is_written_where_it_is_wanted(tmp_path):
    run = run_vqe("h2", SHOTS, seed=2)
    path = write_picture(run, tmp_path / "new" / default_picture(run).name)
    assert path.read_bytes().startswith(b"\x89PNG")
    assert path.name == "vqe-h2-frugal.png"


CODE = f"""
from qiskit_arcmaes.bench.single_run import run_vqe, summary
print(summary(run_vqe("h2", {SHOTS}, seed=2)))
"""


def test_without_a_terminal_only_the_summary_is_printed():
    done = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("VQE, H2")
    assert "h2 frugal" not in done.stdout  # the title of the progress bar


def test_in_a_terminal_the_progress_is_shown():
    shown = written_to_a_terminal([sys.executable, "-c", CODE])
    assert "h2 frugal" in shown
    assert re.search(r"(9\d|100)%", shown)  # the last estimate is made after the last job


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: run_vqe("h3", SHOTS), ["'h3'", "h2", "lih"]),
        (lambda: run_vqe("h2", SHOTS, "spam"), ["'spam'", "ar-paper", "three-stage"]),
        (lambda: run_vqe("h2", SHOTS, "frugal@50"), ["leave @50 out", "cma@M"]),
        (lambda: run_vqe("h2", SHOTS, "cma@1.5"), ["integer", "'1.5'"]),
        (lambda: run_vqe("h2", 0.5), ["shots", "0.5"]),
        (lambda: run_vqe("h2", float("nan")), ["shots", "nan"]),
        (lambda: run_vqe("h2", SHOTS, seed=-1), ["seed", "-1"]),
        (lambda: run_qaoa("h2", SHOTS), ["'h2'", "maxcut8", "arcmaes vqe h2"]),
        (lambda: run_qaoa("maxcut5", SHOTS), ["'maxcut5'", "even"]),
    ],
)
def test_bad_arguments_are_answered_with_the_way_out(call, words):
    with pytest.raises(ValueError, match=r"must be|is unknown|is not|integer|leave") as caught:
        call()
    assert all(word in str(caught.value) for word in words)
