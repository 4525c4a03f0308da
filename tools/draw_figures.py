"""The pictures of the README and of the explanation pages, written to docs/figures.

``python tools/draw_figures.py`` draws all, with names only those. The first is drawn from the
published runs in docs/results, the others from the formulas and the methods of the package; no
number is typed in that a run or a formula gives.
"""

from __future__ import annotations

import argparse
import csv
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from qiskit_arcmaes import GaussianOracle, get_function, minimize
from qiskit_arcmaes.problems import get_problem
from qiskit_arcmaes.strategies import cma
from qiskit_arcmaes.strategies.efficiency import RankStep, best_shots
from qiskit_arcmaes.viz.colours import BLUE, GREY, ORANGE, SKY, VERMILION, colour_of

Array = NDArray[np.float64]

DOCS = Path(__file__).parent.parent / "docs"
CHEMICAL_ACCURACY = 1.6e-3  # Hartree
BUDGET = 300_000  # shots of a run of noise_floor
RUNS = 3
PANELS = {
    "H₂, 4 parameters": ("h2_rivals", "h2"),
    "LiH, 12 parameters": ("molecules", "lih"),
    "H₄, 24 parameters": ("molecules", "h4"),
    "LiH UCCSD, from Hartree-Fock": ("ucc", "ucc_lih"),
}  # title: page of docs/results/circuits, problem
# Families of baselines; of each the settings with the lowest median are drawn, budget by budget.
FAMILIES = {
    "ShotFrugal": ("frugal",),
    "Adam": ("adam-",),
    "Rosalin": ("rosalin",),
    "iCANS, gCANS": ("icans", "gcans"),
    "NFT": ("nft@",),
    "ExcitationSolve": ("excitation-solve@",),
    "SPSA": ("spsa@",),
    "COBYLA": ("cobyla-tutorial",),
}
COLOUR_NAMES = {"ExcitationSolve": "excitation-solve", "iCANS, gCANS": "gcans"}


def quartiles_of(page: str, problem: str) -> dict[str, dict[int, Array]]:
    """Family to budget to quartiles of the errors, those of the settings with the lowest median."""
    errors = defaultdict(list)
    with open(DOCS / "results" / "circuits" / page / "runs.csv", newline="") as file:
        for row in csv.DictReader(file):
            if row["problem"] == problem and row["error"]:
                errors[row["method"], int(row["budget"])].append(float(row["error"]))
    best: dict[str, dict[int, Array]] = defaultdict(dict)
    for (method, budget), values in errors.items():
        for family, beginnings in FAMILIES.items():
            quartiles = np.quantile(values, [0.25, 0.5, 0.75])
            known = best[family].get(budget)
            if method.startswith(beginnings) and (known is None or quartiles[1] < known[1]):
                best[family][budget] = quartiles
    return {family: best[family] for family in FAMILIES if best[family]}


def energy_error() -> Figure:
    """Energy error against the budget, ShotFrugal and the baselines."""
    figure = Figure((12, 3.8), layout="constrained")
    panels = figure.subplots(1, len(PANELS), sharey=True)
    handles = {}
    for axes, (title, place) in zip(panels, PANELS.items(), strict=True):
        for family, by_budget in quartiles_of(*place).items():
            budgets = np.array(sorted(by_budget))
            low, middle, high = np.array([by_budget[budget] for budget in budgets]).T
            own = family == "ShotFrugal"
            handles[family] = axes.errorbar(
                budgets,
                middle,
                [middle - low, high - middle],
                color=colour_of(COLOUR_NAMES.get(family, family)),
                linestyle="--" if family == "ExcitationSolve" else "-",  # NFT has its colour
                linewidth=2.4 if own else 1.3,
                elinewidth=0.9,
                marker="o",
                markersize=6 if own else 4,
                zorder=3 if own else 2,
            )
        axes.axhline(CHEMICAL_ACCURACY, color="0.35", linestyle="--", linewidth=1)
        axes.set(xscale="log", yscale="log", xlabel="shots, everything counted", title=title)
        _plain(axes)
    panels[0].set_ylabel("energy error (Hartree)")
    panels[1].annotate(
        "chemical accuracy",
        xy=(0.02, CHEMICAL_ACCURACY),
        xycoords=("axes fraction", "data"),
        xytext=(0, -12),
        textcoords="offset points",
        color="0.35",
        fontsize="small",
    )
    ordered = [family for family in FAMILIES if family in handles]
    figure.legend(
        [handles[family] for family in ordered],
        ordered,
        loc="outside lower center",
        ncols=len(ordered),
        frameon=False,
    )
    return figure


def noise_floor() -> Figure:
    """Full steps at fixed shots end at a floor; adapted rates and a surrogate do not."""
    sphere, start = get_function("sphere", 5), [1.0] * 5
    figure = Figure((8, 4.2), layout="constrained")
    axes = figure.subplots()
    popsize = 20
    weights = cma.rank_weights(popsize)
    gain, mass = cma.selection_gain(weights, popsize), cma.effective_parents(weights)
    lines = [
        ("cma", 10, GREY, "CMA-ES, 10 shots per point"),
        ("cma", 100, VERMILION, "CMA-ES, 100 shots per point"),
        ("ar", None, SKY, "AR-CMA-ES with adapted learning rates"),
        ("frugal", None, BLUE, "ShotFrugal: quadratic surrogate"),
    ]
    for method, shots, colour, label in lines:
        curves = [_errors(sphere, start, method, shots, popsize, seed) for seed in range(RUNS)]
        common = np.geomspace(max(spent[0] for spent, _ in curves), BUDGET, 60)
        table = [errors[np.searchsorted(spent, common, "right") - 1] for spent, errors in curves]
        axes.plot(common, np.median(table, axis=0), color=colour, label=label)
        if shots:
            floor = sphere.dim / (4 * mass * gain * np.sqrt(shots))
            axes.axhline(floor, color=colour, linestyle=":", linewidth=1)
    axes.set(
        xscale="log",
        yscale="log",
        xlabel="shots spent",
        ylabel="exact error of the recommendation",
        title=f"Sphere, d = {sphere.dim}, τ = 1: medians of {RUNS} runs; dotted: the derived floor",
    )
    axes.legend(frameon=False)
    _plain(axes)
    return figure


def _errors(
    function: object, start: list[float], method: str, shots: int | None, popsize: int, seed: int
) -> tuple[Array, Array]:
    """Shots spent, and the exact error of the recommendation at that time."""
    spent, points = [], []

    def watch(nfev: int, x: Array, value: float, std: float, used: int) -> None:
        spent.append(used)
        points.append(x)

    settings = {"shots": shots, "popsize": popsize} if shots else {}
    oracle = GaussianOracle(function, tau=1.0, seed=seed)
    minimize(oracle, start, BUDGET, method, seed=seed, callback=watch, **settings)
    return np.array(spent), function(np.array(points)) - function.minimum


def gain_per_cost() -> Figure:
    """What AR-CMA-ES maximises: over the fraction of the step, and over M."""
    step = RankStep(slope_square=0.02, spread=0.03, curvature=2.0, noise=5.0, gain=1.3, mass=14.0)
    figure = Figure((9, 3.6), layout="constrained")
    left, right = figure.subplots(1, 2)
    fractions = np.linspace(0, 1.2, 200)
    shots = np.geomspace(1, 10_000, 400)
    for m, colour in ((10, VERMILION), (100, ORANGE), (1000, BLUE)):
        left.plot(fractions, [step.improvement(m, f) for f in fractions], color=colour)
        best = step.best_fraction(m)
        left.plot(best, step.improvement(m, best), "o", color=colour, label=f"M = {m:,}")
    left.axhline(0, color="0.6", linewidth=0.8)
    left.set(xlim=(0, 1.2), xlabel="fraction η of the step", ylabel="expected gain G(η, M)")
    left.set_title("A smaller step needs fewer shots", fontsize="medium")

    def per_cost(m: float, price: float) -> float:
        return step.improvement(m, step.best_fraction(m)) / (price + m)

    for price, colour in ((1, VERMILION), (30, ORANGE), (1000, BLUE)):
        values = np.array([per_cost(m, price) for m in shots])
        right.plot(shots, values / values.max(), color=colour)
        right.plot(
            best_shots(price, step.noise_ratio), 1, "o", color=colour, label=f"o = {price:,}"
        )
    right.set(xscale="log", xlabel="shots per point M", ylabel="gain per cost, of the largest")
    right.set_title(r"The price of a point sets $M^* = \sqrt{o\,\nu}$", fontsize="medium")
    for axes in (left, right):
        axes.legend(frameon=False, fontsize="small")
        _plain(axes)
    return figure


def shift_planning() -> Figure:
    """How wide a pair should be, and how its shots are divided among measurement groups."""
    figure = Figure((9, 3.6), layout="constrained")
    left, right = figure.subplots(1, 2)
    shifts = np.linspace(0.03, np.pi / 2, 200)
    noise = 0.1  # standard deviation of half the difference of a pair
    left.plot(shifts, noise / np.sin(shifts), color=BLUE, label="noise, one frequency: no bias")
    bias = np.abs(np.sin(2 * shifts) / (2 * np.sin(shifts)) - 1)  # of sin 2x/2, read as sin x
    left.plot(shifts, bias, color=VERMILION, label="bias, if there is a second frequency")
    left.set(ylim=(0, 1.1), xlabel="shift s (radians)", ylabel="error of a slope of 1")
    left.set_title("A pair at ±s", fontsize="medium")
    operator = get_problem("lih").operator
    groups = operator.group_commuting(qubit_wise=True)
    deviations = np.sort(
        [
            np.linalg.norm(
                [c.real for p, c in zip(g.paulis, g.coeffs, strict=True) if p.x.any() or p.z.any()]
            )
            for g in groups
        ]
    )[::-1]
    shares = deviations / deviations.sum()
    places = np.arange(len(shares))
    right.bar(places, 100 * shares, color=BLUE, label="Neyman: in proportion to the deviation")
    right.axhline(100 / len(shares), color=GREY, linestyle="--", label="equal")
    ratio = len(shares) * np.sum(deviations**2) / deviations.sum() ** 2
    right.set(xlabel="measurement group of LiH", ylabel="share of the shots (%)")
    right.set_title(f"Equal shares need {ratio:.1f} times the shots", fontsize="medium")
    for axes in (left, right):
        axes.legend(frameon=False, fontsize="small")
        _plain(axes)
    return figure


def surrogate() -> Figure:
    """One design: mirrored samples, their two components, and the quadratic they give."""
    rng = np.random.default_rng(2)

    def loss(x: Array) -> Array:
        return (x - 0.4) ** 2

    offsets, noise = np.abs(rng.normal(size=24)), 0.25
    above, below = (loss(s * offsets) + noise * rng.normal(size=offsets.size) for s in (1, -1))
    odd, even = (above - below) / 2, (above + below) / 2
    slope = odd @ offsets / (offsets @ offsets)
    curvature, value = np.polyfit(offsets**2, even, 1)
    figure = Figure((10, 3.4), layout="constrained")
    first, second, third = figure.subplots(1, 3)
    grid = np.linspace(-2.5, 2.5, 200)
    far = np.linspace(0, 2.5, 100)
    first.plot(offsets, odd, "o", color=ORANGE, markersize=4)
    first.plot(far, slope * far, color=ORANGE)
    first.set(xlabel="distance u", title="half the difference: slope")
    second.plot(offsets, even, "o", color=SKY, markersize=4)
    second.plot(far, value + curvature * far**2, color=SKY)
    second.set(xlabel="distance u", title="half the sum: curvature")
    third.plot(np.r_[offsets, -offsets], np.r_[above, below], "o", color=GREY, markersize=3)
    third.plot(grid, loss(grid), color="black", linestyle=":", label="loss")
    third.plot(grid, value + slope * grid + curvature * grid**2, color=BLUE, label="quadratic")
    third.axvline(-slope / (2 * curvature), color=BLUE, linewidth=0.8, label="its minimiser")
    third.set(xlabel="x - m", title="the step: to the minimiser")
    third.legend(frameon=False, fontsize="small")
    for axes in (first, second, third):
        axes.title.set_fontsize("medium")
        _plain(axes)
    return figure


def _plain(axes: Axes) -> None:
    axes.grid(color="0.92", linewidth=0.6)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)


PICTURES: dict[str, Callable[[], Figure]] = {
    picture.__name__: picture
    for picture in (energy_error, noise_floor, gain_per_cost, shift_planning, surrogate)
}


def main() -> None:
    """Draw the pictures that are asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="name", help=f"of {', '.join(PICTURES)}")
    names = parser.parse_args().names or list(PICTURES)
    if unknown := set(names) - set(PICTURES):
        parser.error(f"there is no {' or '.join(unknown)}; there are {', '.join(PICTURES)}")
    folder = DOCS / "figures"
    folder.mkdir(exist_ok=True)
    with mpl.rc_context({"svg.hashsalt": "arcmaes", "font.size": 10}):
        for name in names:
            PICTURES[name]().savefig(folder / f"{name}.png", dpi=110, metadata={"Software": None})
            print(folder / f"{name}.png")


if __name__ == "__main__":
    main()
