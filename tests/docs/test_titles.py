"""Every page has a title of its own, so that entries of the sidebar can be told apart."""

import re
from collections import Counter

from .pages import DOCS, ROOT, SITE


def title(path):
    found = re.search(r"^# (.+)$", path.read_text(), re.MULTILINE)
    return found and found[1].strip()


def test_every_page_has_a_title_of_its_own():
    titles = [title(path) for path in SITE if title(path)]
    assert len(titles) > 40
    assert not {name: n for name, n in Counter(titles).items() if n > 1}


def test_every_page_is_in_a_table_of_contents():
    listed = set()
    for page in SITE:
        for block in re.findall(r"^```\{toctree\}\n(.*?)^```", page.read_text(), re.M | re.S):
            listed |= {
                (page.parent / line.strip()).resolve()
                for line in block.splitlines()
                if line.strip() and not line.startswith(":")
            }
    missing = [
        path.relative_to(ROOT)
        for path in SITE
        if path != DOCS / "index.md" and path.with_suffix("").resolve() not in listed
    ]
    assert not missing
