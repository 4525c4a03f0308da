"""What the circuit behind a loss tells of it, before the first shot."""

from __future__ import annotations

import itertools
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from qiskit.primitives.containers.estimator_pub import EstimatorPub
from qiskit.primitives.containers.sampler_pub import SamplerPub
from qiskit.quantum_info import SparsePauliOp

from qiskit_arcmaes.circuits import NotKnown, ReadingLimits, read
from qiskit_arcmaes.oracles import MeasuredCircuit, MeasurementPlan
from qiskit_arcmaes.primitives.evolutions import evolves_by_products
from qiskit_arcmaes.primitives.group_readout import GroupReadout, group_terms, measured_circuit
from qiskit_arcmaes.primitives.group_task import GroupTask
from qiskit_arcmaes.primitives.linear_map import UnknownLossError
from qiskit_arcmaes.primitives.measuring import read_measurements
from qiskit_arcmaes.primitives.plain_losses import sampled_operator
from qiskit_arcmaes.primitives.preparation import DryRun, Preparation, find_preparation
from qiskit_arcmaes.rotations import AnalysisLimits, RotationForm, Spectrum, analyse, mean_loss

Array = NDArray[np.float64]

_log = logging.getLogger("qiskit_arcmaes")
_MOST_MEASURED = 8  # qubits: 256 products of Z


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
        """The most parameters, where a bound circuit has this number of gates, if it is bound."""
        return min(self.parameters, self.bound_gates // gates) if gates else self.parameters


@dataclass(frozen=True, eq=False)
class MeasurableLoss:
    """An expectation value whose groups can be measured one by one.

    Attributes:
        preparation: How its states are prepared.
        observable: Label and coefficient of each term.
        readout: The terms in groups.
        circuit: Cones and groups of the terms, for the optimizer.
    """

    preparation: Preparation
    observable: Mapping[str, float]
    readout: GroupReadout
    circuit: MeasuredCircuit

    def task(self, plan: MeasurementPlan) -> GroupTask:
        """The plan with what it measures."""
        bound = self.preparation.bind(plan.points)
        return GroupTask(self.preparation.circuit, bound, self.readout, plan)


@dataclass(frozen=True)
class LossCircuit:
    """What is known of a loss.

    Attributes:
        spectra: The frequencies of the loss in each coordinate, or None where they are unknown.
        mean_loss: The mean of the loss over random points; None where it is unknown.
        measurable: How to measure it group by group; None where it does not run on an estimator.
    """

    spectra: tuple[Spectrum, ...] | None = None
    mean_loss: float | None = None
    measurable: MeasurableLoss | None = None


def read_loss(
    fun: Callable[[Any], Any],
    dry_run: DryRun,
    x0: Array,
    *,
    is_mean: Callable[[SamplerPub], bool] | None = None,
    exact_evolutions: bool = False,
    equal_shots: bool = False,
    limits: LossLimits | None = None,
) -> LossCircuit:
    """Read the circuit of a loss that is a plain expectation value, without a shot.

    On an estimator this is taken of every loss that asks for one expectation value per point. What
    it returns is not looked at here: that it is the estimator's value, unchanged, remains to be
    proved by evaluating it. On a sampler the losses of SamplingVQE and QAOA are read, where the
    mean of all bitstrings is taken, and those that ``is_mean`` knows as a mean over the shots of
    one circuit of at most eight measured qubits: that is the expectation value of some diagonal
    operator, so that its frequencies are among those of all of them. Whatever fails leaves the
    loss unknown, and is logged at the level DEBUG.

    Args:
        fun: The loss.
        dry_run: What ``fun`` would run, without running it.
        x0: Where to look, shape (d,).
        is_mean: Whether a loss of the counts of a pub is their mean; None for losses that are not
            to be asked.
        exact_evolutions: Whether the primitive may take a PauliEvolutionGate for the exact
            exponential instead of its product formula, as Qiskit's simulators of state vectors do.
            Then circuits where the two differ are left unknown.
        equal_shots: Whether all measurements of a job have the same shots.
        limits: How large the circuit may be.

    Example:
        >>> from qiskit.circuit.library import real_amplitudes
        >>> from qiskit.quantum_info import SparsePauliOp
        >>> ansatz, operator = real_amplitudes(1, reps=0), SparsePauliOp(["Z", "I"], [1.0, 0.5])
        >>> def dry_run(points):
        ...     return [EstimatorPub.coerce((ansatz, operator, points))]
        >>> known = read_loss(lambda points: None, dry_run, np.zeros(1))
        >>> known.spectra[0].values, known.mean_loss, known.measurable.circuit.num_groups
        ((1.0,), 0.5, 1)
    """
    bounds = limits or LossLimits()
    try:
        if isinstance(dry_run(x0[None])[0], EstimatorPub):
            return _read_estimated(dry_run, x0, exact_evolutions, equal_shots, bounds)
        operator = sampled_operator(fun)
        if operator is None and is_mean is not None:
            operator = _any_diagonal(dry_run(x0[None]), is_mean)
        if operator is not None:
            prepared = _prepared(dry_run, x0, exact_evolutions, bounds)
            form = _read_form(prepared, operator, bounds)
            return LossCircuit(analyse(form, bounds.analysis).spectra)
    except UnknownLossError as obstacle:
        _log.debug("the circuit of the loss is not read: %s", obstacle)
    except Exception:  # a run must not end because a circuit is too strange to be read
        _log.debug("reading the circuit of the loss failed", exc_info=True)
    return LossCircuit()


def _read_estimated(
    dry_run: DryRun, x0: Array, exact: bool, equal_shots: bool, limits: LossLimits
) -> LossCircuit:
    pubs = dry_run(x0[None])
    observables = [one for pub in pubs for one in _observables(pub)]
    if len(observables) != 1:
        raise UnknownLossError(f"a loss of {len(observables)} expectation values per point")
    prepared = _prepared(dry_run, x0, exact, limits)
    form = _read_form(prepared, observables[0], limits)
    analysis = analyse(form, limits.analysis)
    terms = group_terms(observables[0])
    circuit = measured_circuit(analysis, terms, equal_shots)
    measurable = MeasurableLoss(prepared, observables[0], GroupReadout(terms), circuit)
    return LossCircuit(analysis.spectra, mean_loss(form).value, measurable)


def _any_diagonal(
    pubs: Sequence[Any], is_mean: Callable[[SamplerPub], bool]
) -> SparsePauliOp | None:
    """All products of Z on the measured qubits of a loss of counts that is a mean over shots."""
    readout = read_measurements(pubs[0].circuit) if len(pubs) == 1 else None
    if readout is None or not 0 < readout.basis.count("Z") <= _MOST_MEASURED:
        return None
    if not is_mean(pubs[0]):
        return None
    choices = ["IZ" if axis == "Z" else "I" for axis in reversed(readout.basis)]
    labels = ["".join(letters) for letters in itertools.product(*choices)]
    return SparsePauliOp(labels, np.sqrt(np.arange(2, len(labels) + 2)))  # no two alike


def _prepared(dry_run: DryRun, x0: Array, exact: bool, limits: LossLimits) -> Preparation:
    if exact and not evolves_by_products(dry_run(x0[None])[0].circuit):
        raise UnknownLossError("an evolution whose product formula is not exact")
    return find_preparation(dry_run, x0, limits.most_parameters)


def _read_form(prepared: Preparation, observable: Any, limits: LossLimits) -> RotationForm:
    """The rotation form in the coordinates of the point."""
    form = read(prepared.circuit, observable, prepared.parameters, limits.reading)
    if isinstance(form, NotKnown):
        raise UnknownLossError(str(form))
    return form.composed(prepared.values.matrix, prepared.values.offset)


def _observables(pub: EstimatorPub) -> list[Mapping[str, float]]:
    flat = pub.observables.ravel()
    return [flat[index] for index in range(flat.size)]
