"""Every piece of Python on a page runs: one page after the other, in an empty folder."""

import contextlib
import doctest
import io
import re

import pytest

from .pages import PAGES, ROOT, blocks

OPTIONAL = (
    "pennylane",
    "qiskit_ibm_runtime",
    "qiskit_machine_learning",
    "qiskit_nature",
    "qiskit_optimization",
)
WITH_CODE = [path for path in PAGES if blocks(path)]


@pytest.mark.parametrize("path", WITH_CODE, ids=lambda path: str(path.relative_to(ROOT)))
def test_the_code_on_the_page_runs(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for package in re.findall(
        r"^(?:from|import) (\w+)", "\n".join(b.code for b in blocks(path)), re.M
    ):
        if package in OPTIONAL:
            pytest.importorskip(package)
    names = {"__name__": "page"}
    for block in blocks(path):
        if block.is_session:
            compare(block, names, path)
        else:
            with contextlib.redirect_stdout(io.StringIO()):
                exec(compile("\n" * block.line + block.code, str(path), "exec"), names)


def compare(block, names, path):
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    test = doctest.DocTest(block.session(), {}, path.name, str(path), block.line, None)
    test.globs = names  # what one block defines the next one uses
    report = io.StringIO()
    assert runner.run(test, out=report.write, clear_globs=False).failed == 0, report.getvalue()
