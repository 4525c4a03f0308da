"""VQD's record of the best point, which under noise is the luckiest one."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from qiskit_algorithms import VQD

from qiskit_arcmaes.engine.result import Result
from qiskit_arcmaes.primitives.deliveries import Delivery
from qiskit_arcmaes.primitives.plain_losses import is_made_by

_RECORD = "current_optimal_point"  # a dictionary that VQD shares with the loss it hands over


def correct_vqd(fun: Any, result: Result, delivered: Sequence[Sequence[Delivery]]) -> None:
    """Make VQD go on from the recommendation instead of the lowest noisy value that it saw.

    VQD (qiskit-algorithms 0.4) ignores the point that its optimizer returns. It keeps the
    parameters of the lowest single value of its loss, reports that value as the eigenvalue, and
    deflates the next state with these parameters; from the second state on it also subtracts the
    overlap of another point. Under shot noise all three are wrong. Its record is replaced by the
    recommendation and by the energy of the last estimate there, without the overlaps. Without
    noise too, VQD subtracts the overlaps of the first point of a batch from the value of its best.

    Args:
        fun: Any loss; those that are not VQD's are left alone.
        result: The run.
        delivered: What each primitive of the loss delivered in its last evaluation, which was the
            last estimate; empty where the primitives are not shot-controlled: the value of the loss
            is then taken, in which the overlaps, nearly zero at the end, are contained.

    Example:
        >>> correct_vqd(lambda x: 0.0, None, [])  # not VQD's
    """
    if not is_made_by(VQD._get_evaluate_energy, fun):
        return
    free = dict(zip(fun.__code__.co_freevars, fun.__closure__ or (), strict=True))
    record, step = free[_RECORD].cell_contents, free["step"].cell_contents
    energies = [one.values for each in delivered for one in each if one.values is not None]
    energy = float(np.mean(np.concatenate(energies))) if energies else result.fun
    if math.isnan(result.fun) or not result.success:
        energy = result.fun  # there was no last estimate
    record.update(optimal_value=result.fun, x=result.x.copy(), eigenvalue=energy)
    if step > 1:
        record["total_fidelity"] = np.array([result.fun - energy])
