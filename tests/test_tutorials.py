"""The tutorials as they are committed: run from top to bottom, with their outputs, free of slips.

``make tutorials`` runs them again.
"""

import json
import re
from pathlib import Path

import pytest

TUTORIALS = Path(__file__).parent.parent / "tutorials"
NAMES = sorted(path.name for path in TUTORIALS.glob("*.ipynb"))


@pytest.fixture(params=NAMES)
def cells(request):
    return json.loads((TUTORIALS / request.param).read_text())["cells"]


def code(cells):
    return [cell for cell in cells if cell["cell_type"] == "code"]


def outputs(cells):
    return [output for cell in code(cells) for output in cell["outputs"]]


def test_they_are_numbered():
    assert [name[:2] for name in NAMES] == [f"{number:02}" for number in range(1, 9)]


def test_they_begin_with_a_title_and_were_run_from_top_to_bottom(cells):
    assert "".join(cells[0]["source"]).startswith("# ")
    counts = [cell["execution_count"] for cell in code(cells)]
    assert counts == list(range(1, len(counts) + 1))


def test_nothing_failed_or_warned(cells):
    kinds = [output.get("name", output["output_type"]) for output in outputs(cells)]
    assert "error" not in kinds
    assert "stderr" not in kinds


def test_each_has_a_picture(cells):
    assert any("image/png" in output.get("data", {}) for output in outputs(cells))


def test_the_new_method_has_at_most_forty_lines():
    (name,) = [name for name in NAMES if "forty_lines" in name]
    book = json.loads((TUTORIALS / name).read_text())
    (source,) = [
        cell["source"]
        for cell in code(book["cells"])
        if "class SplitHalves" in "".join(cell["source"])
    ]
    assert sum(bool(line.strip()) for line in source) <= 40


def test_no_folder_of_anyones_machine_is_shown(cells):
    for output in outputs(cells):
        texts = [output.get("text", ""), *output.get("data", {}).values()]
        shown = "".join("".join(text) for text in texts if not isinstance(text, dict))
        shown = re.sub(r"[A-Za-z0-9+/=\n]{200,}", "", shown)  # pictures
        assert not re.search(r"(^|[\s'\"(])/(home|root|tmp|work|usr|opt|Users)/", shown), shown
