"""Small HTML tables, as notebooks show them."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence


def table(rows: Iterable[Sequence[object]], head: Sequence[object] = (), caption: str = "") -> str:
    """Return an HTML table; every cell is escaped.

    Args:
        rows: The cells, row by row.
        head: Headings of the columns; none leaves them out.
        caption: Stands above the table; the empty text leaves it out.

    Example:
        >>> table([("shots", 100), ("a < b", True)])
        '<table><tr><td>shots</td><td>100</td></tr><tr><td>a &lt; b</td><td>True</td></tr></table>'
    """
    above = f"<caption>{_escape(caption)}</caption>" if caption else ""
    first = _row(head, "th") if head else ""
    return f"<table>{above}{first}{''.join(_row(cells, 'td') for cells in rows)}</table>"


def _row(cells: Sequence[object], kind: str) -> str:
    return f"<tr>{''.join(f'<{kind}>{_escape(cell)}</{kind}>' for cell in cells)}</tr>"


def _escape(cell: object) -> str:
    return html.escape(str(cell), quote=False)
