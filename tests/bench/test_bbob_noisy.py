"""bench/bbob_noisy.py: noise-free values, hits, expected running times, the page."""

import math
import shutil
import sys
from dataclasses import replace

import numpy as np
import pytest

from tests.docs.pages import DOCS, ROOT

sys.path.insert(0, str(ROOT / "bench"))

import bbob_noisy
import bbob_noisy_best as published
import bbob_noisy_page as page
import bbob_noisy_runs as runs

TASK = runs.Task("frugal", 107, 5, 16, 100)
NOISELESS = {101: 1, 106: 8, 108: 1, 112: 8, 113: 7, 119: 14, 122: 17, 128: 21}  # of suite bbob
BEST = {
    (function, dim): published.Best(f"Function {function}", (10.0, 20, 40, 80, 160, math.inf))
    for function in runs.FUNCTIONS
    for dim in runs.DIMS
}


def outcome(*hits, evaluations=500, start=2.0, error=1.0, failure=""):
    hits = (*hits, *[0] * (len(runs.PRECISIONS) - len(hits)))
    return runs.Outcome(start, error, evaluations, hits, failure)


def made(method="frugal", dim=5, instances=(1, 2), **named):
    tasks = [runs.Task(method, 101, dim, instance, 100) for instance in instances]
    return {task: outcome(50, 100, **named) for task in tasks}


class TestNoiseFreeValues:
    @pytest.fixture(autouse=True)
    def coco(self):
        self.cocoex = pytest.importorskip("cocoex")

    @pytest.mark.parametrize("dim", runs.DIMS)
    @pytest.mark.parametrize("function", NOISELESS)
    def test_they_are_those_of_the_noiseless_suite(self, function, dim):
        """Inside the range, where no penalty is added; the minima are at the same points."""
        task = replace(TASK, function=function, dim=dim)
        noiseless = self.cocoex.BareProblem("bbob", NOISELESS[function], dim, task.instance)
        best = np.array(noiseless.best_parameter())
        assert runs.noise_free(task, best) == pytest.approx(0, abs=1e-9)
        point = np.random.default_rng(function).uniform(-4, 4, dim)
        expected = noiseless(point) - noiseless.best_value()
        assert runs.noise_free(task, point) == pytest.approx(expected, rel=1e-8)

    def test_repeated_evaluations_of_a_point_have_one(self, tmp_path):
        point = np.full(5, 1.5)
        with runs.observed(TASK, tmp_path) as problem:
            values = [float(problem(point)) for _ in range(20)]
        assert len(set(values)) == 20  # noise
        (file,) = tmp_path.rglob("*.tdat")  # its fourth column is the present noise-free value
        lines = [line.split() for line in file.read_text().splitlines() if line[0] != "%"]
        assert len(lines) > 10
        assert len({line[3] for line in lines}) == 1
        assert runs.noise_free(TASK, point) == next(runs.rows(tmp_path))[1]

    def test_noise_repeats_and_differs_between_instances(self, tmp_path):
        def noise(name, skip):
            with runs.observed(TASK, tmp_path / name, skip) as problem:
                return [float(problem(np.zeros(5))) for _ in range(5)]

        assert noise("a", 7) == noise("b", 7)
        assert not set(noise("c", 0)) & set(noise("d", 100))


class TestRun:
    @pytest.fixture(autouse=True)
    def coco(self):
        pytest.importorskip("cocoex")

    @pytest.mark.parametrize("method", runs.METHODS)
    def test_a_run_repeats_and_keeps_its_budget(self, method):
        task = replace(TASK, method=method)
        first, second = runs.run(task), runs.run(task)
        assert replace(first, seconds=0) == replace(second, seconds=0)
        assert 0.9 * task.evaluations < first.evaluations <= task.evaluations
        assert not first.failure
        assert first.start == runs.noise_free(task, runs.first_point(task)[0])
        assert first.error < first.start

    def test_both_methods_begin_at_one_point(self):
        starts = [runs.first_point(replace(TASK, method=method))[0] for method in runs.METHODS]
        assert np.array_equal(*starts)
        assert np.abs(starts[0]).max() <= runs.START

    def test_an_exception_is_part_of_the_outcome(self, monkeypatch):
        def broken(task, problem, start, seed):
            problem(start)
            raise ZeroDivisionError("of a method")

        monkeypatch.setattr(runs, "solve", broken)
        found = runs.run(TASK)
        assert found.failure == "ZeroDivisionError: of a method"
        assert found.evaluations == 1
        assert math.isnan(found.error)

    def test_ert_is_that_of_cocopp(self, tmp_path):
        cocopp = pytest.importorskip("cocopp")
        found = []
        with pytest.MonkeyPatch.context() as patch:
            patch.chdir(tmp_path)
            for instance in (16, 17):
                task = replace(TASK, instance=instance)
                with runs.observed(task, tmp_path / f"i{instance}") as problem:
                    runs.solve(task, problem, *runs.first_point(task))
                    evaluations = problem.evaluations
                hits = runs.hits_of(runs.rows(tmp_path / f"i{instance}"))
                found.append(runs.Outcome(1.0, 1.0, evaluations, hits))
                (data,) = cocopp.load(str(tmp_path / f"i{instance}"))
                ours = [page.cell_of(found[-1:], i).ert for i in range(len(runs.PRECISIONS))]
                assert ours == pytest.approx(list(data.detERT(runs.PRECISIONS)))
        assert any(hit > 0 for hit in found[0].hits)


def test_sweep_goes_on_and_writes_its_page(tmp_path, monkeypatch):
    pytest.importorskip("cocoex")
    published.save(tmp_path / "best.csv", BEST)
    small = ["--functions", "101", "--dims", "5", "--budget", "40", "--jobs", "1"]

    def bench(*words):
        monkeypatch.setattr(
            sys, "argv", ["bbob_noisy.py", *words, *small, "--folder", str(tmp_path)]
        )
        bbob_noisy.main()
        return (tmp_path / "runs.csv").read_text()

    first = bench("run", "--instances", "16-16")
    both = bench("run", "page", "--instances", "16,17")
    assert both.startswith(first)
    assert len(both.splitlines()) == 1 + 2 * len(runs.METHODS)
    assert bench("run", "--instances", "16,17") == both
    assert "instances 16-17: 4 runs\n" in (tmp_path / "index.md").read_text()


def test_published_best_comes_from_cocopp():
    pytest.importorskip("cocopp")
    best = published.from_cocopp()
    assert len(best) == len(runs.FUNCTIONS) * len(runs.DIMS)
    assert best[101, 5].name == "Sphere moderate Gauss"
    for found in best.values():
        assert list(found.erts) == sorted(found.erts)
        assert min(found.erts) >= 1


def test_published_best_is_kept(tmp_path):
    published.save(tmp_path / "best.csv", BEST)
    assert published.published(tmp_path / "best.csv") == BEST


def test_hits_are_the_first_evaluations():
    trajectory = [(1, 30.0), (7, 9.0), (8, 1.0), (20, 0.02), (21, 1e-4), (30, 1e-4)]
    assert runs.hits_of(trajectory) == (7, 8, 20, 21, 0, 0)


def test_ert_counts_failed_runs_in_full():
    found = [outcome(30), outcome(50), outcome(evaluations=420)]
    assert page.cell_of(found, 0) == page.Cell(250.0, 2, 3)
    assert page.cell_of(found, 1) == page.Cell(math.inf, 0, 3)


def test_runs_are_read_as_they_were_written(tmp_path):
    done = made() | made("ar", failure="ValueError: a, b", error=math.inf)
    rows = [page.COLUMNS, *(page.row_of(*item) for item in done.items())]
    with (tmp_path / "runs.csv").open("w", newline="") as file:
        bbob_noisy.csv.writer(file, lineterminator="\n").writerows(rows)
    assert page.read(tmp_path / "runs.csv") == done
    assert page.read(tmp_path / "none.csv") == {}


def test_page_has_times_per_coordinate_beside_the_best():
    done = made() | made("ar", error=6.0, evaluations=501)
    text = page.text_of(done, BEST, ["abc1234"])
    assert "--instances 2 --budget 100 --functions 101 --dims 5` at commit abc1234" in text
    (row,) = [line for line in text.splitlines() if line.startswith("| f101")]
    cells = [cell.strip() for cell in row.split("|")[2:-1]]
    assert cells[1:3] == ["10<br>10<br>2.0", "20<br>20<br>4.0"]
    assert cells[3] == "- (0/2)<br>- (0/2)<br>8.0"
    summary = {line.split("|")[1].strip(): line.split("|")[2:-1] for line in text.splitlines()[1:]
               if line.startswith("|")}  # fmt: skip
    figures = {title: [cell.strip() for cell in cells] for title, cells in summary.items()}
    assert figures["reached by at least one run"] == ["2", "2"]
    assert figures["reached by the published best"] == ["5", "5"]
    assert figures["ERT / best ERT, geometric mean where both reach it"] == ["5", "5"]
    assert figures["runs that ended above their start"] == ["0", "2"]
    assert figures["runs with more evaluations than the budget"] == ["0", "2"]
    assert figures["largest error / error of the start"] == ["0.5", "3"]


def test_page_counts_failures():
    text = page.text_of(made() | made("ar", failure="ValueError: no"), BEST, ["a", "b"])
    assert "| runs that raised an exception | 0 | 2 |" in text
    assert "at commits a, b;" in text


def test_what_is_at_or_below_the_best_is_bold():
    done = {runs.Task("frugal", 101, 5, 1, 100): outcome(10, 20, 41)}
    assert "| **2.0**<br>no runs<br>2.0 | **4.0**<br>no runs<br>4.0 | 8.2<br>" in page.text_of(
        done, BEST, ["a"]
    )


@pytest.mark.parametrize(
    ("value", "text"),
    [(2.24, "2.2"), (14.6, "15"), (99_999, "99999"), (861_900, "8.6e5"), (math.inf, "-")],
)
def test_numbers_are_short(value, text):
    assert page.number(value) == text


@pytest.mark.parametrize(
    ("text", "expected"), [("3", [1, 2, 3]), ("16,18-20", [16, 18, 19, 20]), ("16-16", [16])]
)
def test_instances(text, expected):
    assert bbob_noisy.numbers(text) == expected
    assert bbob_noisy.listed(page.spans(expected)) == expected


def test_page_is_linked_once(tmp_path):
    index = tmp_path / "index.md"
    text = (DOCS / "results" / "index.md").read_text()
    lines = [line for line in text.splitlines(True) if "bbob_noisy/index" not in line]
    index.write_text("".join(lines))
    page.link(index)
    linked = index.read_text()
    assert linked.count("bbob_noisy/index") == 2
    assert "\nbbob_noisy/index\npaper_grid/index\n" in linked
    page.link(index)
    assert index.read_text() == linked


PUBLISHED = DOCS / "results" / "bbob_noisy"


def test_published_page_is_that_of_its_runs(tmp_path):
    folder = shutil.copytree(PUBLISHED, tmp_path / "page")
    page.write(folder, page.read(folder / "runs.csv"))
    assert (folder / "index.md").read_text() == (PUBLISHED / "index.md").read_text()
