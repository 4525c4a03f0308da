"""The forward pass that qiskit-machine-learning remembers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

_REMEMBERED = "_last_forward_weights"


def forget_forward_pass(fun: Callable[..., Any]) -> None:
    """Make an objective of qiskit-machine-learning run its network again at the same weights.

    It keeps the outputs of the last weights and returns them again for equal ones, noise
    included: under shot noise a point could not be evaluated twice. Other losses are left alone.

    Args:
        fun: Any loss: the objective itself, or the function around it that calls back.

    Example:
        >>> class Objective:
        ...     _last_forward_weights = [0.1]
        ...     def objective(self, weights): ...
        >>> objective = Objective()
        >>> forget_forward_pass(objective.objective)
        >>> print(objective._last_forward_weights)
        None
    """
    for owner in _owners(fun):
        if getattr(owner, _REMEMBERED, None) is not None:
            setattr(owner, _REMEMBERED, None)


def _owners(fun: Any) -> Iterator[Any]:
    """The object that a method belongs to, and what a function has from around it."""
    yield getattr(fun, "__self__", None)
    for cell in getattr(fun, "__closure__", None) or ():
        try:
            yield cell.cell_contents
        except ValueError:  # a variable that has no value yet
            continue
