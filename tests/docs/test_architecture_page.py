"""The page on architecture says what the import rules say."""

import re

import pytest

from ..test_architecture import ALLOWED, ENGINE, PACKAGE, room_of, rooms
from .pages import DOCS

PAGE = (DOCS / "project" / "architecture.md").read_text()
_ROW = re.compile(r"^\| `(\w+)` \| [^|]+ \| ?([^|]*)\|$", re.MULTILINE)
TABLE = {room: allowed.strip() for room, allowed in _ROW.findall(PAGE)}
FREE = {"bench"}  # may import everything below the command


def words(text):
    return set(re.findall(r"`(\w+)`", text))


def test_the_page_has_all_rooms_and_no_others():
    assert set(TABLE) == {room_of(path) for path in rooms()}
    assert set(TABLE) == set(ALLOWED) | FREE


@pytest.mark.parametrize("room", ALLOWED)
def test_the_page_and_the_import_rules_agree(room):
    assert words(TABLE[room]) == ALLOWED[room]


def test_free_rooms_are_said_to_be_free():
    assert TABLE["bench"] == "all but `cli`"
    for path in (PACKAGE / "bench").rglob("*.py"):
        assert "qiskit_arcmaes.bench.cli" not in path.read_text(), path.name


def test_the_engine_is_the_one_that_the_page_names():
    (sentence,) = re.findall(r"import no Qiskit: (.*?)\.\s", PAGE, re.DOTALL)
    assert words(sentence) == ENGINE


def test_no_arrow_goes_backwards():
    """Rooms can be put in an order in which each imports only earlier ones."""
    left = dict(ALLOWED) | {"bench": set(ALLOWED) - {"cli"}}
    while left:
        free = [room for room, allowed in left.items() if not allowed & set(left)]
        assert free, f"a circle of imports among {sorted(left)}"
        for room in free:
            del left[room]
