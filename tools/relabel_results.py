"""Give the published results of the first version the present names of the methods, once.

``python tools/relabel_results.py`` rewrites docs/results/*/runs.csv and the tables of the pages,
and says on every page which commit made it. What was called ``ar`` is ``frugal`` now, and what was
called ``ar-plain`` is ``ar``. Figures and errors stay as they are.
"""

from __future__ import annotations

import csv
import io
import re
import subprocess
import sys
from pathlib import Path

DOCS = Path(__file__).parent.parent / "docs"
NEW_NAMES = {"ar": "frugal", "ar-plain": "ar"}
OLD_NAME = re.compile(r"(ar-plain|ar)(?=$|[:@])")
IN_PROSE = re.compile(r"(?<![\w-])ar(?![\w-])")
MARK = "Runs of the first version"


def renamed(method: str) -> str:
    """The present name of a method; population size and shots stay.

    Example:
        >>> renamed("ar"), renamed("ar-plain:auto"), renamed("ar-paper@100")
        ('frugal', 'ar:auto', 'ar-paper@100')
    """
    return OLD_NAME.sub(lambda match: NEW_NAMES[match[1]], method, count=1)


def relabel_csv(path: Path) -> list[str]:
    """Rename the methods in a table of runs.

    Returns:
        Methods with runs that spent nothing, with their problem and budget.
    """
    with path.open(encoding="utf-8", newline="") as file:
        head, *rows = csv.reader(file)
    column = {name: head.index(name) for name in ("problem", "budget", "method", "shots")}
    for row in rows:
        row[column["method"]] = renamed(row[column["method"]])
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([head, *rows])
    path.write_text(text.getvalue(), encoding="utf-8", newline="")
    idle = [row for row in rows if row[column["shots"]] == "0"]
    return sorted(
        {" ".join(row[column[n]] for n in ("method", "problem", "budget")) for row in idle}
    )


def relabel_tables(text: str) -> str:
    """Rename the methods in the tables of a page, in its title, and in no other line."""
    return "\n".join(map(_relabel_line, text.split("\n")))


def _relabel_line(line: str) -> str:
    if line.startswith("# "):
        return IN_PROSE.sub("frugal", line).replace("Through the wall", "Below the noise floor")
    if not line.startswith("|"):
        return line
    return " | ".join(_relabel_entry(entry) for entry in line.split(" | "))


def _relabel_entry(entry: str) -> str:
    """An entry of a table, with what the line begins or ends with."""
    match = re.fullmatch(r"(\| )?(`?)([\w:@/.-]+)(`?)( \|)?", entry)
    if match is None:
        return entry
    before, tick, name, tock, after = (part or "" for part in match.groups())
    return f"{before}{tick}{renamed(name)}{tock}{after}"


def origin(path: Path) -> str:
    """The commit that a file was last written by."""
    done = subprocess.run(
        ["git", "log", "--follow", "--format=%h", "-1", "--", path.name],
        cwd=path.parent,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip()


def notice(commit: str, idle: list[str], pictures: bool) -> str:
    """What a page says about its age and its names."""
    old = "the command and the pictures have" if pictures else "the command has"
    lines = [
        f"{MARK}, commit `{commit}`; names were changed since: `frugal` was called `ar` and `ar` "
        f"was called `ar-plain`, and {old} the old names."
    ]
    if idle:
        lines.append(
            "Where the budget did not pay a method's first step, its error here is that of its "
            f"start: {', '.join(idle)}."
        )
    return " ".join(lines)


def with_notice(text: str, said: str) -> str:
    """The page with a paragraph below its title."""
    title, _, rest = text.partition("\n")
    return f"{title}\n\n{said}\n{rest}"


def relabel_page(folder: Path) -> None:
    """Relabel a page and its table of runs."""
    commit = origin(folder / "runs.csv")
    idle = relabel_csv(folder / "runs.csv")
    page = folder / "index.md"
    text = relabel_tables(page.read_text(encoding="utf-8"))
    said = notice(commit, idle, (folder / "figures").exists())
    page.write_text(with_notice(text, said), encoding="utf-8")


def main() -> None:
    """Relabel everything, or refuse."""
    pages = sorted(path.parent for path in (DOCS / "results").glob("*/runs.csv"))
    done = [page for page in pages if MARK in (page / "index.md").read_text(encoding="utf-8")]
    if done:
        names = ", ".join(page.name for page in done)
        sys.exit(f"already relabelled: {names}; a second time would turn ar into frugal again.")
    for page in pages:
        relabel_page(page)


if __name__ == "__main__":
    main()
