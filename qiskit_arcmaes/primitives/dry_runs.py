"""Dry runs of a loss on known primitives."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qiskit_arcmaes.primitives.calls import Threads
from qiskit_arcmaes.primitives.control import ShotControl
from qiskit_arcmaes.primitives.loss_checks import raise_original
from qiskit_arcmaes.primitives.recording import Recording, was_only_recorded
from qiskit_arcmaes.primitives.uncounted import others_than, refuse_recorded


def dry_run(
    fun: Callable[[Any], Any],
    primitives: Sequence[ShotControl],
    argument: NDArray[np.float64],
    shots: int,
) -> list[Recording]:
    """What a loss would run at an argument; nothing is run, charged or called back.

    Args:
        fun: The loss.
        primitives: What it runs on.
        argument: A point, shape (d,), or points, shape (k, d).
        shots: Shots that are set meanwhile.

    Returns:
        A recording for each primitive.

    Raises:
        ValueError: The loss ran nothing on the first primitive.

    Example:
        >>> from qiskit.circuit.library import real_amplitudes
        >>> from qiskit_arcmaes import ShotEstimator
        >>> estimator, ansatz = ShotEstimator(), real_amplitudes(2, reps=1)
        >>> def fun(points):
        ...     return estimator.run([(ansatz, "ZZ", points)]).result()[0].data.evs
        >>> dry_run(fun, [estimator], np.zeros((3, 4)), 100)[0].shots, estimator.ledger.shots
        (300, 0)
    """
    with ExitStack() as stack:
        for primitive in primitives:
            stack.enter_context(primitive.leased())  # its shots are those of one run
            stack.callback(setattr, primitive, "shots", primitive.shots)
            primitive.impose(shots)
        records = [stack.enter_context(primitive.recording()) for primitive in primitives]
        threads, others = Threads(), others_than(primitives)
        beside = [stack.enter_context(other.recording(threads)) for other in others]
        try:
            with threads.left_behind_early([*primitives, *others]):
                fun(argument.copy())
        except Exception as error:
            if not was_only_recorded(error):
                raise_original(error)
    if not records[0].calls:
        raise ValueError(
            "primitive was not used: a dry run of fun ran nothing on it. Give the algorithm "
            "the very same object, as in VQE(estimator, ansatz, ARCMAES(primitive=estimator))."
        )
    refuse_recorded(others, beside)
    return records
