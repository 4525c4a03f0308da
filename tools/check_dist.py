"""Build the sdist and the wheel, and try both in an environment that has nothing else.

``make dist``. The wheel is built from the sdist, so that what the sdist lacks shows. The archives
stay in dist/.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).parent.parent
DIST = ROOT / "dist"


def build() -> tuple[Path, Path]:
    """Make the sdist, and the wheel out of it; what was built before is removed."""
    for stale in (DIST, ROOT / "build"):
        shutil.rmtree(stale, ignore_errors=True)
    command = [sys.executable, "-m", "build", "--outdir", DIST, ROOT]
    made = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if made.returncode:
        sys.exit(f"{made.stdout}\nThe build failed; its last lines say why.")
    (sdist,) = DIST.glob("*.tar.gz")
    (wheel,) = DIST.glob("*.whl")
    return sdist, wheel


def install(python: Path, archive: Path, *options: str) -> None:
    """Install an archive, and see that nothing contradicts."""
    pip = [str(python), "-m", "pip", "--disable-pip-version-check"]
    subprocess.run([*pip, "install", "--quiet", *options, str(archive)], check=True)
    subprocess.run([*pip, "check"], check=True)


def try_out(python: Path, folder: Path) -> None:
    """The smoke test, in an empty folder."""
    shutil.copy(ROOT / "tools" / "smoke_test.py", folder)
    subprocess.run([python, "-I", "smoke_test.py", ROOT], check=True, cwd=folder)


def main() -> None:
    """Build, then install and try the wheel, then the sdist."""
    sdist, wheel = build()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        venv.create(folder / "fresh", with_pip=True)
        scripts = "Scripts" if sys.platform == "win32" else "bin"
        python = folder / "fresh" / scripts / "python"
        (folder / "empty").mkdir()
        install(python, wheel)
        try_out(python, folder / "empty")
        install(python, sdist, "--force-reinstall", "--no-deps")
        try_out(python, folder / "empty")
    print(f"{wheel.name} and {sdist.name} install and work.")


if __name__ == "__main__":
    main()
