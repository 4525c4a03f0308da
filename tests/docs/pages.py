"""The pages of the documentation, and the code on them."""

import doctest
import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
DOCS = ROOT / "docs"
SITE = sorted(p for p in DOCS.rglob("*.md") if not {"_build", "tutorials"} & set(p.parts[:-1]))
PAGES = [path for path in (ROOT / "README.md", ROOT / "CONTRIBUTING.md", *SITE) if path.exists()]

_FENCE = re.compile(r"^```(?P<kind>\S+)[^\n]*\n(?P<code>.*?)^```$", re.MULTILINE | re.DOTALL)
_RUN = ("python", "{eval-rst}")


@dataclass
class Block:
    """A piece of Python on a page: a program, or a session whose outputs are compared."""

    code: str
    line: int

    @property
    def is_session(self):
        return ">>> " in self.code

    def session(self):
        return doctest.DocTestParser().get_examples(self.code)


def blocks(path):
    """The Python on a page, in order."""
    text = path.read_text()
    found = [
        Block(fence["code"], text.count("\n", 0, fence.start("code")))
        for fence in _FENCE.finditer(text)
        if fence["kind"] in _RUN
    ]
    return [
        block for block in found if block.is_session or not block.code.lstrip().startswith("..")
    ]
