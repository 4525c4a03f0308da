"""The script that gave the published results the present names of the methods."""

import csv
import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
SCRIPT = ROOT / "tools" / "relabel_results.py"


@pytest.fixture(scope="module")
def script():
    spec = importlib.util.spec_from_file_location("relabel_results", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("ar", "frugal"),
        ("ar-plain", "ar"),
        ("ar-plain:auto", "ar:auto"),
        ("ar-paper@B/1e5", "ar-paper@B/1e5"),
        ("uh", "uh"),
    ],
)
def test_names(script, old, new):
    assert script.renamed(old) == new


def test_tables_change_and_commands_do_not(script):
    page = (
        "# Through the wall: ar against the others\n\n    run --methods ar,ar-plain\n\n"
        "| d = 4 | ar | ar-plain:auto | ar-paper@100 |\n|---|---|---|---|\n"
        "| ar | **7.1** (a … b) | ar-plain | 0 of 1 |\n| `ar` | 1 | 2 | 3 |"
    )
    assert script.relabel_tables(page) == (
        "# Below the noise floor: frugal against the others\n\n    run --methods ar,ar-plain\n\n"
        "| d = 4 | frugal | ar:auto | ar-paper@100 |\n|---|---|---|---|\n"
        "| frugal | **7.1** (a … b) | ar | 0 of 1 |\n| `frugal` | 1 | 2 | 3 |"
    )


def test_runs_keep_everything_but_the_name(script, tmp_path):
    path = tmp_path / "runs.csv"
    path.write_text(
        "problem,budget,method,error,shots,message\n"
        'h2,100,ar,0.1000,99,"spent, all"\nh2,100,ar-plain:auto,2e-05,0,too small\n'
    )
    assert script.relabel_csv(path) == ["ar:auto h2 100"]
    assert path.read_text() == (
        "problem,budget,method,error,shots,message\n"
        'h2,100,frugal,0.1000,99,"spent, all"\nh2,100,ar:auto,2e-05,0,too small\n'
    )


def test_what_is_published_has_the_names_and_its_commit():
    pages = {path.parent.name: path for path in (ROOT / "docs" / "results").glob("*/runs.csv")}
    pages.pop("evolution")  # made later, by a script of its own
    assert {"paper_grid", "functions", "small_budgets"} == {*pages}
    for path in pages.values():
        with path.open(newline="") as file:
            methods = {row["method"] for row in csv.DictReader(file)}
        assert "frugal" in methods
        assert not {name for name in methods if name.startswith("ar-plain")}
        assert "Runs of the first version, commit `" in (path.parent / "index.md").read_text()


def test_it_refuses_to_run_twice():
    done = subprocess.run([sys.executable, SCRIPT], capture_output=True, text=True)
    assert done.returncode == 1
    assert "already relabelled" in done.stderr
