"""Names of methods in tables: what stands after ``%`` says how a method is run.

``spsa@100%weighted`` runs on an estimator that deals its shots among the measurement groups by
their scatter, ``frugal%jobs=30`` may take thirty jobs.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_SUFFIX = re.compile(r"%(?P<word>weighted|jobs)(?:=(?P<number>\d+))?")


@dataclass(frozen=True)
class Conditions:
    """How a method is run.

    Attributes:
        weighted: Whether the estimator deals shots among measurement groups by their scatter.
        jobs: Most jobs; None for any number.
    """

    weighted: bool = False
    jobs: int | None = None


def split_conditions(name: str) -> tuple[str, Conditions]:
    """Split a name into the method and the conditions it runs under.

    Raises:
        ValueError: A condition is unknown, or lacks its number.

    Example:
        >>> split_conditions("spsa@100%weighted%jobs=30")
        ('spsa@100', Conditions(weighted=True, jobs=30))
    """
    plain, percent, _ = name.partition("%")
    words: dict[str, str | None] = {}
    rest = name[len(plain) :]
    while percent and rest:
        match = _SUFFIX.match(rest)
        if match is None or (match["word"] == "jobs") != (match["number"] is not None):
            raise ValueError(f"{name!r} must end in %weighted or %jobs=N, or in both.")
        words[match["word"]] = match["number"]
        rest = rest[match.end() :]
    jobs = words.get("jobs")
    return plain, Conditions("weighted" in words, None if jobs is None else int(jobs))


def base_name(method: str) -> str:
    """The method without its population size and its shots.

    Example:
        >>> base_name("cma:20@100"), base_name("lra@B/1e7")
        ('cma', 'lra')
    """
    return re.split("[@:%]", method, maxsplit=1)[0]
