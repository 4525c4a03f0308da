"""Values of some of the parameters of a pub."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from operator import attrgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray
from qiskit.circuit import Parameter
from qiskit.primitives.containers.bindings_array import BindingsArray

Array = NDArray[np.float64]


def columns(values: BindingsArray, parameters: Iterable[Parameter]) -> Array:
    """The values of some of the parameters of a bindings array, one row for each point.

    Example:
        >>> a, b = Parameter("a"), Parameter("b")
        >>> columns(BindingsArray({(a, b): [[1.0, 2.0], [3.0, 4.0]]}), [b])
        array([[2.],
               [4.]])
    """
    names = list(chain.from_iterable(values.data))
    chosen = list(map(names.index, map(attrgetter("name"), parameters)))
    table: Array = values.as_array().reshape(values.size, len(names))[:, chosen]
    return table


def at(values: BindingsArray, points: Any) -> BindingsArray:
    """Some of the points of a bindings array, also of one without parameters.

    Args:
        values: The parameter sets; they are flattened.
        points: Their numbers.

    Example:
        >>> at(BindingsArray(shape=(3,)), [0, 2]).shape
        (2,)
    """
    flat = values.ravel()
    return flat[points] if values.num_parameters else BindingsArray(shape=np.shape(points))
