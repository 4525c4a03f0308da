"""In which order files reach the disk."""

import os
from pathlib import Path


def written(monkeypatch):
    """A list that fills with what is synced, renamed and removed, in order; all of it is done."""
    seen = []
    sync, replace, unlink = os.fsync, os.replace, Path.unlink

    def watched_sync(descriptor):
        seen.append(("sync", Path(f"/proc/self/fd/{descriptor}").resolve().name))
        sync(descriptor)

    def watched_replace(source, target):
        seen.append(("replace", Path(source).name, Path(target).name))
        replace(source, target)

    def watched_unlink(path, missing_ok=False):
        seen.append(("unlink", path.name))
        unlink(path, missing_ok)

    monkeypatch.setattr(os, "fsync", watched_sync)
    monkeypatch.setattr(os, "replace", watched_replace)
    monkeypatch.setattr(Path, "unlink", watched_unlink)
    return seen
