"""Families of growing size and fixed depth, for how cost grows with the number of qubits."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from functools import partial

from qiskit_arcmaes.problems import families, qaoa
from qiskit_arcmaes.problems.maxcut import regular_graph
from qiskit_arcmaes.problems.model import Model

SIZES = (4, 6, 8, 10, 12)
"""Numbers of qubits."""

_ISING_LAYERS, _HEISENBERG_LAYERS, _QAOA_LAYERS = 2, 1, 2
_GRAPH_SEED = 41
_NAME = re.compile(r"(?P<family>ising|heisenberg|qaoa)_n(?P<size>\d+)")


def family_and_size(name: str) -> tuple[str, int] | None:
    """The family of a problem and its number of qubits; None for other problems.

    Example:
        >>> family_and_size("ising_n12"), family_and_size("ising6")
        (('ising', 12), None)
    """
    match = _NAME.fullmatch(name)
    return None if match is None else (match["family"], int(match["size"]))


def _named(name: str, build: Callable[[], Model]) -> Model:
    return replace(build(), name=name)


def _graph(nodes: int) -> Model:
    graph = qaoa.Graph(nodes, tuple(regular_graph(nodes, _GRAPH_SEED)))
    return qaoa.qaoa_model(f"qaoa_n{nodes}", graph, _QAOA_LAYERS, "ramp")


SCALING: dict[str, Callable[[], Model]] = {
    **{
        f"ising_n{size}": partial(
            _named, f"ising_n{size}", partial(families.ising, size, _ISING_LAYERS)
        )
        for size in SIZES
    },
    **{
        f"heisenberg_n{size}": partial(
            _named, f"heisenberg_n{size}", partial(families.heisenberg, size, _HEISENBERG_LAYERS)
        )
        for size in SIZES
    },
    **{f"qaoa_n{size}": partial(_graph, size) for size in SIZES},
}
"""How each problem is built: chains with circuits of their own terms from random starts, QAOA on
random 3-regular graphs from a ramp."""

SCALING_PROBLEMS = tuple(SCALING)
"""Their names."""
