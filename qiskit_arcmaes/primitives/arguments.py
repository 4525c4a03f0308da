"""Checks of the arguments of shot-controlled primitives."""

from __future__ import annotations

from typing import Any

import numpy as np

from qiskit_arcmaes.primitives.control import ShotControl


def make_rng(seed: Any) -> np.random.Generator:
    """One generator for the whole life of a primitive.

    Args:
        seed: Anything ``numpy.random.default_rng`` takes. An integer seeds the generator
            once, so that runs repeat and their noise does not.
    """
    try:
        return np.random.default_rng(seed)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"seed must be None, an integer >= 0 or a numpy Generator, not {seed!r}."
        ) from error


def check_limit(most: int | None) -> None:
    """Refuse a limit on points a job that is not None or an integer >= 1."""
    whole = isinstance(most, int | np.integer) and not isinstance(most, bool)
    if most is not None and not (whole and most >= 1):
        raise ValueError(
            f"max_points_per_job must be an integer >= 1, or None for no limit, not {most!r}."
        )


def check_primitive(primitive: Any, argument: str, wanted: type, other: type) -> None:
    """Refuse what is not a V2 primitive of the wanted kind."""
    if isinstance(primitive, ShotControl):
        raise TypeError(
            f"{argument} is a {type(primitive).__name__}, which is under shot control already; "
            "use it as it is."
        )
    if isinstance(primitive, wanted):
        return
    if isinstance(primitive, other):
        kind = "ShotSampler" if argument == "estimator" else "ShotEstimator"
        hint = f"wrap it in a {kind}"
    elif isinstance(primitive, type):
        hint = "pass an instance, not the class"
    else:
        hint = (
            f"V1 primitives are not supported, pass a {wanted.__name__}, or None for the built-in"
        )
    raise TypeError(f"{argument} must be a {wanted.__name__}, not {primitive!r}; {hint}.")
