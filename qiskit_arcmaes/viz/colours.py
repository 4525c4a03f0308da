"""One colour per method, the same in every picture, told apart by the colour-blind.

Colours are those of Okabe and Ito, without the yellow that is lost on white, with a grey, an olive
and a brown.
"""

from __future__ import annotations

import re

BLUE, SKY, ORANGE, GREEN = "#0072B2", "#56B4E9", "#E69F00", "#009E73"
VERMILION, PURPLE, GREY, OLIVE = "#D55E00", "#CC79A7", "#7F7F7F", "#8A8A2B"
BROWN = "#8C564B"

_COLOURS = {
    "frugal": BLUE,
    "ar": SKY,
    "ar-paper": ORANGE,
    "ar-literal": ORANGE,
    "cma": GREY,
    "three-stage": GREEN,
    "uh": VERMILION,
    "lra": PURPLE,
    "psa": OLIVE,
    "pycma": GREY,
    "pycma-uh": VERMILION,
    "cmaes-lra": PURPLE,
    "spsa": VERMILION,
    "qnspsa": SKY,
    "cobyla": GREEN,
    "nft": ORANGE,
    "adam-pairs": PURPLE,
    "icans": OLIVE,
    "gcans": SKY,
    "santaqlaus": GREEN,
    "umda": GREY,
    "adam-60": PURPLE,
    "adam-250": PURPLE,
    "adam-1000": PURPLE,
    "adam-starts": PURPLE,
    "rosalin": BROWN,
    "rosalin-gcans": BROWN,
    "excitation-solve": ORANGE,
    "sequential": GREY,
    "cobyla-tutorial": GREEN,
    "bobyqa": BROWN,
    "tbpsa": OLIVE,
}
_WRITTEN = {
    "frugal": ("ShotFrugal",),
    "ar": ("AR-CMA-ES", "ARCMAES"),
    "ar-paper": ("the paper's AR-CMA-ES",),
    "cma": ("CMA-ES", "CMAES"),
    "three-stage": ("3-stage CMA-ES", "ThreeStageCMAES"),
    "uh": ("UH-CMA-ES", "UHCMAES"),
    "lra": ("LRA-CMA-ES", "LRACMAES"),
    "psa": ("PSA-CMA-ES", "PSACMAES"),
    "adam-pairs": ("Adam",),
    "cobyla": ("COBYLA",),
    "rosalin": ("Rosalin",),
    "spsa": ("SPSA",),
    "nft": ("NFT",),
    "icans": ("iCANS",),
    "gcans": ("gCANS",),
    "sequential": ("coordinate descent",),
    "excitation-solve": ("ExcitationSolve",),
    "santaqlaus": ("SantaQlaus",),
    "bobyqa": ("Py-BOBYQA",),
    "tbpsa": ("TBPSA",),
}
"""How people write a method, the first of them in legends; classes follow."""

_NAMES = {other.lower(): name for name, others in _WRITTEN.items() for other in others}


def written_name(method: str) -> str:
    """A method as people write it.

    Example:
        >>> written_name("frugal"), written_name("adam"), written_name("umda")
        ('ShotFrugal', 'Adam', 'umda')
    """
    return _WRITTEN.get(_NAMES.get(method, method), (method,))[0]


def colour_of(method: str) -> str | None:
    """The colour of a method.

    Args:
        method: Its name in ``minimize`` or in the benchmarks, or that of its class; what follows
            a comma, or one of ``@:%``, does not count.

    Returns:
        As ``#RRGGBB``; None for a name that is not known.

    Example:
        >>> colour_of("ShotFrugal") == colour_of("frugal"), colour_of("SPSA, 100 shots")
        (True, '#D55E00')
        >>> colour_of("run 3") is None
        True
    """
    name = re.split("[@:%,]", method, maxsplit=1)[0].strip().lower()
    return _COLOURS.get(_NAMES.get(name, name))
