"""Which losses are plain expectation values: the energies of Qiskit's eigensolvers.

qiskit-optimization has eigensolvers of its own, with the same names and the same losses; they are
known where that package is loaded, and it is not loaded to find out.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from qiskit_algorithms import VQE, SamplingVQE


def is_estimated_energy(fun: Callable[[Any], Any]) -> bool:
    """Whether a loss is the energy of VQE or AdaptVQE: what the estimator delivers, unchanged.

    The code of the function decides. Its name would not do: ``functools.wraps`` copies names.

    Example:
        >>> from qiskit.circuit.library import real_amplitudes
        >>> from qiskit.quantum_info import SparsePauliOp
        >>> ansatz = real_amplitudes(2)
        >>> vqe = VQE(None, ansatz, None)
        >>> is_estimated_energy(vqe._get_evaluate_energy(ansatz, SparsePauliOp("ZZ")))
        True
        >>> is_estimated_energy(lambda x: 2.0)
        False
    """
    return any(is_made_by(kind._get_evaluate_energy, fun) for kind in _classes(VQE))


def sampled_operator(fun: Callable[[Any], Any]) -> Any:
    """The diagonal operator whose mean over the bitstrings is the loss of SamplingVQE or QAOA.

    Args:
        fun: Any loss.

    Returns:
        The operator, or None where the loss is not of these algorithms, or aggregates the
        bitstrings by anything else than their mean (CVaR, a function of the user).

    Example:
        >>> from qiskit.circuit.library import real_amplitudes
        >>> from qiskit.quantum_info import SparsePauliOp
        >>> ansatz = real_amplitudes(2)
        >>> for share in (None, 0.2):
        ...     solver = SamplingVQE(None, ansatz, None, aggregation=share)
        ...     fun = solver._get_evaluate_energy(SparsePauliOp("ZZ"), ansatz)
        ...     print(sampled_operator(fun) is not None)
        True
        False
    """
    free = _sampling_variables(fun)
    return None if free is None or not _is_mean(free["estimator"]) else free["operator"]


def aggregation_of(fun: Callable[[Any], Any]) -> Any:
    """How SamplingVQE or QAOA sum up the bitstrings of a circuit, where it is not by their mean.

    Args:
        fun: Any loss.

    Returns:
        The function; None for the mean and for losses of other algorithms.

    Example:
        >>> aggregation_of(lambda x: 0.0) is None
        True
    """
    free = _sampling_variables(fun)
    return None if free is None or _is_mean(free["estimator"]) else free["estimator"].aggregation


def _sampling_variables(fun: Any) -> dict[str, Any] | None:
    """What the loss of SamplingVQE or QAOA has from around it; None for other losses."""
    if not any(is_made_by(kind._get_evaluate_energy, fun) for kind in _classes(SamplingVQE)):
        return None
    pairs = zip(fun.__code__.co_freevars, fun.__closure__ or (), strict=True)
    return {name: cell.cell_contents for name, cell in pairs}


def _is_mean(estimator: Any) -> bool:
    mean = type(estimator)(sampler=estimator.sampler).aggregation  # what it does by default
    return getattr(estimator.aggregation, "__code__", None) is mean.__code__


def _classes(kind: type) -> list[Any]:
    """A class of qiskit-algorithms, and that of the same name in qiskit-optimization."""
    other = sys.modules.get("qiskit_optimization.minimum_eigensolvers")
    return [kind] if other is None else [kind, getattr(other, kind.__name__)]


def is_made_by(maker: Callable[..., Any], fun: Any) -> bool:
    """Whether a function is one of those that are defined inside another one.

    Args:
        maker: The function around it.
        fun: The function.

    Example:
        >>> def maker():
        ...     def made(): ...
        ...     return made
        >>> is_made_by(maker, maker()), is_made_by(maker, print)
        (True, False)
    """
    code = getattr(fun, "__code__", None)
    return code is not None and any(code is constant for constant in maker.__code__.co_consts)
