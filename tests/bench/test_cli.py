import contextlib
import os
import signal
import subprocess
import sys
import time
from importlib import metadata

import numpy as np
import pytest

from qiskit_arcmaes.bench.cli import main
from tests.bench.sweeps import tables

SMALL = ["--methods", "cma", "--problems", "sphere", "--dims", "4", "--noise", "1"]


def run_small(out, *more):
    words = ["bench", "run", "trid", *SMALL, "--runs", "2", "--budget", "1e3", "--jobs", "1"]
    return main([*words, "--out", str(out), *more])


def test_list_names_every_experiment(capsys):
    assert main(["bench", "list"]) == 0
    names = [line.split()[0] for line in capsys.readouterr().out.splitlines()]
    assert {"noiseless", "noisy", "wall-clock", "ecdf", "trid", "non-smooth"} < set(names)
    assert {"efficiency", "budget", "noise-floor", "ucc", "qaoa-starts", "scaling"} < set(names)


def test_run_says_where_and_compare_reads_it(tmp_path, capsys):
    assert run_small(tmp_path / "a") == 0
    assert run_small(tmp_path / "b", "--seed", "2") == 0
    shown = capsys.readouterr()
    assert f"{tmp_path / 'a'}: finished" in shown.out
    assert "trid: 2 of 2 done" in shown.err
    assert main(["bench", "compare", str(tmp_path / "a"), str(tmp_path / "b")]) == 0
    assert "sphere" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--methods", "nobody"], "there is no solver 'nobody'"),
        (["--problems", "moon"], "'moon' is unknown"),
        (["--runs", "3"], "runs = 2, not 3; give the same settings"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_sentence(tmp_path, capsys, words, said):
    assert run_small(tmp_path / "a") == 0
    capsys.readouterr()
    assert run_small(tmp_path / "a", *words) == 2
    error = capsys.readouterr().err
    assert said in error
    assert "Traceback" not in error


@pytest.mark.parametrize("value", ["1.5", "-1", "many", "inf", "nan"])
@pytest.mark.parametrize("option", ["--runs", "--budget", "--dims", "--seed"])
def test_a_number_that_is_no_integer_is_named_with_what_is_wanted(tmp_path, capsys, option, value):
    with pytest.raises(SystemExit) as ended:
        run_small(tmp_path / "a", f"{option}={value}")
    assert ended.value.code == 2
    assert f"argument {option}: {value!r} is not an integer >= 0" in capsys.readouterr().err


def test_a_list_of_numbers_names_the_wrong_one(tmp_path, capsys):
    with pytest.raises(SystemExit):
        run_small(tmp_path / "a", "--noise=1,loud")
    assert "argument --noise: 'loud' is not a number" in capsys.readouterr().err


@pytest.mark.parametrize("jobs", ["0", "-1"])
def test_jobs_below_one_are_refused_alike_with_the_way_to_all_cores(tmp_path, capsys, jobs):
    with pytest.raises(SystemExit) as ended:
        run_small(tmp_path / "a", f"--jobs={jobs}")
    assert ended.value.code == 2
    said = f"argument --jobs: {jobs!r} is not an integer >= 1; leave it out to use all cores"
    assert said in capsys.readouterr().err
    assert not (tmp_path / "a").exists()


def test_the_version_is_told(capsys):
    with pytest.raises(SystemExit) as ended:
        main(["--version"])
    assert ended.value.code == 0
    assert capsys.readouterr().out == f"arcmaes {metadata.version('qiskit-arcmaes')}\n"


@pytest.mark.parametrize("missing", ["matplotlib", "rich"])
def test_what_a_single_run_needs_is_asked_for_before_it_runs(tmp_path, missing):
    """A real interpreter, the package hidden; the budget would take minutes."""
    code = (
        f"import sys; sys.modules[{missing!r}] = None\n"
        "from qiskit_arcmaes.bench.cli import main\n"
        "print([main([name, 'maxcut8', '--shots', '1e9']) for name in ('vqe', 'qaoa')])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path, timeout=60
    )
    assert done.stdout == "[2, 2]\n"
    said = done.stderr.splitlines()
    assert len(said) == 2
    for line in said:
        assert line.startswith(f"arcmaes: {missing} is not installed")
        assert "pip install 'qiskit-arcmaes[plot]'" in line
    assert list(tmp_path.iterdir()) == []


def test_interrupts_and_kills_at_random_moments_leave_no_trace(tmp_path):
    """Real interrupts of the process group, as a terminal sends them, and a kill of the runner.

    The moments are drawn, from a fixed seed, between the first sign of the sweep and 1.5 s
    later; a process that ends before its signal counts too, and the sweep is long enough that
    the first does not. The pipe closes when the last process that has it is gone: those of the
    killed runner end with it.
    """
    out, rng = tmp_path / "cut", np.random.default_rng(11)
    words = ["bench", "run", "trid", "--problems", "sphere,trid", "--dims", "4", "--noise", "1"]
    words += ["--methods", "frugal,ar:10,cma,spsa@10", "--runs", "3", "--budget", "1e4"]
    command = [sys.executable, "-m", "qiskit_arcmaes.bench.cli", *words, "--out", str(out)]
    codes = []
    for jobs, number in (("1", signal.SIGINT), ("2", signal.SIGINT), ("2", signal.SIGKILL)):
        process = subprocess.Popen(
            [*command, "--jobs", jobs], stderr=subprocess.PIPE, text=True, start_new_session=True
        )
        assert process.stderr.readline().startswith("trid: ")
        time.sleep(rng.uniform(0, 1.5))
        with contextlib.suppress(ProcessLookupError):
            (os.killpg if number == signal.SIGINT else os.kill)(process.pid, number)
        _, error = process.communicate(timeout=60)
        codes.append(process.returncode)
        assert process.returncode in (0, 130, -signal.SIGKILL), error
        assert "Traceback" not in error
        if process.returncode == 130:
            assert "the same command goes on" in error
    assert codes[0] == 130
    assert main([*words, "--jobs", "1", "--out", str(out)]) == 0
    assert main([*words, "--jobs", "1", "--out", str(tmp_path / "whole")]) == 0
    assert tables(out) == tables(tmp_path / "whole")
    assert not list(out.glob("sweep.sqlite*"))


def test_report_and_export_of_a_sweep(tmp_path, capsys):
    assert run_small(tmp_path / "a") == 0
    capsys.readouterr()
    assert main(["bench", "report", str(tmp_path / "a")]) == 0
    page = capsys.readouterr().out.strip()
    assert "<html" in (tmp_path / "a" / "report.html").read_text()
    assert page == str(tmp_path / "a" / "report.html")
    for form in ("csv", "iohinspector"):
        words = ["bench", "export", str(tmp_path / "a"), str(tmp_path / form), "--format", form]
        assert main(words) == 0
        assert any(path.is_file() for path in (tmp_path / form).rglob("*"))


def test_vqe_tells_what_is_true_and_draws(tmp_path, capsys):
    words = [
        "vqe",
        "h2",
        "--shots",
        "2e4",
        "--method",
        "frugal",
        "--picture",
        str(tmp_path / "x.png"),
    ]
    assert main(words) == 0
    shown = capsys.readouterr().out
    assert "VQE, H2 at 0.735 angstrom" in shown
    assert (tmp_path / "x.png").stat().st_size > 1000


def test_a_missing_extra_is_named(tmp_path):
    """Without pandas the command says what to install; a real interpreter, the package hidden."""
    code = (
        "import sys; sys.modules['pandas'] = None\n"
        "from qiskit_arcmaes.bench.cli import main\n"
        "sys.exit(main(['bench', 'run', 'trid', '--quick', '--out', sys.argv[1]]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "a")], capture_output=True, text=True
    )
    assert done.returncode == 2
    assert "pip install 'qiskit-arcmaes[bench]'" in done.stderr
    assert "Traceback" not in done.stderr
