"""What the circuit behind a loss tells of it, before the first shot."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from qiskit.circuit import QuantumCircuit
from qiskit.primitives.containers.estimator_pub import EstimatorPub

from qiskit_arcmaes.circuits import NotKnown, ReadingLimits, read
from qiskit_arcmaes.primitives.evolutions import evolves_by_products
from qiskit_arcmaes.primitives.linear_map import UnknownLossError, find_linear_map
from qiskit_arcmaes.primitives.plain_losses import is_estimated_energy, sampled_operator
from qiskit_arcmaes.primitives.templates import Bound, put_together, take_apart
from qiskit_arcmaes.rotations import AnalysisLimits, RotationForm, Spectrum, analyse, mean_loss

Array = NDArray[np.float64]
DryRun = Callable[[Array], Sequence[Any]]
"""Takes points of shape (n, d) and returns the pubs that the loss would run at them."""

_log = logging.getLogger("qiskit_arcmaes")


@dataclass(frozen=True)
class LossLimits:
    """How large a circuit may be; each bound keeps its part of the reading near one second.

    Attributes:
        reading: Bounds of the circuit: light cones of 3,000 rotations on 100 qubits take 1 s.
        analysis: Bounds of the enumerations, a tenth of those that take 10 s.
        parameters: Most parameters of a loss that submits bound circuits: each takes one more.
        bound_gates: Most gates in all of these bound circuits together: 80,000 take about 1 s.
    """

    reading: ReadingLimits = field(default_factory=lambda: ReadingLimits(rotations=3_000))
    analysis: AnalysisLimits = field(
        default_factory=lambda: AnalysisLimits(cone_work=4e10, columns=2e5)
    )
    parameters: int = 200
    bound_gates: int = 80_000

    def most_parameters(self, gates: int) -> int:
        """The most parameters, where a bound circuit has this number of gates."""
        return min(self.parameters, self.bound_gates // max(gates, 1))


@dataclass(frozen=True)
class LossCircuit:
    """What is known of a loss.

    Attributes:
        spectra: The frequencies of the loss in each coordinate, or None where they are unknown.
        mean_loss: The mean of the loss over random points; None where it is unknown.
    """

    spectra: tuple[Spectrum, ...] | None = None
    mean_loss: float | None = None


def read_loss(
    fun: Callable[[Any], Any],
    dry_run: DryRun,
    x0: Array,
    *,
    exact_evolutions: bool = False,
    limits: LossLimits | None = None,
) -> LossCircuit:
    """Read the circuit of a loss that is a plain expectation value, without a shot.

    These are the losses of VQE and AdaptVQE, and those of SamplingVQE and QAOA where the mean of
    all bitstrings is taken. Of any other loss nothing is said: it may transform the values.
    Whatever fails leaves the loss unknown, and is logged at the level DEBUG.

    Args:
        fun: The loss.
        dry_run: What ``fun`` would run, without running it.
        x0: Where to look, shape (d,).
        exact_evolutions: Whether the primitive may take a PauliEvolutionGate for the exact
            exponential instead of its product formula, as Qiskit's simulators of state vectors do.
            Then circuits where the two differ are left unknown.
        limits: How large the circuit may be.

    Example:
        >>> from qiskit.circuit.library import real_amplitudes
        >>> from qiskit.quantum_info import SparsePauliOp
        >>> from qiskit_algorithms import VQE
        >>> ansatz, operator = real_amplitudes(1, reps=0), SparsePauliOp(["Z", "I"], [1.0, 0.5])
        >>> energy = VQE(None, ansatz, None)._get_evaluate_energy(ansatz, operator)
        >>> def dry_run(points):
        ...     return [EstimatorPub.coerce((ansatz, operator, points))]
        >>> known = read_loss(energy, dry_run, np.zeros(1))
        >>> known.spectra[0].values, known.mean_loss
        ((1.0,), 0.5)
    """
    bounds = limits or LossLimits()
    try:
        form = _read_form(fun, dry_run, x0, exact_evolutions, bounds)
        if form is not None:
            mean = mean_loss(form).value if is_estimated_energy(fun) else None
            return LossCircuit(analyse(form, bounds.analysis).spectra, mean)
    except UnknownLossError as obstacle:
        _log.debug("the circuit of the loss is not read: %s", obstacle)
    except Exception:  # a run must not end because a circuit is too strange to be read
        _log.debug("reading the circuit of the loss failed", exc_info=True)
    return LossCircuit()


def _read_form(
    fun: Callable[[Any], Any], dry_run: DryRun, x0: Array, exact: bool, limits: LossLimits
) -> RotationForm | None:
    """The rotation form of a loss in the coordinates of x; None where it is no expectation."""
    if is_estimated_energy(fun):
        return _estimated_form(dry_run, x0, exact, limits)
    operator = sampled_operator(fun)
    return None if operator is None else _sampled_form(operator, dry_run, x0, exact, limits)


def _estimated_form(dry_run: DryRun, x0: Array, exact: bool, limits: LossLimits) -> RotationForm:
    pub = _only_pub(dry_run(x0[None]))
    _check_evolutions(pub.circuit, exact)
    parameters = list(pub.circuit.parameters)

    def values(points: Array) -> Array:
        again = _only_pub(dry_run(points))
        return np.reshape(again.parameter_values.as_array(parameters), (len(points), -1))

    (observable,) = pub.observables.ravel().tolist()
    form = _known(read(pub.circuit, observable, limits=limits.reading))
    found = find_linear_map(values, x0, limits.parameters)
    return form.composed(found.matrix, found.offset)


def _sampled_form(
    operator: Any, dry_run: DryRun, x0: Array, exact: bool, limits: LossLimits
) -> RotationForm:
    pubs = dry_run(x0[None])
    _check_evolutions(pubs[0].circuit, exact)
    first = _taken_apart(pubs)[0]

    def angles(points: Array) -> Array:
        bound = _taken_apart(dry_run(points))
        if len(bound) != len(points) or any(one.structure != first.structure for one in bound):
            raise UnknownLossError("bound circuits that differ in more than their angles")
        return np.array([one.angles for one in bound])

    found = find_linear_map(angles, x0, limits.most_parameters(len(first.structure.steps)))
    varies = np.diff(found.matrix.indptr) > 0
    template = put_together(first)
    constants = {
        angle: value
        for angle, value, free in zip(template.parameters, first.angles, varies, strict=True)
        if not free
    }
    template.assign_parameters(constants, inplace=True)
    form = _known(read(template, operator, limits=limits.reading))
    return form.composed(found.matrix[varies], found.offset[varies])


def _only_pub(pubs: Sequence[Any]) -> EstimatorPub:
    if len(pubs) != 1 or not isinstance(pubs[0], EstimatorPub) or pubs[0].observables.size != 1:
        raise UnknownLossError("a loss of more than one expectation value per point")
    return pubs[0]


def _taken_apart(pubs: Sequence[Any]) -> list[Bound]:
    circuits = [one for pub in pubs for one in pub.parameter_values.bind_all(pub.circuit).ravel()]
    bound = [take_apart(circuit) for circuit in circuits]
    known = [one for one in bound if one is not None]
    if len(known) != len(bound):
        raise UnknownLossError("a circuit of more than standard gates")
    return known


def _known(form: RotationForm | NotKnown) -> RotationForm:
    if isinstance(form, NotKnown):
        raise UnknownLossError(str(form))
    return form


def _check_evolutions(circuit: QuantumCircuit, exact: bool) -> None:
    if exact and not evolves_by_products(circuit):
        raise UnknownLossError("an evolution whose product formula is not exact")
