"""Under honest noise (standard deviation tau/sqrt(M)): is ``ar`` as good as the best of the rest?

``python bench/engine_noise.py [--runs 20] [--paper 5] [--shots 30 100 300 1000 3000]``:
d = 20, B = 10^7, lambda = 100, tau² in 1, 10, 100, the ten smooth functions. Errors are medians
over the runs, their geometric mean over the functions counts. ``cma`` stands at the fixed M that is
best over all functions; the best M of each function is shown too, which nobody knows beforehand.
``ar-paper`` gets fewer runs: on Trid its M stays at 1, and 10^5 generations with a Gaussian process
take their time. Then, for every ``ar`` run, whether M was stuck: the largest share of the budget
spent in a row with M within 5% of itself, below its cap and without gain.
"""

from __future__ import annotations

import argparse
import time
from collections import defaultdict
from dataclasses import dataclass

import _common as common
import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray

from qiskit_arcmaes import GaussianOracle, get_function, minimize
from qiskit_arcmaes.engine.history import History
from qiskit_arcmaes.functions import SMOOTH_FUNCTIONS

DIM, BUDGET = 20, 10**7
VARIANCES = (1, 10, 100)  # tau²
OTHERS = ("three-stage", "uh", "ar-paper")
ALLOWED = 1.1  # ar's error in units of the best other's
STUCK = 0.05  # share of the budget without gain or movement that would mean stuck
STILL = 1.05  # M within this factor has not moved


@dataclass(frozen=True)
class Outcome:
    """How one run ended; the last three for ``ar`` only.

    Attributes:
        error: Loss above the minimum, without noise.
        largest: Largest M.
        stuck: Longest share of the budget with M still, below its cap and without gain.
        still: The same whether or not there was gain.
    """

    error: float
    largest: float = np.nan
    stuck: float = np.nan
    still: float = np.nan


def run(method: str, shots: int | None, name: str, variance: float, seed: int) -> Outcome:
    """One run from a start that is the same for all methods."""
    function = get_function(name, DIM)
    rng = np.random.default_rng(seed)
    start, step = common.first_point(function, rng), common.first_step(function)
    result = minimize(
        GaussianOracle(function, np.sqrt(variance), seed=rng.spawn(1)[0]),
        start,
        max_shots=BUDGET,
        method=method,
        popsize=common.POPSIZE,
        sigma0=step,
        shots=shots,
        seed=rng,
    )
    error = float(function(result.x)) - function.minimum
    if method != "ar":
        return Outcome(error)
    cap = common.make_method(method, start, step, rng, budget=BUDGET).max_shots  # type: ignore[attr-defined]
    history = result.history
    below = history["next_shots"] < cap / STILL
    hidden = below & (history["gain"] <= 0)
    largest = float(history["shots"].max())
    return Outcome(error, largest, longest_rest(history, hidden), longest_rest(history, below))


def longest_rest(history: History, counted: NDArray[np.bool_]) -> float:
    """The largest share of the budget in a row of counted jobs with M within 5% of itself."""
    logs, spent = np.log(history["next_shots"]), history["spent"]
    longest, first = 0.0, 0
    for last in range(len(logs)):
        while first < last and np.ptp(logs[first : last + 1]) >= np.log(STILL):
            first += 1
        if not counted[last]:
            first = last + 1
            continue
        longest = max(longest, float(spent[last] - spent[first]))
    return longest / float(spent[-1])


def measure(variance: int, given: argparse.Namespace) -> dict[tuple[str, str], list[Outcome]]:
    """All runs at one noise level, by contender and function."""
    contenders = [("ar", None), *((m, None) for m in OTHERS), *(("cma", m) for m in given.shots)]
    tasks = [
        (method, shots, name, variance, seed)
        for method, shots in contenders
        for name in SMOOTH_FUNCTIONS
        for seed in range(min(given.runs, given.paper) if method == "ar-paper" else given.runs)
    ]
    outcomes = Parallel(n_jobs=given.processes)(delayed(run)(*task) for task in tasks)
    grouped = defaultdict(list)
    for (method, shots, name, *_), outcome in zip(tasks, outcomes, strict=True):
        grouped[method if shots is None else f"cma {shots}", name].append(outcome)
    return grouped


def compare(variance: int, given: argparse.Namespace) -> None:
    """Print errors and M at one noise level."""
    begin = time.perf_counter()
    outcomes = measure(variance, given)
    medians = {key: float(np.median([o.error for o in runs])) for key, runs in outcomes.items()}
    plain = [f"cma {m}" for m in given.shots]
    names = ["ar", *OTHERS, *plain]
    overall = {
        name: common.geometric_mean(medians[name, f] for f in SMOOTH_FUNCTIONS) for name in names
    }
    best_plain = min(plain, key=overall.__getitem__)
    shown = ["ar", *OTHERS, best_plain]
    rows = []
    for f in SMOOTH_FUNCTIONS:
        luckiest = min(plain, key=lambda name, f=f: medians[name, f])
        rows.append((f, *(medians[n, f] for n in shown), medians[luckiest, f], luckiest))
    lucky = common.geometric_mean(row[-2] for row in rows)
    rows.append(("geometric mean", *(overall[n] for n in shown), lucky, ""))
    common.show(
        f"tau² = {variance}: median error of {given.runs} runs, d = {DIM}, B = {BUDGET:.0e}",
        ("function", *shown, "cma, best M of each", "which"),
        rows,
    )
    print("cma by M: " + ", ".join(f"{name[4:]}: {overall[name]:.3g}" for name in plain))
    other = min(shown[1:], key=overall.__getitem__)
    share = overall["ar"] / overall[other]
    print(
        f"target: ar <= {ALLOWED} x the best other; measured {share:.3f} x {other}: "
        f"{common.verdict(share <= ALLOWED)}"
    )
    show_shots([o for f in SMOOTH_FUNCTIONS for o in outcomes["ar", f]])
    print(f"({time.perf_counter() - begin:.0f} s)")


def show_shots(outcomes: list[Outcome]) -> None:
    """Print how M moved in all ``ar`` runs."""
    largest = [o.largest for o in outcomes]
    stuck, still = max(o.stuck for o in outcomes), max(o.still for o in outcomes)
    print(
        f"largest M of {len(outcomes)} ar runs: {min(largest):.0f} to {max(largest):.0f}; longest "
        f"share of the budget with M still below its cap: {still:.1%}, without gain: {stuck:.1%}; "
        f"target: no run stuck (< {STUCK:.0%} without gain): {common.verdict(stuck < STUCK)}"
    )


def main() -> None:
    """Print everything, noise level by noise level."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--paper", type=int, default=5, help="runs of ar-paper, which is slow")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--shots", type=int, nargs="+", default=[30, 100, 300, 1000, 3000])
    given = parser.parse_args()
    for variance in VARIANCES:
        compare(variance, given)


if __name__ == "__main__":
    main()
