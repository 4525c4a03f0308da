"""One writer per directory: a lock that ends with the process that holds it."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from qiskit_arcmaes.bench.store.errors import StoreError

if sys.platform == "win32":
    import msvcrt

    def _take(descriptor: int) -> None:
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
else:
    import fcntl

    def _take(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


LOCK = ".lock"


@contextmanager
def exclusive(directory: Path) -> Iterator[None]:
    """Be the only writer of a directory for a while.

    The operating system drops the lock when its process ends, however it ends.

    Args:
        directory: Where; it must exist.

    Raises:
        StoreError: Another process, or another part of this one, writes there; the message
            names it.
    """
    path = directory / LOCK
    descriptor = _acquire(path)
    try:
        os.truncate(descriptor, 0)
        os.pwrite(descriptor, f"process {os.getpid()} on {platform.node()}".encode(), 0)
        yield
    finally:
        path.unlink(missing_ok=True)
        os.close(descriptor)


def _acquire(path: Path) -> int:
    """Open and lock the file; again where its holder removed it in between."""
    while True:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
        try:
            _take(descriptor)
        except OSError as error:
            holder = path.read_text() if path.exists() else ""
            os.close(descriptor)
            raise StoreError(
                f"{holder or 'another process'} writes to {str(path.parent)!r}; wait until it has "
                "ended, or give another directory."
            ) from error
        if path.exists() and os.path.samestat(os.fstat(descriptor), path.stat()):
            return descriptor
        os.close(descriptor)
