"""Every error in README's tables is the median of the published runs, and none is kept back."""

import re

import pytest

from qiskit_arcmaes.bench.report.numbers import shots

from .pages import ROOT
from .published import cells

README = (ROOT / "README.md").read_text()
AHEAD, BEHIND = README.split("## How ShotFrugal compares")[1].split("**Where it is behind.**")
BEHIND = BEHIND.split("\n## ")[0]
BUDGET_PAGES = ("h2_rivals", "molecules")
_ROW = re.compile(r"^\| (.+?) \| (\S+) \| (\S+) \| (.+?) \| \[[^]]+\]\((.+?)\) \|$", re.MULTILINE)


def rows(text):
    """The rows of a table of errors."""
    return [list(match.groups()) for match in _ROW.finditer(text)]


@pytest.mark.parametrize("row", rows(AHEAD + BEHIND), ids=lambda row: f"{row[0]}, {row[1]}")
def test_a_row_has_the_medians_of_the_published_runs(row):
    same = [cell.row for cell in cells() if cell.row[:2] == row[:2] and cell.row[4] == row[4]]
    assert same == [row]


def test_the_first_table_is_of_one_budget_and_has_every_page_with_it():
    assert {row[1] for row in rows(AHEAD)} == {"10⁵"}
    pages = {cell.row[4] for cell in cells() if cell.shots == "10⁵"}
    assert pages == {row[4] for row in rows(AHEAD + BEHIND)} & pages


def test_the_second_table_has_the_cells_in_which_we_are_behind_and_none_else():
    names = {tuple(row) for row in rows(BEHIND)}
    for cell in cells():
        if tuple(cell.row) in names:
            assert cell.own > cell.best


def test_every_cell_that_is_behind_by_a_factor_of_two_is_in_the_second_table():
    far = [cell.row for cell in cells() if cell.own >= 2 * cell.best]
    assert [row for row in far if row not in rows(BEHIND)] == []


def test_every_link_of_readme_leads_to_a_file():
    for path in re.findall(r"\]\((?!http)([^)#]+)\)", README):
        assert (ROOT / path).exists(), path


def two_digits(number):
    """A number with two digits, written out."""
    rounded = float(f"{number:.1e}")
    return f"{rounded:,.0f}" if rounded >= 10 else f"{rounded:.1f}"


def test_the_page_on_budgets_has_error_times_shots_of_the_published_runs():
    page = (ROOT / "docs" / "howto" / "budget.md").read_text()
    medians = {
        (cell.problem, cell.shots): cell.own for cell in cells() if cell.page in BUDGET_PAGES
    }
    table = re.findall(r"^\| (\S+) \| \d+ \| (\S+) \| (\S+) \| (\S+) \|$", page, re.MULTILINE)
    assert len(table) == 3
    for problem, *written in table:
        for power, text in zip((5, 6, 7), written, strict=True):
            found = medians.get((problem, shots(10**power)))
            assert text == ("—" if found is None else two_digits(found * 10**power))
