"""The attack finds what is broken, says how to try it again, and its parts add up."""

import dataclasses
import json
import os
import signal
import time
from pathlib import Path

import numpy as np
import pytest

from qiskit_arcmaes.engine import saver
from qiskit_arcmaes.engine.run import Run
from tools.attack import cases, processes
from tools.attack.__main__ import main
from tools.attack.harness import PROMISES, BrokenPromiseError, Tally, try_once
from tools.attack.table import add_parts, markdown

CHEAP = ("budget", "stop", "first", "plan", "damage", "disk", "folder", "nan", "overflow", "paid")


def outcome(name, seed=3):
    return try_once(PROMISES[name], seed, Tally(0))


@pytest.mark.parametrize("name", CHEAP)
def test_promises_are_kept(name):
    assert outcome(name) is None


@pytest.fixture
def no_checks(monkeypatch):
    """Planted: the budget is spent twice."""
    price = Run._price_of
    monkeypatch.setattr(Run, "_price_of", lambda run, batch: price(run, batch) // 2)


@pytest.mark.usefixtures("no_checks")
def test_a_broken_budget_is_found_and_its_seed_is_printed(capsys, tmp_path):
    out = tmp_path / "part"
    assert main(["--only", "budget", "--tries", "5", "--part", "7", "--out", str(out)]) == 1
    assert "again: --only budget --seed 700000" in capsys.readouterr().out
    assert main(["--only", "budget", "--seed", "7000000"]) == 1
    assert json.loads(out.read_text())["broken"][0][0] == 7000000


def test_a_resume_that_forgets_is_found(monkeypatch):
    """Planted: the history of a resumed run begins anew."""
    load = Run.load

    def forgetful(run, data):
        load(run, data)
        run.history = type(run.history)()

    monkeypatch.setattr(Run, "load", forgetful)
    assert any("differ in" in (outcome("stop", seed) or "") for seed in range(6))


def test_a_checkpoint_that_comes_late_is_found(monkeypatch):
    """Planted: the first save waits for its period."""
    monkeypatch.setattr(saver.Saver, "due", property(lambda self: False))
    assert any(outcome("first", seed) for seed in range(3))


def test_the_same_seed_draws_the_same_run():
    one, two = (cases.draw(np.random.default_rng(5)) for _ in range(2))
    assert one.options == two.options
    cases.expect_same(one.solve(), two.solve())
    other = dataclasses.replace(one, seed=one.seed + 1)
    with pytest.raises(BrokenPromiseError):
        cases.expect_same(one.solve(), other.solve())


def test_children_are_killed_where_they_are_and_told_apart_from_those_that_ended():
    assert processes.kill_after(lambda: time.sleep(60), 0.05) == 1
    assert processes.end(processes.fork(lambda: None)) == 0
    assert processes.end(processes.fork(lambda: 1 / 0)) == 1
    assert processes.send_after(processes.fork(_wait), signal.SIGINT, 0.3) == 130


def _wait():
    while os.getppid():
        time.sleep(0.01)


def test_parts_add_up(tmp_path):
    files = []
    for part, broken in ((1, 0), (2, 1)):
        tally = Tally(part)
        tally.tries.update({"kill": 10, "nan": 5})
        tally.kills["kill"] = 8
        if broken:
            tally.broken["nan"] = [[2000003, "x is NaN"]]
        files.append(tmp_path / f"part-{part}")
        files[-1].write_text(tally.to_json())
    counts = add_parts(files)
    assert counts["kill"] == {"tries": 20, "kills": 16, "broken": 0}
    assert counts["nan"]["broken"] == 1
    assert "| all | | 30 | 16 | 1 |" in markdown(counts)
    assert main(["--table", *map(str, files)]) == 1
    with pytest.raises(ValueError, match="part 1 of 'kill' was counted already"):
        add_parts([files[0], files[0]])


def test_an_interrupt_in_the_first_moment_ends_the_child():
    """It must not go on as a second attacker: the interrupt waits until the child is ready."""
    for _ in range(20):
        child = processes.fork(lambda: time.sleep(60))
        os.kill(child, signal.SIGINT)
        assert processes.end(child) == 130


FOLDER = Path(__file__).parents[2] / "docs" / "project" / "attack"


@pytest.mark.parametrize(
    ("folder", "each", "tries", "kills"),
    [(FOLDER, 100, 10_000, 300), (FOLDER / "minimum", 10, 1000, 50)],
)
def test_the_page_has_the_table_of_the_parts(folder, each, tries, kills):
    """Every promise was tried, often enough, and no one was broken."""
    counts = add_parts(sorted(folder.glob("*.jsonl")))
    assert markdown(counts) in (FOLDER.parent / "promises.md").read_text(encoding="utf-8")
    assert set(counts) == set(PROMISES)
    assert all(count["tries"] >= each and not count["broken"] for count in counts.values())
    assert sum(count["tries"] for count in counts.values()) >= tries
    assert sum(count["kills"] for count in counts.values()) >= kills
