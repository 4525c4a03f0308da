"""The contract of every method: ask for a batch, be told its estimate, recommend a point.

A method is a state and three functions of it. ``ask`` proposes a job, ``tell`` gets that very job
back with its estimate, ``recommendation`` is the point to return now. Nothing that was asked is
remembered in the state: what a method wants to know again when it is told travels in the batch's
``memo``. Between two jobs the state is all there is, so that a run can be saved there.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from qiskit_arcmaes.domain import Domain
from qiskit_arcmaes.oracles import Estimate, GroupEstimate, MeasuredCircuit, MeasurementPlan
from qiskit_arcmaes.rotations import Spectrum

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Setup:
    """What a method is told before the start.

    Attributes:
        start: The first point, shape (d,).
        sigma0: The first step size or trust radius, > 0, in the units of x.
        trust_radius: ``sigma0`` where the user gave it: the largest first step; else None.
        popsize: Population size lambda, >= 2.
        domain: Bounds and periods.
        budget: How many one-shot evaluations the whole run can pay.
        shots: The first M (for ``cma``, ``lra`` and ``psa`` the fixed one); None leaves it to the
            method.
        min_shots: The least M.
        overhead: What a new circuit costs, in shots.
        noise: Standard deviation tau of one shot, where the user knows it.
        reports_variances: Whether every estimate comes with variances.
        angles: Whether the loss is a trigonometric polynomial of every coordinate: the parameters
            of a circuit are rotation angles.
        spectra: The angular frequencies that the loss can have in each coordinate; None where they
            are not known.
        mean_loss: The mean of the loss over random points; None where it is not known.
        circuit: Cones and groups of the terms, where jobs may be planned by group.
        circuit_frequencies: The largest frequency of each coordinate in what the circuit behind the
            loss measures, shape (d,), where only that is known: a scale for shifts, not a bound.
        evaluation_shots: What one evaluation of one shot takes from the budget of the run, >= 1:
            its number of measurement groups. ``budget`` counts evaluations.
        max_jobs: Most jobs of the method, the last estimate not included; None for any number.
        restarts: Most random restarts; None leaves it to the method.
        scatter: Variance of one shot of each coordinate's terms in each measurement group, shape
            (d, groups), as an earlier run found it; NaN where it is not known.
    """

    start: Array
    sigma0: float
    popsize: int
    domain: Domain
    budget: float
    shots: int | None = None
    min_shots: int = 1
    overhead: float = 0.0
    noise: float | None = None
    reports_variances: bool = False
    angles: bool = False
    spectra: tuple[Spectrum, ...] | None = None
    mean_loss: float | None = None
    circuit: MeasuredCircuit | None = None
    circuit_frequencies: Array | None = None
    evaluation_shots: int = 1
    max_jobs: int | None = None
    restarts: int | None = None
    trust_radius: float | None = None
    scatter: Array | None = None

    @property
    def dim(self) -> int:
        """Number of coordinates d."""
        return len(self.start)

    @property
    def least_job(self) -> float:
        """One-shot evaluations per job with which ``max_jobs`` use up the budget; else 0."""
        return 0.0 if self.max_jobs is None else self.budget / self.max_jobs

    @property
    def least_shots(self) -> int:
        """The fewest shots of any job: ``min_shots``, or the first M where it is given."""
        return max(self.min_shots, self.shots or 1)


@dataclass(frozen=True)
class Batch:
    """One job: points to evaluate, all with the same number of shots, or a plan by group.

    Attributes:
        points: Shape (n, d), inside the bounds, periodic coordinates wrapped.
        shots: Shots per point M, an integer >= 1; with a plan their mean per point and group.
        phase: What the method does with this job, in words; ``result.algorithm`` lists them.
        memo: What the method wants back with the estimate; nobody else looks at it.
        plan: Shots per point and measurement group, for an oracle with a ``circuit``. The method is
            then told a ``GroupEstimate``.
    """

    points: Array
    shots: int
    phase: str
    memo: Any = None
    plan: MeasurementPlan | None = None


@dataclass(frozen=True)
class Progress:
    """How far a method is, for the history, the display and the limits of a run.

    Attributes:
        iteration: Updates of the recommendation so far (generations, designs, steps).
        radius: The largest standard deviation or step of the next job, in the units of x.
        next_shots: The real-valued M of the next job.
        value: The loss at the recommendation as the method estimates it; NaN where it does not.
        std: Its standard error.
        diagnostics: What the next job was decided from, one number for each of the method's
            ``columns``; NaN where it is not known yet.
    """

    iteration: int
    radius: float
    next_shots: float
    value: float = np.nan
    std: float = np.nan
    diagnostics: Mapping[str, float] = field(default_factory=dict)


@dataclass(kw_only=True)
class State:
    """What a method remembers between two jobs: plain data, so that it can be saved and compared.

    Fields are numbers, strings, arrays, enums, dataclasses of these, lists, tuples and dicts of
    them, or None; type annotations say which, and a checkpoint is rebuilt from them.

    Attributes:
        rng: The only source of randomness.
    """

    rng: np.random.Generator


class Method(ABC):
    """A way to turn noisy estimates into the next points and shots.

    Args:
        setup: The problem as the method sees it.
        rng: The generator to draw from; it becomes part of the state.

    Attributes:
        columns: The label of each diagnostic in ``report``, by its name.
        state: Everything that the method remembers.
    """

    columns: ClassVar[Mapping[str, str]] = {}
    state: State

    def __init__(self, setup: Setup, rng: np.random.Generator) -> None:
        self.setup = setup

    @abstractmethod
    def ask(self) -> Batch:
        """Propose the next job. Only the generator of the state may change."""

    @abstractmethod
    def tell(self, batch: Batch, estimate: Estimate) -> None:
        """Learn from the estimate of a batch; values that are NaN or infinite rank last."""

    def tell_groups(self, batch: Batch, estimate: GroupEstimate) -> None:
        """Learn from the estimate of a batch that has a plan."""
        raise NotImplementedError(f"{type(self).__name__} plans nothing by group.")

    def forget_plans(self) -> None:
        """Start again without plans: the loss is not the plain expectation value it looked like.

        A method that plans also drops what its plans told.
        """
        self.setup = replace(self.setup, circuit=None, mean_loss=None)

    def final_value(self) -> tuple[float, float] | None:
        """Value and variance of measurements at the very recommendation that did not choose it.

        The run pools them with its last estimate, so they must be independent of it and unbiased:
        values by which the recommendation was selected are not. None where there are none.
        """
        return None

    @property
    def scatter(self) -> Array | None:
        """What ``Setup.scatter`` is for a later run; None where nothing is planned by group."""
        return None

    @property
    @abstractmethod
    def recommendation(self) -> Array:
        """The point to return now, shape (d,): the mean or better, never the luckiest sample."""

    @abstractmethod
    def report(self) -> Progress:
        """How far the method is."""

    @abstractmethod
    def first_jobs(self) -> list[tuple[int, int]]:
        """(points, shots) of every job up to the end of the first iteration, at the most."""

    @property
    def finished(self) -> bool:
        """Whether the method has planned its last job; most leave that to the budget."""
        return False

    def restore(self, state: Any) -> None:
        """Go on from a saved state; what follows from it is computed anew."""
        self.state = state


def receive(batch: Batch, estimate: Estimate) -> tuple[Array, Array | None]:
    """Check the shapes of an estimate; return values, failed ones as NaN, and variances.

    Example:
        >>> batch = Batch(np.zeros((2, 1)), 10, "example")
        >>> receive(batch, Estimate(np.array([1.0, np.inf])))
        (array([ 1., nan]), None)
    """
    values = np.array(estimate.values, dtype=float)
    expected = (len(batch.points),)
    if values.shape != expected:
        raise ValueError(
            f"values must have shape {expected}, one for each point asked, not {values.shape}."
        )
    variances = None
    if estimate.variances is not None:
        variances = np.asarray(estimate.variances, dtype=float)
        if variances.shape != expected:
            raise ValueError(f"variances must have shape {expected}, not {variances.shape}.")
    values[~np.isfinite(values)] = np.nan
    return values, variances
