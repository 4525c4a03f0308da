"""What is raised where a directory cannot be used as a store."""

from __future__ import annotations


class StoreError(RuntimeError):
    """A directory cannot be used as a store; the message says why and what to do."""
