"""The loss of a variational algorithm as an oracle: its ``fun``, and the primitives behind it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from qiskit_arcmaes.oracles import Estimate
from qiskit_arcmaes.primitives.control import ShotControl
from qiskit_arcmaes.primitives.errors import RecordedOnlyError

Array = NDArray[np.float64]


class PrimitiveOracle:
    """Evaluates ``fun`` with the shots of its primitives set, and counts by their ledgers.

    What one evaluation costs is learned from a dry call: the primitives record what would run
    without running it, and ``fun`` is left before it returns, so that nothing is charged and no
    callback is called.

    Args:
        fun: The loss as VQE, QAOA and their kin hand it to an optimizer: takes a (k, d) array and
            returns k values.
        primitives: The shot-controlled primitives that ``fun`` runs on; VQD has two.
        x0: A point to try, shape (d,).

    Raises:
        ValueError: ``fun`` does not use the primitives.
    """

    def __init__(
        self, fun: Callable[[Any], Any], primitives: Sequence[ShotControl], x0: ArrayLike
    ) -> None:
        self.fun = fun
        self.primitives = tuple(primitives)
        self.reports_variances = len(self.primitives) == 1 and self.primitives[0].reports_variances
        self.bases, self._extra = self._rehearse(np.asarray(x0, dtype=float))

    @property
    def spent(self) -> int:
        """All shots in the ledgers of the primitives."""
        return sum(primitive.ledger.shots for primitive in self.primitives)

    def evaluate(self, points: ArrayLike, shots: int) -> Estimate:
        """Call ``fun`` on all points at once: one job."""
        array = np.atleast_2d(np.asarray(points, dtype=float))
        for primitive in self.primitives:
            primitive.shots = shots
        try:
            values = np.atleast_1d(np.asarray(self.fun(array), dtype=float))
        except Exception as error:
            raise _cause(error) from error
        self._extra = 0
        variances = self.primitives[0].last_variances if self.reports_variances else None
        return Estimate(values, variances)

    def cost(self, n: int, shots: int) -> int:
        """Points times measurement bases times shots; the first job may include a seed check."""
        return round(n * shots * self.bases) + self._extra

    @property
    def state(self) -> dict[str, Any]:
        """The states of the primitives."""
        return {"primitives": [primitive.state for primitive in self.primitives]}

    @state.setter
    def state(self, state: Mapping[str, Any]) -> None:
        for primitive, saved in zip(self.primitives, state["primitives"], strict=True):
            primitive.state = saved

    def _rehearse(self, x0: Array) -> tuple[float, int]:
        """Measurement bases of one point over all primitives, and shots that the first job adds."""
        with ExitStack() as stack:
            records = [stack.enter_context(p.recording()) for p in self.primitives]
            try:
                self.fun(x0)
            except Exception as error:
                cause = _cause(error)
                if not isinstance(cause, RecordedOnlyError):
                    raise cause from error
        if not records[0].calls:
            raise ValueError(
                "primitive was not used: a dry call of fun ran nothing on it. Give the algorithm "
                "the very same object, as in VQE(estimator, ansatz, ARCMAES(primitive=estimator))."
            )
        bases = sum(record.circuits for record in records)
        return float(bases), sum(record.check_shots for record in records)


def _cause(error: BaseException) -> BaseException:
    """The first cause: algorithms wrap what their primitives raise."""
    while error.__cause__ is not None:
        error = error.__cause__
    return error
