"""Ctrl-C: a real SIGINT in a process of its own, wherever it comes; nothing paid for is lost."""

import contextlib
import math
import os
import signal
import subprocess
import sys
import textwrap
import threading

import numpy as np
import pytest

from qiskit_arcmaes import GaussianOracle, Stop, get_function, minimize
from qiskit_arcmaes.engine.checkpoint import load
from qiskit_arcmaes.engine.interrupts import Interrupts

from ..processes import finish, start_with_answer, wait_for_jobs
from ..runs import same
from . import interrupted, slow
from .interrupted import BUDGET, JOB, PLACES, make_oracle, solve


def interrupt(place, method, path, on_interrupt="return"):
    """What a run in a process of its own tells that interrupts itself in that place."""
    return finish(
        *start_with_answer(interrupted.tell_what_came_back, place, method, path, on_interrupt)
    )


@pytest.mark.parametrize("on_interrupt", ["return", "raise"])
@pytest.mark.parametrize("place", PLACES)
def test_the_result_comes_back_and_resume_is_the_uninterrupted_run(place, on_interrupt, tmp_path):
    """No further job is run; the checkpoint then gives the very run that was not interrupted."""
    path = tmp_path / "run"
    told = interrupt(place, "signalled", path, on_interrupt)
    assert told["raised"] == (on_interrupt == "raise")
    assert told["restored"]
    assert told["stop"] == "INTERRUPTED"
    assert told["success"] is False
    assert "Interrupted from the keyboard" in told["message"]
    if place != "in the last estimate":
        rows = JOB - 1 if place == "before the shots" else JOB
        assert told["rows"] == told["nit"] == rows
        assert told["calls"] == JOB
    assert told["shots"] == told["spent"] <= BUDGET
    assert math.isnan(told["fun"])  # CMA-ES has no estimate of its own
    whole = solve(make_oracle(None), "signalled")
    same(solve(make_oracle(None), "signalled", checkpoint=path, resume=True), whole)


@pytest.mark.parametrize("method", ["frugal", "ar", "uh"])
@pytest.mark.parametrize("place", ["before the shots", "in a callback"])
def test_every_kind_of_method_goes_on_bit_for_bit(method, place, tmp_path):
    path = tmp_path / "run"
    told = interrupt(place, method, path)
    assert told["stop"] == "INTERRUPTED"
    whole = solve(make_oracle(None), method)
    same(solve(make_oracle(None), method, checkpoint=path, resume=True), whole)


def test_fun_is_the_methods_own_estimate(tmp_path):
    """The surrogate has one, with its error; no shots are spent on it."""
    told = interrupt("in a callback", "frugal", tmp_path / "run")
    assert math.isfinite(told["fun"])
    assert told["fun_std"] > 0
    assert told["calls"] == told["rows"] == JOB
    truth = float(np.sum(np.square(told["x"])))
    assert abs(told["fun"] - truth) < 8 * told["fun_std"]


def test_a_second_interrupt_does_not_cut_the_save(tmp_path):
    path = tmp_path / "run"
    told = interrupt("during the save", "signalled", path)
    assert told["stop"] == "INTERRUPTED"
    assert os.listdir(tmp_path) == ["run"]
    whole = solve(make_oracle(None), "signalled")
    same(solve(make_oracle(None), "signalled", checkpoint=path, resume=True), whole)


def test_shots_of_a_job_that_was_cut_short_are_counted(tmp_path):
    """A second Ctrl-C does not wait; shots stay spent, in the result and in the resumed run."""
    path = tmp_path / "run"
    told = interrupt("after the shots, twice", "signalled", path)
    assert told["rows"] == JOB - 1
    assert told["shots"] == told["spent"] > load(path)["history"]["spent"][-1]
    oracle = make_oracle(None)
    resumed = solve(oracle, "signalled", checkpoint=path, resume=True)
    assert resumed.shots == oracle.spent <= BUDGET
    assert resumed.stop is Stop.BUDGET
    assert resumed.jobs == len(resumed.history) + 2  # the job that was cut, the last estimate


class Swallowing(GaussianOracle):
    """Catches the interrupt, as libraries in C do, and fails or goes on."""

    def __init__(self, fails=None):
        super().__init__(get_function("sphere", 4), tau=1.0, seed=6)
        self.fails, self.calls = fails, 0

    def evaluate(self, points, shots):
        self.calls += 1
        if self.calls == JOB and self.fails is not None:
            try:
                signal.raise_signal(signal.SIGINT)
            except KeyboardInterrupt:
                if self.fails:
                    raise TypeError("incompatible arguments") from None
        return super().evaluate(points, shots)


@pytest.mark.parametrize("fails", [True, False])
@pytest.mark.usefixtures("handled")
def test_an_interrupt_that_a_library_swallows_ends_the_run_all_the_same(fails, tmp_path):
    path, oracle = tmp_path / "run", Swallowing(fails)
    stopped = solve(oracle, "cma", checkpoint=path)
    assert stopped.stop is Stop.INTERRUPTED
    assert oracle.calls == JOB
    assert stopped.shots == oracle.spent
    same(solve(Swallowing(), "cma", checkpoint=path, resume=True), solve(Swallowing(), "cma"))


@pytest.mark.usefixtures("handled")
def test_an_interrupt_that_a_callback_catches_is_its_own():
    """What fails later has nothing to do with it."""
    oracle, jobs = Swallowing(), []

    def callback(*_):
        jobs.append(1)
        if len(jobs) == 2:
            with contextlib.suppress(KeyboardInterrupt):
                signal.raise_signal(signal.SIGINT)

    assert solve(oracle, "cma", callback=callback).stop is Stop.BUDGET


LOOP = """
    import signal, sys
    import numpy as np
    from qiskit_arcmaes import GaussianOracle, get_function, minimize

    signal.signal(signal.SIGINT, signal.default_int_handler)

    class Interrupted(GaussianOracle):
        calls = 0

        def evaluate(self, points, shots):
            Interrupted.calls += 1
            if Interrupted.calls == 100:  # in the second run
                signal.raise_signal(signal.SIGINT)
            return super().evaluate(points, shots)

    for seed in range(5):
        oracle = Interrupted(get_function("sphere", 2), seed=seed)
        result = minimize(
            oracle, np.ones(2), max_shots=500, method="cma", seed=seed, on_interrupt=sys.argv[1]
        )
        print(seed, result.stop.name)
"""


@pytest.mark.parametrize(
    ("on_interrupt", "code", "printed"),
    [
        ("raise", -signal.SIGINT, ["0 BUDGET"]),
        ("return", 0, ["0 BUDGET", "1 INTERRUPTED", "2 BUDGET", "3 BUDGET", "4 BUDGET"]),
    ],
)
def test_a_loop_over_seeds_can_be_stopped(on_interrupt, code, printed):
    """With ``return`` one Ctrl-C ends one run: documented, and the reason for ``raise``."""
    command = [sys.executable, "-c", textwrap.dedent(LOOP), on_interrupt]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == code
    assert done.stdout.splitlines() == printed
    assert ("KeyboardInterrupt" in done.stderr) == (on_interrupt == "raise")


@pytest.mark.parametrize("method", ["cma", "ar", "frugal"])
def test_an_interrupt_from_outside_at_any_time(method, tmp_path):
    """Sent from another process as soon as five jobs are saved: nothing arranges where it falls."""
    path = tmp_path / "run"
    process, answer = start_with_answer(slow.tell_how_it_stopped, method, path)
    wait_for_jobs(process, path, 5)
    os.kill(process.pid, signal.SIGINT)
    assert finish(process, answer) == "INTERRUPTED"
    same(slow.solve(method, checkpoint=path, resume=True), slow.solve(method))


def test_in_another_thread_nothing_is_changed():
    before, results = signal.getsignal(signal.SIGINT), []

    def work():
        oracle = GaussianOracle(get_function("sphere", 2), seed=1)
        results.append(minimize(oracle, np.ones(2), max_shots=500, method="cma", seed=1))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert results[0].stop is Stop.BUDGET
    assert signal.getsignal(signal.SIGINT) is before


@pytest.fixture
def handled():
    """Tests may run in the background, where Python ignores the interrupt."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("handled")
def test_an_interrupt_waits_until_it_is_allowed():
    with Interrupts(lambda: True) as interrupts:
        signal.raise_signal(signal.SIGINT)
        with pytest.raises(KeyboardInterrupt):
            interrupts.raise_pending()
        interrupts.raise_pending()  # once is enough
        interrupts.allowed = True
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGINT)  # what follows an interrupt is not interrupted
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.usefixtures("handled")
def test_a_users_own_handler_is_left_alone():
    seen = []
    signal.signal(signal.SIGINT, lambda *_: seen.append(1))
    with Interrupts(lambda: True):
        signal.raise_signal(signal.SIGINT)
    assert seen == [1]


@pytest.mark.usefixtures("handled")
def test_an_interrupt_waits_once_shots_are_charged_and_a_second_one_does_not():
    with Interrupts(lambda: False) as interrupts:
        interrupts.allowed = True
        signal.raise_signal(signal.SIGINT)
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
