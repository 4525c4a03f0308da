"""Putting a run together: check the space and the budget, build the method, find the checkpoint."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from qiskit_arcmaes import validation
from qiskit_arcmaes.domain import Domain, check_start, make_domain
from qiskit_arcmaes.engine.checkpoint import CheckpointError
from qiskit_arcmaes.engine.ledger import Limits
from qiskit_arcmaes.engine.run import Run
from qiskit_arcmaes.engine.saver import Saver
from qiskit_arcmaes.method import Method, Setup
from qiskit_arcmaes.oracles import Oracle
from qiskit_arcmaes.oracles.checks import check_oracle
from qiskit_arcmaes.registry import METHODS
from qiskit_arcmaes.settings import Settings

Array = NDArray[np.float64]

_FINAL_SHARE = 0.01  # of the budget, kept for the fresh estimate of the recommendation
_MOST_GENERATIONS = 1000  # at the first M, where jobs cost time whatever their shots


class BudgetTooSmallError(ValueError):
    """The budget does not pay one iteration and the last estimate of the recommendation."""


def prepare(oracle: Oracle, x0: ArrayLike, settings: Settings) -> Run:
    """Put a run together without spending a shot.

    Args:
        oracle: What is minimised.
        x0: Start, shape (d,), inside the bounds.
        settings: Everything else.

    Raises:
        ValueError: An argument is out of range; the message names it.
        BudgetTooSmallError: The budget does not pay the first iteration.
        CheckpointError: The checkpoint cannot be used; the file was left untouched.
    """
    validation.one_of("method", settings.method, tuple(METHODS))
    check_oracle(oracle)
    start, domain = _check_space(x0, settings)
    reserve = max(int(_FINAL_SHARE * settings.max_shots), oracle.price(2).at(1))
    setup = _make_setup(oracle, start, domain, reserve, settings)
    method = METHODS[settings.method].build(setup, validation.generator(settings.seed))
    _check_budget(method, oracle, reserve, settings)
    limits = Limits(settings.max_shots, settings.maxiter, settings.max_jobs, settings.max_seconds)
    run = Run(
        name=settings.method,
        method=method,
        oracle=oracle,
        limits=limits,
        reserve=reserve,
        saver=_make_saver(setup, settings),
        callback=settings.callback,
        raises=settings.on_interrupt == "raise",
    )
    if run.saver is not None and run.saver.path.exists():
        _load(run, run.saver.read(settings.resume))
    return run


def _check_space(x0: ArrayLike, settings: Settings) -> tuple[Array, Domain]:
    point = check_point(x0)
    domain = make_domain(len(point), settings.bounds, settings.periodic)
    outside = (point < domain.lower) | (point > domain.upper)
    point = np.where(outside & domain.periodic, domain.wrap(point), point)
    return check_start(point, domain), domain


def check_point(x0: ArrayLike) -> Array:
    """Take a start: one-dimensional, real, finite, not empty."""
    try:
        given = np.asarray(x0)
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


def _make_setup(
    oracle: Oracle, start: Array, domain: Domain, reserve: int, settings: Settings
) -> Setup:
    per_point = oracle.price(2).at(1) - oracle.price(1).at(1)
    if per_point <= 0:
        raise ValueError("a point of this loss costs no shots: there is nothing to estimate.")
    budget = (settings.max_shots - reserve) / per_point
    popsize = settings.popsize or METHODS[settings.method].popsize(len(start), budget, settings.tau)
    return Setup(
        start=start,
        sigma0=settings.sigma0 or _default_sigma0(domain),
        popsize=popsize,
        domain=domain,
        budget=budget,
        shots=settings.shots,
        min_shots=_min_shots(oracle, popsize, settings),
        overhead=settings.overhead,
        noise=settings.tau,
        reports_variances=oracle.reports_variances,
        angles=oracle.angles or bool(domain.periodic.all()),
        spectra=oracle.spectra,
        mean_loss=oracle.mean_loss,
        trust_radius=settings.sigma0,
    )


def _default_sigma0(domain: Domain) -> float:
    widest = domain.widest()
    return 0.1 * (2 * math.pi if widest is None else widest)


def _min_shots(oracle: Oracle, popsize: int, settings: Settings) -> int:
    """The least M: what the user says, else few large jobs where jobs are expensive."""
    if settings.min_shots is not None:
        return max(settings.min_shots, oracle.min_shots)
    if not oracle.few_jobs:
        return oracle.min_shots
    if settings.shots is not None:
        return max(settings.shots, oracle.min_shots)
    if METHODS[settings.method].plans_jobs:
        return oracle.min_shots
    few = settings.max_shots // (_MOST_GENERATIONS * oracle.price(popsize).per_shot)
    return max(few, oracle.min_shots)


def _check_budget(method: Method, oracle: Oracle, reserve: int, settings: Settings) -> None:
    first = sum(oracle.price(points).at(shots) for points, shots in method.first_jobs())
    if first + reserve > settings.max_shots:
        raise BudgetTooSmallError(
            f"max_shots = {settings.max_shots} is too small for one iteration of "
            f"{settings.method!r}, which takes up to {first} shots, and {reserve} for the last "
            f"estimate of the recommendation; give at least {first + reserve}, or lower popsize "
            "or shots."
        )


def _make_saver(setup: Setup, settings: Settings) -> Saver | None:
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
        "shots": setup.shots,
        "min_shots": setup.min_shots,
        "overhead": setup.overhead,
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
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError) as error:
        raise CheckpointError(
            f"checkpoint {str(run.saver.path)!r} does not hold a run of this kind "
            f"({type(error).__name__}: {error}); it was left untouched: give another path."
        ) from error
