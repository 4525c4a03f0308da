"""Frequencies of a circuit's outcomes, for losses that are no plain expectation value."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray
from qiskit.circuit import QuantumCircuit
from qiskit.primitives.containers.estimator_pub import EstimatorPub
from qiskit.primitives.containers.sampler_pub import SamplerPub

from qiskit_arcmaes.circuits import NotKnown, read
from qiskit_arcmaes.primitives.loss_circuit import LossLimits
from qiskit_arcmaes.primitives.preparation import find_preparation
from qiskit_arcmaes.rotations import analyse

Array = NDArray[np.float64]

_log = logging.getLogger("qiskit_arcmaes")

_MOST_PAIRED = 32  # qubits whose pairs are looked at: 496 pairs
_LIMITS = LossLimits(parameters=64, bound_gates=40_000)


def read_frequencies(dry_run: Callable[[Array], Sequence[Any]], x0: Array) -> Array | None:
    """The largest frequency of each coordinate in what the first circuit of a loss measures.

    With an estimator these are the terms of its observables. With a sampler they are the outcomes
    of single qubits and of pairs of qubits: functions of more qubits can have larger frequencies,
    but those that are optimised mostly consist of these.

    Args:
        dry_run: The pubs that the loss would run at one point.
        x0: Where to look, shape (d,).

    Returns:
        Shape (d,); None where the circuit is not known, or finding out would take long.

    Example:
        >>> from qiskit.circuit import Parameter
        >>> circuit, angle = QuantumCircuit(2), Parameter("t")
        >>> _ = circuit.rx(2 * angle, [0, 1])
        >>> circuit.measure_all()
        >>> read_frequencies(lambda x: [SamplerPub.coerce((circuit, x))], np.zeros(1))
        array([4.])
    """
    try:
        first = dry_run(x0)[0]
        prepared = find_preparation(
            lambda points: [_first_point(dry_run(point)[0]) for point in points],
            x0,
            _LIMITS.most_parameters,
        )
        circuit = prepared.circuit
        form = read(circuit, _measured(first, circuit), prepared.parameters, _LIMITS.reading)
        if isinstance(form, NotKnown):
            return None
        composed = form.composed(prepared.values.matrix, prepared.values.offset)
        spectra = analyse(composed, _LIMITS.analysis).spectra
        return np.array([spectrum.maximum for spectrum in spectra])
    except Exception:  # a hint is not worth a failure
        _log.debug("the frequencies of the circuit are not read", exc_info=True)
        return None


def _first_point(pub: Any) -> Any:
    """The pub at the first of its points."""
    values = pub.parameter_values.ravel()[:1]
    if isinstance(pub, EstimatorPub):
        return EstimatorPub(pub.circuit, pub.observables.ravel()[:1], values)
    return SamplerPub(pub.circuit, values, pub.shots)


def _measured(pub: Any, circuit: QuantumCircuit) -> dict[str, float]:
    """What a pub looks at, as one observable."""
    if isinstance(pub, EstimatorPub):
        flat = pub.observables.ravel()
        return {label: 1.0 for index in range(flat.size) for label in flat[index]}
    places = {qubit: place for place, qubit in enumerate(circuit.qubits)}
    steps = [step for step in circuit.data if step.name == "measure"]
    measured = sorted({places[step.qubits[0]] for step in steps})
    sets: list[tuple[int, ...]] = [(qubit,) for qubit in measured]
    if len(measured) <= _MOST_PAIRED:
        sets += combinations(measured, 2)
    return {_label(qubits, circuit.num_qubits): 1.0 for qubits in sets}


def _label(qubits: Sequence[int], num_qubits: int) -> str:
    letters = ["Z" if qubit in qubits else "I" for qubit in range(num_qubits)]
    return "".join(reversed(letters))
