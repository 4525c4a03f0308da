"""Strokes of the methods: their colours, and dashes where two methods share a colour."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from qiskit_arcmaes.bench.method_names import base_name
from qiskit_arcmaes.registry import METHODS
from qiskit_arcmaes.viz.colours import GREY, colour_of

_DASHES: tuple[tuple[float, ...], ...] = ((), (6, 3), (1.5, 2.5), (7, 2.5, 1.5, 2.5))
_MARKERS = "os^D"

_SETTINGS_OF = ("adam", "cobyla", "rosalin")  # what follows their hyphen is a setting


@dataclass(frozen=True)
class Stroke:
    """How a method is drawn.

    Attributes:
        colour: As ``#RRGGBB``.
        dashes: Lengths of dash, gap, dash, ... in points; empty for a solid line.
        width: In points.
        marker: Shape of its points, in matplotlib's words.
    """

    colour: str
    dashes: tuple[float, ...]
    width: float
    marker: str


def family_of(method: str) -> str:
    """The method without any of its settings.

    Example:
        >>> family_of("adam-250%weighted"), family_of("cobyla-tutorial"), family_of("ar-paper@100")
        ('adam', 'cobyla', 'ar-paper')
    """
    base = base_name(method)
    stem = base.partition("-")[0]
    return stem if stem in _SETTINGS_OF else base


def method_rank(method: str) -> tuple[int, str, float, str]:
    """Where a method stands: our own first, then the others; fewer shots first."""
    base = base_name(method)
    shots = re.search(r"@(\d+)", method)
    return [*METHODS, base].index(base), base, float(shots[1]) if shots else 0.0, method


def strokes_of(methods: Iterable[str]) -> dict[str, Stroke]:
    """Give every method a stroke of its own.

    Args:
        methods: Their names.

    Returns:
        Name to stroke, in the order of ``method_rank``; two methods look the same only where more
        than four share a colour.

    Example:
        >>> strokes = strokes_of(["spsa@100", "spsa@1000", "frugal"])
        >>> list(strokes), strokes["frugal"].colour, strokes["spsa@1000"].dashes
        (['frugal', 'spsa@100', 'spsa@1000'], '#0072B2', (6, 3))
    """
    used: dict[str, int] = {}
    found = {}
    for method in sorted(set(methods), key=method_rank):
        colour = colour_of(method) or GREY
        turn = used.get(colour, 0) % len(_DASHES)
        used[colour] = turn + 1
        width = 2.2 if method == "frugal" else 1.4
        found[method] = Stroke(colour, _DASHES[turn], width, _MARKERS[turn])
    return found
