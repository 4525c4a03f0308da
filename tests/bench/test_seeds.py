import subprocess
import sys
from dataclasses import replace

import pytest

from qiskit_arcmaes.bench.seeds import seeds_of
from qiskit_arcmaes.bench.tasks import Task

TASK = Task("ecdf", "function:sphere", 10, 1.0, 1000, "frugal", 0)


@pytest.mark.parametrize("change", [{"method": "uh"}, {"budget": 10**6}, {"experiment": "trid"}])
def test_start_and_noise_are_shared_by_methods_budgets_and_experiments(change):
    other = seeds_of(replace(TASK, **change), 7)
    assert (other.start, other.noise) == (seeds_of(TASK, 7).start, seeds_of(TASK, 7).noise)


@pytest.mark.parametrize("change", [{"problem": "h2"}, {"dim": 20}, {"noise": 10.0}, {"run": 1}])
def test_everything_else_changes_all_seeds(change):
    here, other = seeds_of(TASK, 7), seeds_of(replace(TASK, **change), 7)
    assert not {here.start, here.noise, here.method} & {other.start, other.noise, other.method}


def test_the_root_changes_all_seeds_and_the_method_its_own():
    assert seeds_of(TASK, 7) != seeds_of(TASK, 8)
    assert seeds_of(TASK, 7).method != seeds_of(replace(TASK, method="uh"), 7).method


def test_they_are_the_same_in_another_process():
    code = (
        "from qiskit_arcmaes.bench.seeds import seeds_of\n"
        "from qiskit_arcmaes.bench.tasks import Task\n"
        f"print(seeds_of({TASK!r}, 7))"
    )
    # another hash seed, so that nothing can hang on Python's own hashes
    said = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env={"PYTHONHASHSEED": "3"}
    )
    assert said.stdout.strip() == repr(seeds_of(TASK, 7)), said.stderr
