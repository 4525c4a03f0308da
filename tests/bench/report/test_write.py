"""Everything that a report writes, from a real sweep."""

import re
import struct

import pytest

from qiskit_arcmaes.bench.experiments import Experiment, Grid
from qiskit_arcmaes.bench.report import write_report
from qiskit_arcmaes.bench.report.drawing import COLUMN
from qiskit_arcmaes.bench.report.figures import DPI
from qiskit_arcmaes.bench.runner import run_sweep
from qiskit_arcmaes.bench.solve import run_task
from qiskit_arcmaes.bench.store import Record, Scores, Store, StoreError
from qiskit_arcmaes.bench.tasks import Task

from .sweep import COMMAND, METHODS, run_small_sweep


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    place = tmp_path_factory.mktemp("write") / "sweep"
    run_small_sweep(place)
    assert write_report(place) == place / "report.html"
    return place


def test_the_page_is_one_file_that_refers_to_nothing_outside(place):
    text = (place / "report.html").read_text(encoding="utf-8")
    assert not re.search(r"""(src|href)\s*=\s*["'](https?:)?//""", text)
    assert not re.search(r"@import|url\((?!#)|<script", text)
    assert not re.search(r"Matplotlib v|<dc:date>", text)
    assert "A &lt;small&gt; sweep" in text


def test_figures_are_one_column_wide_with_letters_as_letters(place):
    picture = (place / "figures" / "ecdf-d2-B2e4.png").read_bytes()
    width = struct.unpack(">I", picture[16:20])[0]
    assert width == pytest.approx(COLUMN * DPI, abs=2)
    paper = (place / "figures" / "ecdf-d2-B2e4.pdf").read_bytes()
    assert b"/FontFile2" in paper
    assert b"/Type3" not in paper


def test_tables_name_circuits_and_give_the_dimension_of_functions(place):
    text = (place / "results.md").read_text(encoding="utf-8")
    assert "| H₂, 2·10³ shots | error |" in text
    assert "| d = 2, 2·10³ shots | error |" in text
    assert not re.search(r"^\|.*d = 4", text, re.MULTILINE)


def test_every_kind_of_figure_is_there(place):
    names = {path.stem for path in (place / "figures").glob("*.pdf")}
    assert names == {path.stem for path in (place / "figures").glob("*.png")}
    assert names == {
        "anytime",
        "budget-d2",
        "convergence-d2",
        "ecdf-d2-B2e3",
        "ecdf-d2-B2e4",
        "ecdf-d4-B2e3",
        "ecdf-noise-d2-B2e3",
        "ecdf-noise-d2-B2e4",
        "ecdf-problems-d2-B2e3",
        "ecdf-problems-d2-B2e4",
        "summary",
    }


def test_the_results_page_has_the_command_the_tables_and_links_that_lead_somewhere(place):
    text = (place / "results.md").read_text(encoding="utf-8")
    assert f"    {COMMAND}\n" in text
    links = re.findall(r"\]\(([^)]+)\)", text)
    assert links
    assert all((place / link).is_file() for link in links)
    tables = re.findall(r"(?:^\|.*\|\n)+", text, flags=re.MULTILINE)
    for table in tables:
        widths = {line.count("|") for line in table.splitlines()}
        assert len(widths) == 1, table
    assert "| d = 2, τ² = 10, 2·10⁴ shots | " + " | ".join(METHODS) + " |" in text
    assert "| d = 2, 2·10⁴ shots | error | best on | mean rank | p |" in text
    assert text.index("figures/summary.png") < text.index("Made by")


def test_two_reports_of_one_sweep_are_the_same(tmp_path):
    grid = Grid(("function:sphere",), (2000,), ("frugal", "uh"), dims=(2,), noise=(1.0,))
    store = run_sweep(Experiment("demo", "Twice", (), (grid,), runs=1), tmp_path / "sweep")
    write_report(store.directory)
    before = {path: path.read_bytes() for path in store.directory.rglob("*") if path.is_file()}
    write_report(store.directory)
    assert {path: path.read_bytes() for path in before} == before


def test_an_empty_directory_is_no_sweep(tmp_path):
    with pytest.raises(StoreError, match="holds no sweep"):
        write_report(tmp_path)


def test_an_unfinished_sweep_is_reported_as_far_as_it_got(tmp_path):
    store = Store.create(tmp_path / "sweep", {"experiment": "part", "settings": {}})
    with pytest.raises(StoreError, match="no finished run yet"):
        write_report(store.directory)
    store.add(run_task(Task("part", "function:sphere", 2, 1.0, 1000, "frugal", 0), 1))
    write_report(store.directory)
    assert "not finished" in (store.directory / "results.md").read_text(encoding="utf-8")
    assert "not finished" in (store.directory / "report.html").read_text(encoding="utf-8")


def test_names_and_notes_are_text_on_the_results_page(tmp_path):
    """Whatever a store holds, its page runs no script and breaks no table."""
    bad = "<script>alert(1)</script> | [x](javascript:y)\n# head"
    description = {
        "experiment": bad,
        "title": bad,
        "settings": {},
        "notes": [bad],
        "command": bad,
        "versions": {bad: bad},
        "machine": {"system": bad},
    }
    store = Store.create(tmp_path / "sweep", description)
    for method in (bad, "uh"):
        store.add(
            Record(
                Task(bad, "function:" + bad, 2, 1.0, 1000, method, 0),
                Scores(1, 0.5, None, None, 9, 1, bad),
                [(9, 0.5)],
            )
        )
    write_report(store.directory)
    text = (store.directory / "results.md").read_text(encoding="utf-8")
    prose = [line for line in text.splitlines() if not line.startswith("    ")]
    assert not [line for line in prose if "<script" in line]
    assert not [line for line in prose if re.search(r"(?<!\\)\]\(javascript", line)]
    assert [line for line in prose if line.startswith("# ")] == prose[:1]
    for table in re.findall(r"(?:^\|.*\|\n)+", text, flags=re.MULTILINE):
        assert len({len(re.findall(r"(?<!\\)\|", line)) for line in table.splitlines()}) == 1
    assert "<script>alert" not in (store.directory / "report.html").read_text(encoding="utf-8")
