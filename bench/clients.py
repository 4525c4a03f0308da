"""Every client with its usual optimizer and with ours, at equal shots.

Losses of returned points are estimated again with many shots, outside of the budget. Optimizers of
the clients run at 1,024 shots per circuit, the primitives' default, until the budget is spent or
they end by themselves; the best point that one saw counts where the budget ends it. A client that
minimises several times has the budget each time. Optimizers of PennyLane have the shots that their
name says, and their last point counts. PennyLane is in the extra ``peers``.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import _client_solvers as solvers
import _common  # noqa: F401  (first: one thread)
import numpy as np
from scipy.optimize import OptimizeResult
from scipy.optimize import minimize as scipy_minimize

from qiskit_arcmaes import (
    ARCMAES,
    ShotEstimator,
    ShotFrugal,
    ShotSampler,
    minimize,
    scipy_method,
)
from qiskit_arcmaes.optimizers import ShotOptimizer

BOTH = ("ShotFrugal", "ARCMAES")
SHOTS = 1024
SCORE_SHOTS = 100_000


class Finished(Exception):  # noqa: N818  (not an error: a run that is over)
    """Leaves the client with the score of a run."""


class Spent(Exception):  # noqa: N818
    """The budget is used."""


@dataclass(frozen=True)
class Client:
    """A client.

    Attributes:
        run: Builds it and starts an optimizer; see ``_client_solvers``.
        kinds: The primitives that it runs on.
        usual: The optimizer that it has by default, or that its documentation uses.
        budget: Shots per minimisation.
        ours: The optimizers to compare.
        once: Whether it minimises once, so that the loss at the returned point is the score.
        others: More optimizers of theirs, to compare with.
    """

    run: Callable[[Any, Any, np.random.Generator], float | None]
    kinds: tuple[Callable[..., Any], ...]
    usual: str
    budget: int
    ours: tuple[str, ...] = ("ShotFrugal",)
    once: bool = True
    others: tuple[str, ...] = ("COBYLA",)


def clients(data: int) -> dict[str, Client]:
    """All clients, those that learn with the samples of a seed."""
    e, s = (ShotEstimator,), (ShotSampler,)
    qaoa, learning = solvers.qaoa, partial(solvers.learning, data=data)
    models = {"VQC": s, "VQR": e, "EstimatorQNN": e, "SamplerQNN": s, "regressor": e}
    return {
        "scipy, IBM's VQE": Client(
            solvers.scipy_estimator, e, "COBYLA", 100_000, ("scipy_method",)
        ),
        "scipy, counts": Client(solvers.scipy_counts, s, "COBYLA", 20_000, ("scipy_method",)),
        "qiskit-algorithms VQE": Client(solvers.vqe, e, "SLSQP", 100_000),
        "qiskit-algorithms SamplingVQE": Client(solvers.sampling_vqe, s, "COBYLA", 20_000),
        "qiskit-algorithms QAOA": Client(partial(qaoa, own=False), s, "COBYLA", 20_000),
        "qiskit-algorithms VQD": Client(solvers.vqd, e + s, "COBYLA", 100_000, once=False),
        "qiskit-algorithms AdaptVQE": Client(solvers.adapt_vqe, e, "SLSQP", 20_000, once=False),
        "qiskit-nature UCCSD": Client(solvers.nature, e, "SLSQP", 100_000),
        "qiskit-nature AdaptVQE": Client(
            partial(solvers.nature, adapt=True), e, "SLSQP", 50_000, once=False
        ),
        "qiskit-optimization VQE": Client(partial(solvers.vqe, own=True), e, "COBYLA", 100_000),
        "qiskit-optimization SamplingVQE": Client(
            partial(solvers.sampling_vqe, own=True), s, "COBYLA", 20_000
        ),
        "qiskit-optimization QAOA": Client(qaoa, s, "COBYLA", 20_000),
        "qiskit-optimization CVaR": Client(partial(qaoa, aggregation=0.25), s, "COBYLA", 20_000),
        "qiskit-optimization warm start": Client(
            partial(qaoa, within="warm start"), s, "COBYLA", 20_000
        ),
        "qiskit-optimization recursive": Client(
            partial(qaoa, within="recursive"), s, "COBYLA", 10_000, once=False
        ),
        **{
            f"machine-learning {model}": Client(
                partial(learning, model=model), kinds, "SLSQP", 200_000, BOTH
            )
            for model, kinds in models.items()
        },
        "PennyLane QNode": Client(
            solvers.pennylane, (solvers.Device,), "descent, 100", 100_000, ("minimize",),
            once=False, others=("SPSA, 100", "SPSA", "COBYLA"),
        ),
    }  # fmt: skip


def spent(primitives: Any) -> int:
    """The shots that primitives have run."""
    return sum(one.ledger.shots for one in primitives)


def usual(name: str, budget: int, primitives: Any) -> Callable[..., Any]:
    """One of scipy's optimizers within a budget."""
    for one in primitives:
        one.shots = SHOTS

    def run(fun: Any, x0: Any, jac: Any = None) -> Any:
        seen: list[tuple[float, Any]] = []
        begin, price = spent(primitives), 0

        def counted(call: Any, x: Any, evaluations: int) -> Any:
            if spent(primitives) - begin + evaluations * price > budget:
                raise Spent
            return call(np.array(x))

        def loss(x: Any) -> float:
            nonlocal price
            before = spent(primitives)
            value = float(np.squeeze(counted(fun, x, 1)))
            price = max(price, spent(primitives) - before)  # a forward pass may be cached
            seen.append((value, np.array(x)))
            return value

        def slopes(x: Any) -> Any:  # by parameter shift, after a forward pass
            return np.ravel(counted(jac, x, 2 * len(x) + 1))

        slope = None if jac is None or name == "COBYLA" else slopes
        try:
            return scipy_minimize(loss, x0, method=name, jac=slope)
        except Spent:
            value, point = min(seen, key=lambda pair: pair[0])
            return OptimizeResult(x=point, fun=value, nfev=len(seen))

    return run


def ours(kind: type[ShotOptimizer], budget: int, primitives: Any, seed: int) -> Callable[..., Any]:
    """One of our optimizers with its defaults."""

    def run(fun: Any, x0: Any, jac: Any = None) -> Any:
        return kind(budget, primitive=primitives, seed=seed).minimize(fun, x0)

    return run


def through_scipy(budget: int, primitives: Any, seed: int) -> Callable[..., Any]:
    """Our default method as scipy's."""

    def run(fun: Any, x0: Any, jac: Any = None) -> Any:
        options: Any = {"max_shots": budget, "seed": seed}
        return scipy_minimize(fun, x0, method=scipy_method("frugal"), options=options)

    return run


def of_a_qnode(budget: int, primitives: Any, seed: int) -> Callable[..., Any]:
    """Our default method; ``max_shots`` are those of a measurement group."""

    def run(fun: Any, x0: Any, jac: Any = None) -> Any:
        shots = budget // primitives[0].groups
        return minimize(fun, x0, max_shots=shots, periodic=True, seed=seed)

    return run


def of_pennylane(
    budget: int, primitives: Any, seed: int, kind: str, shots: int = SHOTS
) -> Callable[..., Any]:
    """An optimizer of PennyLane; the point after the last step that the budget allows."""
    primitives[0].shots = shots

    def run(fun: Any, x0: Any, jac: Any = None) -> Any:
        import pennylane

        x = pennylane.numpy.array(x0, requires_grad=True)
        evaluations = 2 if kind == "SPSA" else 2 * len(x) + 1  # parameter shift, a forward pass
        steps = budget // (evaluations * shots * primitives[0].groups)
        if kind == "SPSA":  # its defaults
            np.random.seed(seed)  # noqa: NPY002  (it draws from numpy's global generator)
            optimizer = pennylane.SPSAOptimizer(maxiter=steps)
        else:  # the step size of the tutorial on VQE
            optimizer = pennylane.GradientDescentOptimizer(stepsize=0.4)
        for _ in range(steps):
            x = optimizer.step(fun, x)
        return OptimizeResult(x=np.array(x))

    return run


Maker = Callable[[int, Any, int], Callable[..., Any]]
OURS: dict[str, Maker] = {
    "ShotFrugal": partial(ours, ShotFrugal),
    "ARCMAES": partial(ours, ARCMAES),
    "scipy_method": through_scipy,
    "minimize": of_a_qnode,
}
THEIRS: dict[str, Maker] = {
    "SPSA": partial(of_pennylane, kind="SPSA"),
    "SPSA, 100": partial(of_pennylane, kind="SPSA", shots=100),
    "descent, 100": partial(of_pennylane, kind="descent", shots=100),
}


def score(client: Client, choice: str, seed: int) -> tuple[float, int]:
    """The score of one run, and the most shots that a minimisation took."""
    primitives = [kind(seed=seed + place) for place, kind in enumerate(client.kinds)]
    if choice in OURS | THEIRS:
        minimizer = (OURS | THEIRS)[choice](client.budget, primitives, seed)
    else:
        minimizer = usual(choice, client.budget, primitives)
    shots = []

    def optimizer(fun: Any, x0: Any, jac: Any = None, bounds: Any = None) -> Any:
        before = spent(primitives)
        result = minimizer(fun, np.array(x0, dtype=float), jac)
        shots.append(spent(primitives) - before)
        if not client.once:
            return result
        primitives[0].shots = SCORE_SHOTS
        raise Finished(float(np.squeeze(fun(result.x))))

    try:
        found = client.run(primitives, optimizer, np.random.default_rng(1000 + seed))
    except Finished as end:
        (found,) = end.args
    if found is None:
        raise RuntimeError("the client did not call its optimizer")
    return found, max(shots)


def main() -> None:
    """Print the medians of every client and optimizer."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seeds", type=int, default=10, help="runs each, default 10")
    parser.add_argument("--first", type=int, default=0, help="the first seed, default 0")
    parser.add_argument("--only", default="", help="clients whose name contains this")
    parser.add_argument("--data", type=int, default=3, help="seed of the samples, default 3")
    chosen = parser.parse_args()
    warnings.simplefilter("ignore")
    print(f"{'client':33}{'optimizer':13}{'median':>9}{'worst':>9}{'most shots':>12}  verdict")
    for name, client in clients(chosen.data).items():
        if chosen.only not in name:
            continue
        medians = {}
        seeds = range(chosen.first, chosen.first + chosen.seeds)
        for choice in dict.fromkeys((client.usual, *client.others, *client.ours)):
            runs = [score(client, choice, seed) for seed in seeds]
            scores = [value for value, _ in runs]
            medians[choice] = float(np.median(scores))
            good = medians[choice] <= medians[client.usual]
            verdict = ("reached" if good else "MISSED") if choice in OURS else ""
            most = max(shots for _, shots in runs)
            figures = f"{medians[choice]:9.4f}{max(scores):9.4f}{most:12,}"
            print(f"{name:33}{choice:13}{figures}  {verdict}", flush=True)


if __name__ == "__main__":
    main()
