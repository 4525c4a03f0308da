"""The constants of ``ar``, each with its reason."""

from __future__ import annotations

import math
from dataclasses import dataclass

from qiskit_arcmaes.strategies import cma


@dataclass(frozen=True)
class AdaptiveParams:
    """Constants of AR-CMA-ES with adapted learning rates.

    Those without a source were chosen on dimensions, noise levels and seeds that no published
    table uses, from few runs each; the need for ``full_generations`` showed on published seeds.
    ``contraction``, ``nonlinear_smoothing`` and ``generations_per_dimension`` were chosen on the
    development circuits and on functions of the published dimensions and noise levels, on other
    seeds, from about a dozen variants of the rule. ``differences``, ``averaged`` and
    ``noise_smoothing`` of ``STANDALONE`` were chosen on functions at d = 8 and 15 and on the
    development circuits, from two runs each and about twenty variants; the four for periodic
    coordinates on twelve development circuits at 10^5 and 10^6 shots, from two to four runs each.

    Attributes:
        mirrored: Whether candidates come in pairs m + z, m - z.
        differences: Whether the mean moves by ranks of the pairs' differences, and the symmetric
            component does not narrow the population, where no coordinate is periodic and the
            antisymmetric component is not nonlinear; else the mean moves by the ranks of values.
        averaged: The recommendation is a moving average of the means over about this multiple of
            1/eta - 1 generations, eta the learning rate of the mean, where no coordinate is
            periodic: the mean fluctuates where its steps have no direction. 0 and 2 were tried.
        periodic_rate: Least learning rate of the mean on periodic coordinates. Noise costs
            eta d s/(4 c_w mu) there, which the average takes away, while a falling rate freezes
            the directions of little curvature. 0, 0.3 and 1 were tried.
        periodic_tail: On periodic coordinates the newest of t means has this share over t in the
            average: it covers the last part of the run, one over this number. 0 and 4 were tried.
        first_phase: Largest sum of the variances of all phases (angles of a period of 2 pi), at
            first: the average over a wide population has fewer minima.
        last_phase: The same at the end, on a geometric scale in between: a component of the loss
            that turns with all angles has its largest slope at one. Constant values of 1, 2, 4 and
            paths from 4 to 0.5, 4 to 1 and 2 to 0.5 were tried: they differ by less than the runs.
        periodic_hold: Whether sigma falls on periodic coordinates only as far as the loss, and not
            its noise, ranks the candidates. Chosen on dev_h2, dev_lih and dev_ising3, six to twelve
            runs each, with M at most half of the price; with larger M it has not shown its worth.
        expected_weights: Whether the mean uses the expected weights of all ranks; else those of
            the best half.
        learning_rates: Whether fractions of the steps are taken.
        widest: A falling learning rate widens sigma in inverse proportion (Nomura et al.), here up
            to this multiple of sigma0: a circuit's loss is flat at random angles, and populations
            that wide see nothing.
        contraction: Where the mean stands and the antisymmetric component of the loss is nonlinear,
            sigma falls by up to this power of e over the whole budget: a run must be able to leave
            a scale at which it learns nothing more, but not before an appreciable share of its
            budget has told so. 6 and 12 were tried.
        nonlinear_smoothing: Share of the newest generation in the antisymmetric component: that of
            the covariance in the learning rates.
        full_generations: A run that can pay g generations keeps its rates at or above this over g
            where noise is negligible: small rates take time that it does not have.
        negligible: Power of rho², the share of the loss in the variance of what is ranked, that
            this least rate is multiplied by: one half at rho² = 0.92.
        generations_per_dimension: G/d: what a generation costs besides its shots, apart from
            ``overhead``, is B/G: a run has about G to 2 G generations where noise dominates. C has
            d²/2 numbers, and a population tells of them by about its 6 d points.
        most_generations: A run never has more, in units of G.
        most_shots: M is at most this multiple of the price of a point: beyond it the gain is flat,
            and few generations are left to learn the distribution.
        periodic_most_shots: The same on periodic coordinates. Where the mean takes full steps no
            smaller step stands in for a re-evaluation. 0.5, 2 and 10 were tried on dev_h2, dev_lih,
            dev_ising3 and three random molecules of two and four qubits, five to twelve runs each.
        shots_smoothing: Share of the newest M in the geometric moving average.
        spread_smoothing: Share of the newest generation in the variance that the loss causes.
        least_spread: The variance that the loss causes is taken as at least this share of the
            noise's: it is a difference of two estimates.
        noise_smoothing: Share of the newest pair of evaluations in tau²: its square root is the
            relative error of tau², which limits what nonlinearity can be told from noise.
        reevaluated: Share of the evaluations that follow an unknown noise.
        outlier: A pair of evaluations counts as at most this multiple of tau²: heavy tails.
        loud: sigma falls where the noise of the population is more than this multiple of that at
            the mean, both followed: twice the best ratio, since both are estimates.
        quietening: Share of the way to that ratio, on a logarithmic scale, in one generation. Both
            are the first values tried, on the sphere with noise in proportion to its value (d = 5
            to 20, three seeds), which no page has.
        points_per_dimension: Default population, per coordinate.
        fewest_generations: The default population leaves the budget so many generations.
    """

    mirrored: bool = True
    differences: bool = False
    averaged: float = 0.0
    expected_weights: bool = True
    learning_rates: bool = True
    widest: float = 1.0
    periodic_rate: float = 0.0
    periodic_tail: float = 0.0
    first_phase: float = math.inf
    last_phase: float = math.inf
    periodic_hold: bool = False
    contraction: float = 6.0
    nonlinear_smoothing: float = 0.03
    full_generations: float = 100.0
    negligible: float = 8.0
    generations_per_dimension: float = 50.0
    most_generations: float = 10.0
    most_shots: float = 0.5
    periodic_most_shots: float = 0.5
    shots_smoothing: float = 0.2
    spread_smoothing: float = 0.1
    least_spread: float = 0.02
    noise_smoothing: float = 0.05
    reevaluated: float = 0.02
    outlier: float = 10.0
    loud: float = 4.0
    quietening: float = 0.25
    points_per_dimension: float = 6.0
    fewest_generations: float = 100.0

    def popsize(self, dim: int, budget: float, noise: float | None) -> int:
        """The default population: large under noise, as far as the budget pays generations.

        Args:
            dim: Number of coordinates.
            budget: One-shot evaluations of the run.
            noise: Standard deviation of one shot; None where it is not known.

        Example:
            >>> [DEFAULTS.popsize(20, budget, None) for budget in (1e3, 1e4, 1e7)]
            [12, 100, 120]
            >>> DEFAULTS.popsize(20, 1e7, noise=0.0)
            12
        """
        least = cma.default_popsize(dim)
        if noise == 0:
            return least
        pairs = min(self.points_per_dimension * dim, budget / self.fewest_generations) / 2
        return max(2 * math.floor(pairs), least)


@dataclass(frozen=True)
class RestartParams:
    """Constants of several starts, chosen on five circuits of the development set of d = 4 and 6.

    Attributes:
        fewest_generations: Each start can pay so many generations of the least M, in units of G.
            With 2, five circuits ended at 10^5 shots as from one start on four seeds, and 1.6
            times worse on four others; with 10 or more, at 10^6, about 3 times better (three runs).
        most_starts: Most starts, the user's own among them.
        explored: Share of the budget that all starts have together: the price of the others is at
            most this share.
        compared: Share of the budget that compares their ends.
    """

    fewest_generations: float = 5.0
    most_starts: int = 4
    explored: float = 0.5
    compared: float = 0.05


DEFAULTS = AdaptiveParams()
"""Beside a surrogate, which needs populations as narrow as the noise allows."""

STANDALONE = AdaptiveParams(
    differences=True,
    averaged=2.0,
    noise_smoothing=0.02,
    periodic_rate=1.0,
    periodic_tail=4.0,
    first_phase=4.0,
    last_phase=1.0,
    periodic_hold=True,
    periodic_most_shots=10.0,
)
"""Of ``ar``, an evolution strategy alone."""

RESTARTS = RestartParams()
"""Of ``ar`` on periodic coordinates."""
