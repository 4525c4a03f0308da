"""Publish a finished sweep as a results page.

``python tools/publish_results.py out/bench/ucc COMMIT circuits/ucc`` copies what ``arcmaes bench
report`` wrote to docs/results/circuits/ucc: the page, with the commit whose code ran, the error of
every run and the figures.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
USAGE = "usage: python tools/publish_results.py out/bench/NAME COMMIT PAGE"


def published(page: str, commit: str) -> str:
    r"""The page with the commit beside the command that made it, without links to PDF files.

    Args:
        page: What the report wrote.
        commit: The commit whose code ran.

    Example:
        >>> published("# Title\n\nMade by\n\n    a command\n", "abc1234").splitlines()[2]
        'Made by commit `abc1234` with'
    """
    if page.count("\nMade by\n") != 1:
        raise ValueError("the page must say 'Made by' on one line; make it with bench report.")
    page = page.replace("\nMade by\n", f"\nMade by commit `{commit}` with\n")
    return re.sub(r" \(\[PDF\]\([^)]*\)\)", "", page)


def short_name(commit: str) -> str:
    """The short name of a commit that must be an ancestor of the present one."""
    git = ["git", "-C", str(ROOT)]
    subprocess.run([*git, "merge-base", "--is-ancestor", commit, "HEAD"], check=True)
    name = subprocess.run(
        [*git, "rev-parse", "--short", commit], check=True, capture_output=True, text=True
    )
    return name.stdout.strip()


def publish(sweep: Path, commit: str, name: str) -> Path:
    """Copy the page, its runs and its figures; returns the page's path."""
    folder = ROOT / "docs" / "results" / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    page = (sweep / "results.md").read_text(encoding="utf-8")
    (folder / "index.md").write_text(published(page, commit), encoding="utf-8")
    shutil.copy(sweep / "runs.csv", folder)
    if (sweep / "anytime.csv").exists():
        shutil.copy(sweep / "anytime.csv", folder)
    for figure in sorted((sweep / "figures").glob("*.png")):
        (folder / "figures").mkdir(exist_ok=True)
        shutil.copy(figure, folder / "figures")
    return folder / "index.md"


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(USAGE)
    print(publish(Path(sys.argv[1]), short_name(sys.argv[2]), sys.argv[3]))
