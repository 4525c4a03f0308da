"""The page: one file with its data, script and style inside, that needs no network."""

from __future__ import annotations

import json
from collections.abc import Mapping
from html import escape
from importlib import resources
from string import Template
from typing import Any

_PAGE = resources.files("qiskit_arcmaes.bench.report") / "page"


def page(data: Mapping[str, Any]) -> str:
    """Put the data of a sweep into the page.

    Args:
        data: What ``page_data`` returned.

    Returns:
        The whole HTML file as text.
    """
    script = "\n".join(_part(name) for name in ("chart.js", "views.js"))
    return Template(_part("page.html")).substitute(
        title=escape(str(data["about"]["title"] or data["about"]["experiment"])),
        style=_part("page.css"),
        data=_embedded(data),
        script=script,
    )


def _embedded(data: Mapping[str, Any]) -> str:
    """JSON that cannot end the script element it stands in."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c")


def _part(name: str) -> str:
    return (_PAGE / name).read_text(encoding="utf-8")
