"""The loss of a variational algorithm as an oracle: its ``fun``, and the primitives behind it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from qiskit_algorithms.exceptions import AlgorithmError

from qiskit_arcmaes.oracles import Estimate, Oracle, Price
from qiskit_arcmaes.primitives.control import ShotControl
from qiskit_arcmaes.primitives.errors import RecordedOnlyError

Array = NDArray[np.float64]


class PrimitiveOracle(Oracle):
    """Evaluates ``fun`` with the shots of its primitives set, and counts by their ledgers.

    What a job costs is learned from dry calls: the primitives record what would run without
    running it, and ``fun`` is left before it returns, so that nothing is charged and no callback
    is called. Two of them, at one shot and at two, for every number of points: a job may have
    circuits that calibrate it, and circuits whose shots the algorithm has fixed.

    Args:
        fun: The loss as VQE, QAOA and their kin hand it to an optimizer: takes a (k, d) array and
            returns k values.
        primitives: The shot-controlled primitives that ``fun`` runs on; VQD has two.
        x0: A point to try, shape (d,).

    Raises:
        ValueError: ``fun`` does not use the primitives.

    Example:
        >>> from qiskit.circuit.library import real_amplitudes
        >>> from qiskit_arcmaes import ShotEstimator
        >>> estimator, ansatz = ShotEstimator(seed=1), real_amplitudes(2, reps=1)
        >>> def fun(points):
        ...     return estimator.run([(ansatz, "ZZ", points)]).result()[0].data.evs
        >>> oracle = PrimitiveOracle(fun, [estimator], [0.0] * 4)
        >>> oracle.price(5).at(100), oracle.spent
        (500, 0)
        >>> oracle.evaluate([[0.0] * 4] * 5, shots=100).values, oracle.spent
        (array([1., 1., 1., 1., 1.]), 500)
    """

    angles = True
    few_jobs = True

    def __init__(
        self, fun: Callable[[Any], Any], primitives: Sequence[ShotControl], x0: ArrayLike
    ) -> None:
        self.fun = fun
        self.primitives = tuple(primitives)
        self.reports_variances = len(self.primitives) == 1 and self.primitives[0].reports_variances
        self._x0 = np.asarray(x0, dtype=float)
        self._prices: dict[int, tuple[int, int]] = {}
        self._price(1)
        self.min_shots = max(primitive.least_shots for primitive in self.primitives)

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
        except AlgorithmError as error:
            raise _cause(error) from error
        variances = self.primitives[0].last_variances if self.reports_variances else None
        return Estimate(values, variances)

    def price(self, n: int) -> Price:
        """What a job of ``n`` points takes; the first one may include a check of the seed."""
        fixed, each = self._price(n)
        return Price(fixed + sum(primitive.check_shots for primitive in self.primitives), each)

    @property
    def state(self) -> dict[str, Any]:
        """The states of the primitives."""
        return {"primitives": [primitive.state for primitive in self.primitives]}

    @state.setter
    def state(self, state: Mapping[str, Any]) -> None:
        for primitive, saved in zip(self.primitives, state["primitives"], strict=True):
            primitive.state = saved

    def _price(self, n: int) -> tuple[int, int]:
        """Shots that a job of ``n`` points takes anyway, and those for each shot that is set."""
        if n not in self._prices:
            one, two = self._rehearse(n, 1), self._rehearse(n, 2)
            self._prices[n] = (2 * one - two, two - one)
        return self._prices[n]

    def _rehearse(self, n: int, shots: int) -> int:
        """What the ledgers would be charged for ``n`` points."""
        with ExitStack() as stack:
            for primitive in self.primitives:
                stack.callback(setattr, primitive, "shots", primitive.shots)
                primitive.shots = shots
            records = [stack.enter_context(primitive.recording()) for primitive in self.primitives]
            try:
                self.fun(np.tile(self._x0, (n, 1)))
            except RecordedOnlyError:
                pass
            except AlgorithmError as error:
                if not isinstance(cause := _cause(error), RecordedOnlyError):
                    raise cause from error
        if not records[0].calls:
            raise ValueError(
                "primitive was not used: a dry call of fun ran nothing on it. Give the algorithm "
                "the very same object, as in VQE(estimator, ansatz, ARCMAES(primitive=estimator))."
            )
        return sum(record.shots for record in records)


def _cause(error: BaseException) -> BaseException:
    """What was raised in a primitive before algorithms wrapped it."""
    while isinstance(error, AlgorithmError) and error.__cause__ is not None:
        error = error.__cause__
    return error
