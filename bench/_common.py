"""What the engine's bench scripts share. Import it first: it keeps every library to one thread."""

from __future__ import annotations

import os

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # read when numpy is loaded, inherited by workers
os.environ["OMP_NUM_THREADS"] = "1"
os.environ["MKL_NUM_THREADS"] = "1"

import argparse
import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qiskit_arcmaes.domain import make_domain
from qiskit_arcmaes.functions import TestFunction
from qiskit_arcmaes.method import Method, Setup
from qiskit_arcmaes.registry import METHODS

Array = NDArray[np.float64]
Loss = Callable[[Array], Array]

POPSIZE = 100  # the paper's, for all methods
STEP_SHARE = 0.1  # sigma0 in units of the width of the search space, the paper's


def arguments(description: str | None, **defaults: int) -> argparse.Namespace:
    """Parse integer options, one for each keyword, with these defaults."""
    parser = argparse.ArgumentParser(description=(description or "").splitlines()[0])
    for name, default in defaults.items():
        parser.add_argument(f"--{name}", type=int, default=default, help=f"default {default}")
    return parser.parse_args()


def first_step(function: TestFunction) -> float:
    """sigma0, as in the paper."""
    return STEP_SHARE * (function.upper - function.lower)


def first_point(function: TestFunction, rng: np.random.Generator) -> Array:
    """A start drawn uniformly from the search space."""
    return rng.uniform(function.lower, function.upper, function.dim)


def make_method(
    name: str,
    mean: Array,
    step_size: float,
    rng: np.random.Generator,
    *,
    popsize: int = POPSIZE,
    budget: float = math.inf,
    shots: int | None = None,
    noise: float | None = None,
) -> Method:
    """A bare method, without the engine around it; options as in ``Setup``."""
    setup = Setup(
        start=mean,
        sigma0=step_size,
        popsize=popsize,
        domain=make_domain(len(mean)),
        budget=budget,
        shots=shots,
        noise=noise,
    )
    return METHODS[name].build(setup, rng)


def geometric_mean(values: Iterable[float]) -> float:
    """The geometric mean of positive numbers."""
    return float(np.exp(np.mean(np.log(np.fromiter(values, dtype=float)))))


def ratio(above: float, below: float) -> float:
    """A quotient, NaN where both are zero."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return float(np.divide(above, below))


def verdict(met: bool) -> str:
    """A word for a table."""
    return "met" if met else "MISSED"


def show(title: str, head: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Print a table: text to the left, numbers to the right with three digits."""
    groups = [list(map(_group, row)) for row in rows]
    widths = [max(map(len, column)) for column in zip(head, *groups, strict=True)]
    print(f"\n{title}")
    for line in [list(head), ["-" * width for width in widths], *groups]:
        first, *rest = (
            text.ljust(w) if i == 0 else text.rjust(w)
            for i, (text, w) in enumerate(zip(line, widths, strict=True))
        )
        print("  ".join([first, *rest]), flush=True)


def _group(value: Any) -> str:
    if isinstance(value, float | np.floating):
        return f"{value:.3g}"
    return str(value)
