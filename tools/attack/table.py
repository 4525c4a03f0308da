"""Parts of an attack, added up to a table."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from .harness import PROMISES


def add_parts(files: Iterable[Path]) -> dict[str, Counter[str]]:
    """The counts of all parts, by promise.

    Args:
        files: What parts have written; a part that comes twice is refused.
    """
    found: dict[str, Counter[str]] = {}
    seen: set[tuple[int, str]] = set()
    for file in files:
        for line in file.read_text(encoding="utf-8").splitlines():
            entry: dict[str, Any] = json.loads(line)
            key = entry["part"], entry["promise"]
            if key in seen:
                raise ValueError(f"{file}: part {key[0]} of {key[1]!r} was counted already.")
            seen.add(key)
            counts = found.setdefault(entry["promise"], Counter())
            counts["tries"] += entry["tries"]
            counts["kills"] += entry["kills"]
            counts["broken"] += len(entry["broken"])
    return found


def markdown(counts: dict[str, Counter[str]]) -> str:
    """The table of the documentation.

    Args:
        counts: What ``add_parts`` returns.
    """
    lines = ["| promise | name | tries | kills | failures |", "|---|---|---:|---:|---:|"]
    total: Counter[str] = Counter()
    for name in filter(counts.__contains__, PROMISES):
        count = counts[name]
        total.update(count)
        lines.append(
            f"| {PROMISES[name].text} | `{name}` | {count['tries']:,} | "
            f"{count['kills'] or '-'} | {count['broken']} |"
        )
    lines.append(f"| all | | {total['tries']:,} | {total['kills']:,} | {total['broken']} |")
    return "\n".join(lines)
