"""Values of some of the parameters of a pub."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from operator import attrgetter

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
