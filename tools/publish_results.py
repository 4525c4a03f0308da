"""Publish a finished sweep as a results page.

``python tools/publish_results.py out/bench/NAME COMMIT`` copies what ``arcmaes bench report`` wrote
to docs/results/NAME: the page, with the commit whose code ran, the error of every run and the
figures.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
USAGE = "usage: python tools/publish_results.py out/bench/NAME COMMIT"


def with_commit(page: str, commit: str) -> str:
    r"""The page with the commit beside the command that made it.

    Args:
        page: What the report wrote.
        commit: The commit whose code ran.

    Example:
        >>> with_commit("# Title\n\nMade by\n\n    a command\n", "abc1234").splitlines()[2]
        'Made by commit `abc1234` with'
    """
    if page.count("\nMade by\n") != 1:
        raise ValueError("the page must say 'Made by' on one line; make it with bench report.")
    return page.replace("\nMade by\n", f"\nMade by commit `{commit}` with\n")


def short_name(commit: str) -> str:
    """The short name of a commit that must be an ancestor of the present one."""
    git = ["git", "-C", str(ROOT)]
    subprocess.run([*git, "merge-base", "--is-ancestor", commit, "HEAD"], check=True)
    name = subprocess.run(
        [*git, "rev-parse", "--short", commit], check=True, capture_output=True, text=True
    )
    return name.stdout.strip()


def publish(sweep: Path, commit: str) -> Path:
    """Copy the page, its runs and its figures; returns the page's path."""
    folder = ROOT / "docs" / "results" / sweep.name.replace("-", "_")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    page = (sweep / "results.md").read_text(encoding="utf-8")
    (folder / "index.md").write_text(with_commit(page, commit), encoding="utf-8")
    shutil.copy(sweep / "runs.csv", folder)
    if any((sweep / "figures").iterdir()):
        shutil.copytree(sweep / "figures", folder / "figures")
    return folder / "index.md"


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(USAGE)
    print(publish(Path(sys.argv[1]), short_name(sys.argv[2])))
