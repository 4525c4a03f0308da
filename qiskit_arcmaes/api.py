"""The front of the engine: check the arguments, put a run together, and let it go."""

from __future__ import annotations

import math
import os
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from qiskit_arcmaes.domain import Domain, check_start, make_domain
from qiskit_arcmaes.engine.progress import watched
from qiskit_arcmaes.engine.result import Result
from qiskit_arcmaes.engine.run import Callback, Limits, Run, Saver
from qiskit_arcmaes.oracles import Oracle, as_oracle
from qiskit_arcmaes.registry import Method, Setup, choose
from qiskit_arcmaes.strategies.cma import default_popsize

Array = NDArray[np.float64]

_FINAL_SHARE = 0.01  # of the budget, kept for the fresh estimate of the answer


class BudgetTooSmallError(ValueError):
    """The budget does not pay one generation and the last estimate of the answer."""


def minimize(
    oracle_or_fun: Any,
    x0: ArrayLike,
    *,
    max_shots: int,
    method: str = "ar",
    model: str | None = "auto",
    sigma0: float | None = None,
    bounds: Any = None,
    periodic: Any = None,
    popsize: int | None = None,
    shots: int | None = None,
    min_shots: int = 1,
    overhead: float = 0.0,
    tau: float | None = None,
    seed: Any = None,
    vectorized: bool | None = None,
    callback: Callback | None = None,
    maxiter: int | None = None,
    max_jobs: int | None = None,
    max_seconds: float | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    checkpoint_seconds: float = 30.0,
    resume: bool = False,
    progress: bool = False,
) -> Result:
    """Minimise a noisy loss within a budget of shots.

    Args:
        oracle_or_fun: An oracle (it has ``evaluate``), or a noisy callable that is called M times
            for M shots: on one point of shape (d,), or on an (n, d) array.
        x0: Start, shape (d,), inside the bounds.
        max_shots: Budget. Every evaluation counts: candidates, the mean, re-evaluations, the
            measurement of the noise, the last estimate of the answer. Never exceeded.
        method: ``ar`` (default), ``ar-paper``, ``ar-literal``, ``cma``, ``three-stage``, ``uh``,
            ``lra`` or ``psa``.
        model: ``auto`` lets ``ar`` fit a local quadratic to all that was measured, which steers
            the width of the cloud, the shots and the answer; None is plain ``ar``. The other
            methods have no model.
        sigma0: First step size, > 0, in the units of x. Default: 0.1 of the widest range of the
            bounds, else 0.1·2π.
        bounds: One (lower, upper) pair per coordinate, None for no bound. Points are repaired onto
            the bounds before they are evaluated.
        periodic: Which coordinates are circles; default: those whose bounds are 2π apart. Circles
            are searched freely and wrapped into their bounds. False, True, d booleans, d periods.
        popsize: Population size lambda, >= 2; default 4 + floor(3 ln d).
        shots: The first M, >= 1 (for ``cma``, ``lra`` and ``psa`` the fixed one).
        min_shots: The least M, >= 1.
        overhead: What a new circuit costs, in shots, >= 0: ``ar`` chooses M for gain per
            (overhead + M). It is not charged.
        tau: Standard deviation of one shot, if known; it is then not measured.
        seed: Anything ``numpy.random.default_rng`` takes.
        vectorized: Whether a callable takes (n, d) arrays; None finds out.
        callback: Called after each job as ``callback(nfev, x, fun, std, shots)``: points
            evaluated, the present answer, the loss there as the method believes it (else the mean
            of the job's values) with its standard error, all shots spent. Stops the run by
            returning True or raising StopIteration.
        maxiter: Most generations.
        max_jobs: Most jobs, the last estimate of the answer included.
        max_seconds: Most wall-clock time; checked between jobs.
        checkpoint: File to save the run in, now and then and at the end.
        checkpoint_seconds: Time between saves, >= 0; 0 saves after every job.
        resume: Go on from ``checkpoint`` where that file exists, bit for bit as the uninterrupted
            run would have; the other arguments must be the same as then.
        progress: Show the run while it goes on, in a terminal (needs rich) or in a notebook;
            elsewhere nothing is shown.

    Returns:
        The result; its ``history`` has a row for each job.

    Raises:
        ValueError: An argument is out of range; the message names it.
        OracleError: The oracle raised; ``.result`` holds the run so far, and the checkpoint, if
            there is one, was saved.
        CheckpointError: The checkpoint cannot be used; the file was left untouched.

    Example:
        >>> from qiskit_arcmaes import GaussianOracle, get_function, minimize
        >>> oracle = GaussianOracle(get_function("sphere", 5), tau=1.0, seed=1)
        >>> result = minimize(oracle, [2.0] * 5, max_shots=100_000, seed=7)
        >>> result.shots <= 100_000, bool(np.sum(result.x**2) < 0.3)
        (True, True)
    """
    run = prepare(
        as_oracle(oracle_or_fun, vectorized),
        x0,
        max_shots=max_shots,
        method=method,
        model=model,
        sigma0=sigma0,
        bounds=bounds,
        periodic=periodic,
        popsize=popsize,
        shots=shots,
        min_shots=min_shots,
        overhead=overhead,
        tau=tau,
        seed=seed,
        maxiter=maxiter,
        max_jobs=max_jobs,
        max_seconds=max_seconds,
        checkpoint=checkpoint,
        checkpoint_seconds=checkpoint_seconds,
        resume=resume,
    )
    with watched(callback, progress, run.limits.shots, method) as run.callback:
        return run.go()


def prepare(
    oracle: Oracle,
    x0: ArrayLike,
    *,
    max_shots: int,
    method: str = "ar",
    model: str | None = "auto",
    sigma0: float | None = None,
    bounds: Any = None,
    periodic: Any = None,
    popsize: int | None = None,
    shots: int | None = None,
    min_shots: int = 1,
    overhead: float = 0.0,
    tau: float | None = None,
    seed: Any = None,
    callback: Callback | None = None,
    maxiter: int | None = None,
    max_jobs: int | None = None,
    max_seconds: float | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    checkpoint_seconds: float = 30.0,
    resume: bool = False,
) -> Run:
    """Check all arguments of ``minimize`` and put the run together, without a shot spent."""
    start, domain = _check_space(x0, bounds, periodic)
    limits = Limits(
        whole_number("max_shots", max_shots, 1),
        None if maxiter is None else whole_number("maxiter", maxiter, 1),
        None if max_jobs is None else whole_number("max_jobs", max_jobs, 2),
        None if max_seconds is None else _positive("max_seconds", max_seconds),
    )
    reserve = max(int(_FINAL_SHARE * limits.shots), oracle.cost(2, 1))
    setup = Setup(
        mean=start,
        step_size=_default_step(domain) if sigma0 is None else _positive("sigma0", sigma0),
        popsize=default_popsize(len(start))
        if popsize is None
        else whole_number("popsize", popsize, 2),
        domain=domain,
        budget=(limits.shots - reserve) / (oracle.cost(2, 1) - oracle.cost(1, 1)),
        shots=None if shots is None else whole_number("shots", shots, 1),
        min_shots=whole_number("min_shots", min_shots, 1),
        overhead=_positive("overhead", overhead, allow_zero=True),
        noise=None if tau is None else _positive("tau", tau, allow_zero=True),
        reports_variances=bool(oracle.reports_variances),
        angles=bool(getattr(oracle, "angles", False) or domain.circular.all()),
    )
    chosen = choose(method, model, setup)(setup, np.random.default_rng(seed))
    _check_budget(chosen, oracle, limits.shots, reserve)
    saver = None
    if checkpoint is not None:
        settings = _settings(method, model, setup, limits, seed)
        period = _positive("checkpoint_seconds", checkpoint_seconds, allow_zero=True)
        saver = Saver(Path(checkpoint), period, settings)
    run = Run(chosen, oracle, limits, reserve, callback, saver)
    if saver is not None and saver.path.exists():
        run.load(saver.read(resume))
    return run


def _check_space(x0: ArrayLike, bounds: Any, periodic: Any) -> tuple[Array, Domain]:
    try:
        point = np.array(x0, dtype=float)
    except (TypeError, ValueError) as error:
        raise ValueError(f"x0 must be a sequence of numbers, not {x0!r}.") from error
    if point.ndim != 1 or len(point) == 0:
        raise ValueError(f"x0 must be one-dimensional and not empty, not of shape {point.shape}.")
    if not np.isfinite(point).all():
        raise ValueError(f"x0 must be finite, not {point.tolist()}.")
    domain = make_domain(len(point), bounds, periodic)
    outside = (point < domain.lower) | (point > domain.upper)
    point = np.where(outside & domain.circular, domain.wrap(point), point)
    return check_start(point, domain), domain


def _check_budget(method: Method, oracle: Oracle, max_shots: int, reserve: int) -> None:
    first = sum(oracle.cost(points, shots) for points, shots in method.first_jobs())
    if first + reserve > max_shots:
        raise BudgetTooSmallError(
            f"max_shots = {max_shots} is too small for one generation of {method.name!r}, which "
            f"takes up to {first} shots, and {reserve} for the last estimate of the answer; give "
            f"at least {first + reserve}, or lower popsize or shots."
        )


def _settings(
    method: str, model: str | None, setup: Setup, limits: Limits, seed: Any
) -> dict[str, Any]:
    """What must be the same when a run is resumed."""
    return {
        "method": method,
        "model": model,
        "x0": setup.mean,
        "sigma0": setup.step_size,
        "lower bounds": setup.domain.lower,
        "upper bounds": setup.domain.upper,
        "periods": setup.domain.periods,
        "popsize": setup.popsize,
        "max_shots": limits.shots,
        "shots": setup.shots,
        "min_shots": setup.min_shots,
        "overhead": setup.overhead,
        "tau": setup.noise,
        "seed": seed if isinstance(seed, int) else None,
    }


def _default_step(domain: Domain) -> float:
    widest = domain.widest()
    return 0.1 * (2 * math.pi if widest is None else widest)


def whole_number(name: str, value: Any, least: int) -> int:
    """Take an argument that must be a whole number >= ``least``, or say what is wrong with it."""
    whole = isinstance(value, int | np.integer) or (isinstance(value, float) and value.is_integer())
    if isinstance(value, bool) or not whole or value < least:
        raise ValueError(f"{name} must be a whole number >= {least}, not {value!r}.")
    return int(value)


def _positive(name: str, value: Any, allow_zero: bool = False) -> float:
    number = isinstance(value, int | float | np.integer | np.floating)
    if isinstance(value, bool) or not number or not math.isfinite(value) or value < 0:
        number = False
    if not number or (value == 0 and not allow_zero):
        least = ">= 0" if allow_zero else "> 0"
        raise ValueError(f"{name} must be a finite number {least}, not {value!r}.")
    return float(value)
