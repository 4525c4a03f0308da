"""A loss with arguments after the point, as scipy's ``args``."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any


class BoundLoss:
    """A callable of the point, out of one that takes further arguments after it.

    A parameter named ``shots`` stays visible.

    Args:
        fun: Takes the point, the arguments, and possibly keywords.
        args: What follows the point.

    Attributes:
        fun: The same.
        args: The same.

    Example:
        >>> loss = BoundLoss(lambda x, centre, shots=1: (x - centre) * shots, (2.0,))
        >>> loss(3.0), loss(3.0, shots=5), str(inspect.signature(loss))
        (1.0, 5.0, '(x, shots=1)')
    """

    def __init__(self, fun: Callable[..., Any], args: tuple[Any, ...]) -> None:
        self.fun = fun
        self.args = args
        try:
            signature = inspect.signature(fun)
        except (TypeError, ValueError):  # builtins have none
            return
        names = list(signature.parameters.values())
        self.__signature__ = signature.replace(parameters=names[:1] + names[1 + len(args) :])

    def __call__(self, x: Any, **more: Any) -> Any:
        """The loss at a point."""
        return self.fun(x, *self.args, **more)
