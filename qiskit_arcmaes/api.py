"""The front door without Qiskit: ``minimize``."""

from __future__ import annotations

import warnings
from typing import Any, Unpack

from numpy.typing import ArrayLike

from qiskit_arcmaes.engine.prepare import check_point, prepare
from qiskit_arcmaes.engine.progress import run_watched
from qiskit_arcmaes.engine.result import Result
from qiskit_arcmaes.oracles import as_oracle
from qiskit_arcmaes.settings import Options, Settings, documents_options, shows_options


@documents_options
@shows_options
def minimize(
    fun: Any,
    x0: ArrayLike | Result,
    max_shots: int,
    method: str = "frugal",
    jac: Any = None,
    **options: Unpack[Options],
) -> Result:
    """Minimise a noisy loss within a budget of shots.

    Args:
        fun: An ``Oracle``, or a noisy callable that is called M times for M shots: on one point of
            shape (d,), or on an (n, d) array. A callable with a parameter named ``shots`` is called
            once per point and told its shots. A callable that runs on a ``ShotEstimator`` or a
            ``ShotSampler`` is found out by a dry run, and its shots are set instead.
        x0: Start, shape (d,), inside the bounds; or the result of an earlier run, as for the next
            geometry of a molecule: its ``x`` is the start, its last radius is ``sigma0``, unless
            that is given.
        max_shots: Budget, an integer >= 1. Every evaluation counts: candidates, re-evaluations, the
            measurement of the noise, the last estimate of the recommendation. Never exceeded.
        method: ``frugal`` (default), ``ar``, ``ar-paper``, ``ar-literal``, ``cma``,
            ``three-stage``, ``uh``, ``lra`` or ``psa``.
        jac: Ignored, with a warning; there so that ``functools.partial(minimize, max_shots=...)``
            can stand where Qiskit's packages take a minimizer.
        **options: See ``Settings``.

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
        >>> result.shots <= 100_000, bool((result.x**2).sum() < 0.3)
        (True, True)
    """
    if jac is not None:
        warnings.warn(f"jac is ignored: {method!r} needs no gradient.", stacklevel=2)
    settings = Settings(max_shots=max_shots, method=method, **options)
    oracle = as_oracle(fun, check_point(x0), settings.vectorized)
    run = prepare(oracle, x0, settings)
    return run_watched(run, settings.progress, method)
