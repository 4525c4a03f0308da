"""Putting a run together: check the space and the budget, build the method, find the checkpoint."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from qiskit_arcmaes import validation
from qiskit_arcmaes.domain import Domain, check_start, make_domain
from qiskit_arcmaes.engine.checkpoint import CheckpointError
from qiskit_arcmaes.engine.final_plan import reserved
from qiskit_arcmaes.engine.ledger import Limits, RunLedger
from qiskit_arcmaes.engine.result import Result
from qiskit_arcmaes.engine.run import Run
from qiskit_arcmaes.engine.saver import Saver
from qiskit_arcmaes.engine.setup import make_setup
from qiskit_arcmaes.engine.targets import Targets
from qiskit_arcmaes.method import Method, Setup
from qiskit_arcmaes.oracles import MeasuredCircuit, Oracle
from qiskit_arcmaes.oracles.checks import check_oracle
from qiskit_arcmaes.registry import METHODS
from qiskit_arcmaes.settings import Settings

Array = NDArray[np.float64]


class BudgetTooSmallError(ValueError):
    """The budget does not pay one iteration and the last estimate of the recommendation."""


def prepare(oracle: Oracle, x0: ArrayLike | Result, settings: Settings) -> Run:
    """Put a run together without spending a shot.

    Args:
        oracle: What is minimised.
        x0: Start, shape (d,), inside the bounds; or the result of an earlier run.
        settings: Everything else.

    Raises:
        ValueError: An argument is out of range; the message names it.
        BudgetTooSmallError: The budget does not pay the first iteration.
        CheckpointError: The checkpoint cannot be used; the file was left untouched.
    """
    return _prepare(oracle, x0, settings, oracle.circuit)


def prepare_steps(oracle: Oracle, x0: ArrayLike | Result, settings: Settings) -> Run:
    """Put a run together that is stepped through: no job is planned by measurement group.

    Args:
        oracle: What is minimised.
        x0: Start, shape (d,), inside the bounds; or the result of an earlier run.
        settings: Everything else.
    """
    return _prepare(oracle, x0, settings, None)


def _prepare(
    oracle: Oracle, x0: ArrayLike | Result, settings: Settings, circuit: MeasuredCircuit | None
) -> Run:
    if isinstance(x0, Result) and settings.sigma0 is None:
        settings = replace(settings, sigma0=x0.radius)
    validation.one_of("method", settings.method, tuple(METHODS))
    if settings.restarts is not None and not METHODS[settings.method].restarts:
        raise ValueError(
            f"restarts = {settings.restarts} is only for methods that restart, such as 'frugal'; "
            f"{settings.method!r} has no restarts: leave it out."
        )
    check_oracle(oracle)
    start, domain = _check_space(x0, settings)
    reserve = reserved(oracle, settings.final_shots, settings.max_shots)
    setup = make_setup(oracle, start, domain, reserve, settings)
    setup = replace(setup, circuit=circuit, scatter=_known_scatter(x0, circuit))
    method = METHODS[settings.method].build(setup, validation.generator(settings.seed))
    _check_budget(method, oracle, reserve, settings)
    limits = Limits(settings.max_shots, settings.maxiter, settings.max_jobs, settings.max_seconds)
    run = Run(
        name=settings.method,
        method=method,
        oracle=oracle,
        limits=limits,
        reserve=reserve,
        targets=Targets(settings.target, settings.target_std),
        ledger=RunLedger(shot_variance=math.nan if settings.tau is None else settings.tau**2),
        saver=_make_saver(setup, reserve, settings),
        callback=settings.callback,
        raises=settings.on_interrupt == "raise",
    )
    if run.saver is not None and run.saver.path.exists():
        _load(run, run.saver.read(settings.resume))
    return run


def _known_scatter(x0: ArrayLike | Result, circuit: MeasuredCircuit | None) -> Array | None:
    """What an earlier run found, where its parameters and measurement groups are as many."""
    if not isinstance(x0, Result) or x0.scatter is None or circuit is None:
        return None
    return x0.scatter if x0.scatter.shape == (circuit.dim, circuit.num_groups) else None


def _check_space(x0: ArrayLike | Result, settings: Settings) -> tuple[Array, Domain]:
    point = check_point(x0)
    domain = make_domain(len(point), settings.bounds, settings.periodic)
    outside = (point < domain.lower) | (point > domain.upper)
    point = np.where(outside & domain.periodic, domain.wrap(point), point)
    return check_start(point, domain), domain


def check_point(x0: ArrayLike | Result) -> Array:
    """Take a start: one-dimensional, real, finite, not empty; of a result its point."""
    try:
        given = np.asarray(x0.x if isinstance(x0, Result) else x0)
        if given.dtype.kind not in "biuf" and given.dtype != object:
            raise TypeError(given.dtype)
        point = np.array(given, dtype=float)
    except (TypeError, ValueError, OverflowError) as error:
        shown = validation.short(x0)
        raise ValueError(f"x0 must be a sequence of real numbers, not {shown}.") from error
    if point.ndim != 1 or len(point) == 0:
        raise ValueError(f"x0 must be one-dimensional and not empty, not of shape {point.shape}.")
    if not np.isfinite(point).all():
        raise ValueError(f"x0 must be finite, not {point.tolist()}.")
    return point


def _check_budget(method: Method, oracle: Oracle, reserve: int, settings: Settings) -> None:
    first = sum(oracle.price(points).at(shots) for points, shots in method.first_jobs())
    if first + reserve > settings.max_shots:
        least = 0
        while (needed := first + reserved(oracle, settings.final_shots, least)) > least:
            least = needed  # the reserve may be a share of the budget
        raise BudgetTooSmallError(
            f"max_shots = {settings.max_shots} is too small for one iteration of "
            f"{settings.method!r}, which takes up to {first} shots, and {reserve} for the last "
            f"estimate of the recommendation; give at least {least}, or lower popsize, "
            "shots or final_shots."
        )


def _make_saver(setup: Setup, reserve: int, settings: Settings) -> Saver | None:
    if settings.checkpoint is None:
        return None
    same = {
        "method": settings.method,
        "x0": setup.start,
        "sigma0": setup.sigma0,
        "lower bounds": setup.domain.lower,
        "upper bounds": setup.domain.upper,
        "periods": setup.domain.periods,
        "popsize": setup.popsize,
        "max_shots": settings.max_shots,
        "max_jobs": settings.max_jobs,
        "final_shots": reserve,
        "shots": setup.shots,
        "min_shots": setup.min_shots,
        "overhead": setup.overhead,
        "restarts": setup.restarts,
        "tau": setup.noise,
        "seed": _integer_seed(settings.seed),
    }
    return Saver(Path(settings.checkpoint), settings.checkpoint_seconds, same)


def _integer_seed(seed: Any) -> int | None:
    """The seed where it is a number: only then a resumed run can be told another one."""
    return int(seed) if isinstance(seed, int | np.integer) else None


def _load(run: Run, data: dict[str, Any]) -> None:
    assert run.saver is not None
    try:
        run.load(data)
    except CheckpointError as error:
        raise CheckpointError(
            f"checkpoint {str(run.saver.path)!r} was left untouched: {error}"
        ) from error
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError) as error:
        raise CheckpointError(
            f"checkpoint {str(run.saver.path)!r} does not hold a run of this kind "
            f"({type(error).__name__}: {error}); it was left untouched: give another path."
        ) from error
