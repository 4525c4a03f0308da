"""Seeds for packages that draw from generators of the whole process; set back afterwards."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
from qiskit_algorithms.utils import algorithm_globals


@contextmanager
def qiskit_seed(seed: int) -> Iterator[None]:
    """Within the context qiskit-algorithms draws from this seed.

    Args:
        seed: An integer >= 0.
    """
    before = algorithm_globals.random_seed
    algorithm_globals.random_seed = seed
    try:
        yield
    finally:
        algorithm_globals.random_seed = before


@contextmanager
def numpy_seed(seed: int) -> Iterator[None]:
    """Within the context numpy's legacy global generator, which pycma uses, has this seed.

    Args:
        seed: An integer >= 0; its last 32 bits are taken.
    """
    before = np.random.get_state()  # noqa: NPY002
    np.random.seed(seed % 2**32)  # noqa: NPY002
    try:
        yield
    finally:
        np.random.set_state(before)  # noqa: NPY002
