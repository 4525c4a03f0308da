"""SantaQlaus: shot noise as the thermal noise of an annealed thermostat.

References:
    K. Ito, K. Fujii, "SantaQlaus: A resource-efficient method to leverage quantum shot-noise for
    optimization of variational quantum algorithms", arXiv:2312.15791 (2023), Algorithm 1.
    C. Chen, D. Carlson, Z. Gan, C. Li, L. Carin, "Bridging the gap between stochastic gradient
    MCMC and stochastic optimization", AISTATS 2016: Santa.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from qiskit_arcmaes.bench.baselines.contract import CouldNotStart, Recommendation, Start
from qiskit_arcmaes.bench.baselines.shift_slopes import ShiftTable, shift_table
from qiskit_arcmaes.bench.budget_oracle import BudgetOracle

Array = NDArray[np.float64]
Shots = NDArray[np.int64]


@dataclass(frozen=True)
class SantaParams:
    """The settings of the paper's section V, with those that it has for Ising chains.

    Attributes:
        squares: σ, memory of the squared slopes.
        memory: μ, memory of the averages that choose the shots.
        friction: C, of the first friction.
        floor: λ, keeps the preconditioner finite.
        least: s_min, fewest shots of a point, in every measurement basis.
        warm_up: t_0, steps at the fewest shots.
        rates: Learning rate at the start and at the end of the budget, and its exponent a.
        heat: Inverse temperature at the start and at the end of burn-in, and its exponent a.
        burn_in: Share of the budget until the inverse temperature is ``heat[1]/(scale · rate)``.
        scale: r, see there.
    """

    squares: float = 0.99
    memory: float = 0.99
    friction: float = 5.0
    floor: float = 1e-8
    least: int = 4
    warm_up: int = 5
    rates: tuple[float, float, float] = (0.01, 0.001, 0.5)
    heat: tuple[float, float, float] = (10.0, 1e4, 5.0)
    burn_in: float = 0.8
    scale: float = 100.0

    def rate(self, share: float) -> float:
        """The learning rate η after a share of the budget."""
        return annealed(*self.rates, share)

    def inverse_temperature(self, share: float) -> float:
        """The inverse temperature β after a share of the budget.

        Example:
            >>> params = SantaParams()
            >>> params.inverse_temperature(0.0), round(params.inverse_temperature(1.0))
            (10.0, 100000)
        """
        if share < self.burn_in:
            return annealed(*self.heat, share / self.burn_in)
        return self.heat[1] / (self.scale * self.rate(share))


def annealed(first: float, last: float, exponent: float, share: float) -> float:
    """A setting on its way from the first value to the last, eq. (43).

    Args:
        first: Value at share 0, > 0.
        last: Value at share 1, > 0.
        exponent: The paper's a, not 0: the larger, the later it moves.
        share: Of the way, from 0 to 1.

    Example:
        >>> annealed(1.0, 100.0, 2.0, 0.5)  # (0.5 · 9 + 1)²
        30.25
    """
    return float(first * (share * ((last / first) ** (1 / exponent) - 1) + 1) ** exponent)


@dataclass
class Thermostat:
    """What moves the point, and what chooses the shots; all of shape (d,).

    Attributes:
        momentum: u.
        friction: α.
        squares: v, moving average of the squared slopes.
        scatter: ξ', moving average of the slopes' single-shot variances, begun at zero.
        scaling: Γ', moving average of the preconditioner, begun at zero.
        step: Steps so far.
    """

    momentum: Array
    friction: Array
    squares: Array
    scatter: Array
    scaling: Array
    step: int = 0

    @classmethod
    def at_rest(cls, dim: int, params: SantaParams, rng: np.random.Generator) -> Thermostat:
        """The first state: random momentum, friction that is the same for all."""
        rate = params.rate(0.0)
        momentum = math.sqrt(rate) * rng.standard_normal(dim)
        friction = np.full(dim, math.sqrt(rate) * params.friction)
        return cls(momentum, friction, *np.zeros((3, dim)))

    def advance(
        self,
        slopes: Array,
        variances: Array,
        rate: float,
        inverse_temperature: float,
        params: SantaParams,
    ) -> Array:
        """Make one step of the symmetric splitting; by how much the point moves.

        Args:
            slopes: f, measured at the point before the step.
            variances: S, their variances at one shot.
            rate: η.
            inverse_temperature: β.
            params: The settings.
        """
        self.squares = params.squares * self.squares + (1 - params.squares) * slopes**2
        scaling = 1 / np.sqrt(params.floor + np.sqrt(self.squares))
        move = scaling * self.momentum / 2
        self.friction = self.friction + (self.momentum**2 - rate / inverse_temperature) / 2
        damping = np.exp(-self.friction / 2)
        self.momentum = damping * (damping * self.momentum - rate * scaling * slopes)
        self.friction = self.friction + (self.momentum**2 - rate / inverse_temperature) / 2
        self.step += 1
        if self.step >= params.warm_up:
            self.scatter = params.memory * self.scatter + (1 - params.memory) * variances
            self.scaling = params.memory * self.scaling + (1 - params.memory) * scaling
        return np.asarray(move + scaling * self.momentum / 2)

    def next_shots(self, rate: float, inverse_temperature: float, params: SantaParams) -> Shots:
        """The shots whose noise is that of the temperature: ⌈βηΓξ/2⌉, not below the fewest."""
        averaged = self.step - params.warm_up + 1
        if averaged < 1:
            return np.full(len(self.scatter), params.least)
        full = 1 - params.memory**averaged
        wanted = inverse_temperature * rate / 2 * (self.scaling / full) * (self.scatter / full)
        return np.maximum(np.ceil(wanted), params.least).astype(np.int64)


@dataclass(frozen=True)
class SantaQlaus:
    """The optimizer at its authors' settings.

    As iCANS and gCANS here, it counts shots in every measurement basis; where a parameter has
    several frequencies, its shots are dealt among the pairs of the exact shift rule. The paper
    does not say what to do with a remainder that does not pay a step: the last step takes it, as
    long as it pays the fewest shots.

    Attributes:
        name: Name in tables.
        params: Its settings.
    """

    name: str
    params: SantaParams = SantaParams()

    def solve(self, oracle: BudgetOracle, start: Start, seed: int) -> Recommendation:
        """See ``Solver``."""
        if oracle.spectra is None or not oracle.reports_variances:
            raise TypeError(f"{self.name} needs known frequencies and variances of its estimates.")
        table, params = shift_table(oracle.spectra), self.params
        x = np.array(start.x0)
        thermostat = Thermostat.at_rest(len(x), params, np.random.default_rng(seed))
        wanted = np.full(len(x), params.least)
        while (shots := affordable(oracle, table, wanted, params.least)) is not None:
            share = oracle.spent / oracle.budget
            rate, inverse_temperature = params.rate(share), params.inverse_temperature(share)
            slopes, variances = measure_slopes(oracle, table, x, shots)
            x = x + thermostat.advance(slopes, variances, rate, inverse_temperature, params)
            x = start.inside(x)
            oracle.note(x)
            wanted = thermostat.next_shots(rate, inverse_temperature, params)
        if thermostat.step == 0:
            raise CouldNotStart(f"{oracle.budget} shots do not pay one step.")
        return Recommendation(x, message=f"{thermostat.step} steps; the budget is used.")


def pair_shots(table: ShiftTable, shots: Shots) -> Shots:
    """Shots of the two points of every pair: each coordinate's, dealt by the size of weights."""
    return np.ceil(shots[table.owners] * table.shares - 1e-9).clip(min=1).astype(np.int64)


def affordable(oracle: BudgetOracle, table: ShiftTable, shots: Shots, least: int) -> Shots | None:
    """The shots of a step, all lowered by one factor where they cannot be paid.

    Args:
        oracle: Tells prices, and what is left.
        table: The pairs.
        shots: What is wanted for each coordinate.
        least: Fewest of a coordinate.

    Returns:
        Shots that can be paid; None where the fewest cannot.
    """

    def price(counts: Shots) -> int:
        return oracle.price(1).at(2 * int(pair_shots(table, counts).sum()))

    for factor in (1.0, oracle.left / price(shots), 0.0):
        lowered = np.maximum((factor * shots).astype(np.int64), least)
        if price(lowered) <= oracle.left:
            return lowered
    return None


def measure_slopes(
    oracle: BudgetOracle, table: ShiftTable, x: Array, shots: Shots
) -> tuple[Array, Array]:
    """Slopes by the exact shift rules, and their variances at one shot per coordinate.

    Args:
        oracle: What is measured; it reports variances.
        table: The pairs.
        x: The point, shape (d,).
        shots: Shots of all upper points of a coordinate together, and of the lower ones, shape
            (d,).
    """
    counts = np.tile(pair_shots(table, shots), 2).tolist()
    estimate = oracle.evaluate_each(table.points(x, np.arange(len(table.owners))), counts)
    assert estimate.variances is not None
    above, below = estimate.values.reshape(2, -1)
    slopes, variances = np.zeros((2, len(x)))
    np.add.at(slopes, table.owners, table.weights * (above - below))
    spread = estimate.variances.reshape(2, -1).sum(axis=0)
    np.add.at(variances, table.owners, table.weights**2 * spread)
    return slopes, variances * shots
