"""Checks of the arguments of shot-controlled primitives."""

from __future__ import annotations

from typing import Any

from qiskit_arcmaes.primitives.control import ShotControl


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
