"""Which losses are plain expectation values: the energies of Qiskit's eigensolvers."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

_PACKAGES = ("qiskit_algorithms", "qiskit_optimization.minimum_eigensolvers")
"""Where eigensolvers stand; the second has copies of those of the first."""


def is_estimated_energy(fun: Callable[[Any], Any]) -> bool:
    """Whether a loss is the energy of a VQE or of AdaptVQE: what the estimator delivers.

    The code of the function decides. Its name would not do: ``functools.wraps`` copies names.

    Example:
        >>> from qiskit.circuit.library import real_amplitudes
        >>> from qiskit.quantum_info import SparsePauliOp
        >>> from qiskit_algorithms import VQE
        >>> ansatz = real_amplitudes(2)
        >>> vqe = VQE(None, ansatz, None)
        >>> is_estimated_energy(vqe._get_evaluate_energy(ansatz, SparsePauliOp("ZZ")))
        True
        >>> is_estimated_energy(lambda x: 2.0)
        False
    """
    return _is_energy_of("VQE", fun)


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
        >>> from qiskit_algorithms import SamplingVQE
        >>> ansatz = real_amplitudes(2)
        >>> for share in (None, 0.2):
        ...     solver = SamplingVQE(None, ansatz, None, aggregation=share)
        ...     fun = solver._get_evaluate_energy(SparsePauliOp("ZZ"), ansatz)
        ...     print(sampled_operator(fun) is not None)
        True
        False
    """
    if not _is_energy_of("SamplingVQE", fun):
        return None
    free = dict(zip(fun.__code__.co_freevars, fun.__closure__ or (), strict=True))
    estimator = free["estimator"].cell_contents
    mean = type(estimator)(sampler=estimator.sampler).aggregation  # what it does by default
    if getattr(estimator.aggregation, "__code__", None) is not mean.__code__:
        return None
    return free["operator"].cell_contents


def _is_energy_of(name: str, fun: Any) -> bool:
    """Whether a function is defined inside ``_get_evaluate_energy`` of an eigensolver.

    Packages that are not loaded have made no function.
    """
    code = getattr(fun, "__code__", None)
    loaded = [sys.modules[package] for package in _PACKAGES if package in sys.modules]
    makers = [getattr(package, name)._get_evaluate_energy.__code__ for package in loaded]
    return code is not None and any(code is one for maker in makers for one in maker.co_consts)
