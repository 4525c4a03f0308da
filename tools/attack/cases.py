"""Random runs on functions, and whether two runs are one and the same."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from qiskit_arcmaes import METHODS, GaussianOracle, get_function, minimize
from qiskit_arcmaes.engine.prepare import BudgetTooSmallError

from .harness import BrokenPromiseError

FUNCTIONS = ("sphere", "ellipsoid", "trid", "rastrigin", "cosine_mixture", "nesterov_f1")


def cosines(points: Any) -> Any:
    """A loss of angles."""
    return np.sum(1 - np.cos(points - 0.7), axis=1)


@dataclass(frozen=True)
class Case:
    """A run of ``minimize``, the same whenever it is repeated.

    Attributes:
        loss: The function without noise.
        start: x0.
        tau: Standard deviation of one shot.
        known: Whether the oracle reports variances.
        seed: Of noise and method.
        options: The other arguments of ``minimize``.
    """

    loss: Any
    start: Any
    tau: float
    known: bool
    seed: int
    options: dict[str, Any] = field(default_factory=dict)

    def oracle(self, kind: type[GaussianOracle] = GaussianOracle) -> GaussianOracle:
        """A fresh oracle."""
        return kind(self.loss, tau=self.tau, seed=self.seed, known_noise=self.known)

    def solve(self, oracle: Any = None, **more: Any) -> Any:
        """Run it.

        Args:
            oracle: Default: a fresh one.
            more: Further arguments of ``minimize``, which win.
        """
        oracle = self.oracle() if oracle is None else oracle
        return minimize(oracle, self.start, **{"seed": self.seed, **self.options, **more})


def draw(rng: np.random.Generator, most: int = 600) -> Case:
    """Draw a run that its budget pays for.

    Args:
        rng: Where it is drawn from.
        most: The largest budget.
    """
    dim = int(rng.integers(1, 5))
    options: dict[str, Any] = {"method": str(rng.choice(list(METHODS)))}
    options["max_shots"] = int(np.exp(rng.uniform(np.log(100), np.log(most))))
    periodic = bool(rng.random() < 0.3)
    name = "sphere" if dim == 1 else str(rng.choice(FUNCTIONS))  # some need two coordinates
    loss = cosines if periodic else get_function(name, dim)
    if periodic:
        options["periodic"] = True
    elif rng.random() < 0.3:
        options["bounds"] = [(-2.0, 3.0)] * dim
    for name, value in (
        ("max_jobs", int(rng.integers(2, 15))),
        ("sigma0", float(rng.uniform(0.1, 1.0))),
        ("final_shots", float(rng.uniform(0.05, 0.4))),
        ("popsize", int(rng.integers(4, 9))),
        ("shots", int(rng.integers(1, 6))),
        ("overhead", float(rng.uniform(0, 50))),
        ("tau", 1.0),
        ("target_std", float(rng.uniform(0.05, 0.5))),
        ("maxiter", int(rng.integers(1, 12))),
    ):
        if rng.random() < 0.2:
            options[name] = value
    tau = float(rng.choice([0.0, 0.1, 1.0, 10.0]))
    case = Case(
        loss, rng.uniform(-1, 2, dim), tau, bool(rng.random() < 0.3), int(rng.integers(2**31)),
        options,
    )  # fmt: skip
    return _affordable(case)


def _affordable(case: Case) -> Case:
    while True:
        try:
            case.solve(max_seconds=1e-9)
            return case
        except BudgetTooSmallError:
            options = {**case.options, "max_shots": 2 * case.options["max_shots"]}
            case = replace(case, options=options)


def expect_same(one: Any, two: Any) -> None:
    """Two results are equal to the bit: the point, the numbers, every column of the history.

    Args:
        one: A result.
        two: The result of the run that nothing happened to.
    """
    if not np.array_equal(one.x, two.x):
        raise BrokenPromiseError(f"x is {one.x}, not {two.x}")
    for name in ("fun", "fun_std", "shots", "jobs", "nfev", "nit", "failures", "stop"):
        left, right = getattr(one, name), getattr(two, name)
        if left != right and not (left != left and right != right):
            raise BrokenPromiseError(f"{name} is {left}, not {right}")
    if one.history.columns != two.history.columns:
        raise BrokenPromiseError("the histories have other columns")
    for name in one.history.columns:
        left, right = one.history[name], two.history[name]
        same = np.array_equal(left, right, equal_nan=left.dtype.kind == "f")
        if not same:
            raise BrokenPromiseError(f"the histories differ in {name}")
