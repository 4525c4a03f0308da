"""Parameters of the method for known frequencies, each with its reason."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from scipy.special import ndtri

from qiskit_arcmaes.shift.params import (
    AdamParams,
    ModelParams,
    MultistartParams,
    NewtonParams,
    PlanParams,
)


@dataclass(frozen=True)
class RuleParams:
    """Shift rules.

    Attributes:
        most_points: Most points of an exact rule: one of 16 still has less variance than a pair at
            a shift whose bias is small.
        shift: Finite shift where there are more, in units of 1 / largest frequency: the pair
            carries the largest signal of that frequency and vanishes identically for none.
        least_shift: Least finite shift, in the same units.
    """

    most_points: int = 16
    shift: float = math.pi / 2
    least_shift: float = 1e-2


@dataclass(frozen=True)
class GroupParams:
    """Planned measurement by group.

    Attributes:
        floor: Least deviation of one shot of a group, in units of that on a random state: a
            scatter seen as 0 in few shots must not starve a group.
        prior_freedom: Degrees of freedom that the scatter on a random state counts for.
        memory: Factor by which what was learned of the scatter fades from job to job.
        reference_rate: Rate of the running means that stand in where a group gets no shot.
        rows_per_point: Where all rows of a job have equal shots: rows per circuit and group, at the
            most, on average.
        centre_share: Largest share of a descent's shots that may go to its centre; it is not
            measured where its least shots, two per group, would cost more.
    """

    floor: float = 0.4
    prior_freedom: float = 2.0
    memory: float = 0.9
    reference_rate: float = 0.2
    rows_per_point: float = 4.0
    centre_share: float = 0.1


@dataclass(frozen=True)
class RateParams:
    """Rate of Adam in a descent: held, then falling geometrically.

    In the noise of the slopes Adam's step is rate / (deviation of a slope) times the gradient. For
    a curvature h the best last step of n is 1 / (h n) times the gradient (Robbins and Monro), so
    that the last rate is deviation / (h n): it follows the noise. In between, the geometric fall
    spends equally many steps on every scale, because flat directions need larger rates.

    Attributes:
        first: First rate in radians from an uninformed start: a quarter of a radian crosses the
            circle in a few dozen steps.
        held: Share of a descent over which the first rate is held, for flat valleys and saddles.
        last: Last rate in units of deviation / (curvature · steps).
        least: Least last rate in units of the first, where there is no noise.
        curvature_weight: Weight of the newest curvatures in their running mean.
    """

    first: float = 0.25
    held: float = 0.2
    last: float = 1.0
    least: float = 1e-4
    curvature_weight: float = 0.3


@dataclass(frozen=True)
class ExpansionParams:
    """First point from the exact expansion at a Clifford point.

    Attributes:
        radius: Trust region in radians: within it a sinusoid is its second-order expansion up to 4%
            of the change. On UCCSD of the development set, chains and random Hamiltonians of 4 to 6
            qubits, which no page shows, the step realised 82% to 98% of what the expansion
            promises, and 58% to 93% at a radius of 1.
        perturbation: Random slope along directions of negative curvature, in units of the largest
            slope within the region: small against a slope that matters.
        much_more: Factor by which these must promise more than the slopes alone.
        rounding: Relative size of what counts as zero.
    """

    radius: float = 0.7
    perturbation: float = 0.01
    much_more: float = 2.0
    rounding: float = 1e-9


@dataclass(frozen=True)
class InspectionParams:
    """First job: x0 and the slopes there.

    Attributes:
        share: Share of the budget.
        centre_share: Share of the job's points that are x0, which is compared with the mean loss.
        centre_shots: Fewest shots of x0 in a planned first job: enough to tell it from the mean,
            because one shot scatters about as far as the span.
        most_share: Largest share of the budget that these may take.
        random_points: Points whose mean stands for the mean loss where that is not known.
        standard_errors: By how many standard errors an informed start lies below the mean.
        span_share: And by which share of the span: Hartree-Fock states reach most of it, ramps of
            QAOA a third, states of random angles hardly ever a quarter.
        stationary: A start is nearly stationary where its slopes per radian, root mean square, are
            at most this share of its depth below the mean: of a sinusoid, within 7 degrees of its
            minimum.
        doubt: Standard errors of x0 that speak for it in that comparison.
        doubt_of_several: The same where an uninformed start is given up for several others: that
            costs more than to keep a random one.
    """

    share: float = 0.05
    centre_share: float = 0.3
    centre_shots: float = 200.0
    most_share: float = 0.15
    random_points: int = 8
    standard_errors: float = 2.0
    span_share: float = 0.25
    stationary: float = 1 / 8
    doubt: float = 1.0
    doubt_of_several: float = 2.0


@dataclass(frozen=True)
class DescentParams:
    """Budgets of descents.

    Attributes:
        least_steps: Steps of one shot per point that a budget must pay, or another method runs.
            Few, because the other methods throw an informed start away: UCCSD of H2 with 300 shots
            ended at 0.38 by AR-CMA-ES, and stays at its start of 0.020 here.
        steps_per_start: Steps of one shot per point that each of several starts must be able to
            pay; with fewer there are fewer starts.
        model_share: Largest share of the budget that the steps before the second order take: a
            larger budget never switches it off. It reaches up to 12 angles.
    """

    least_steps: int = 2
    steps_per_start: int = 25
    model_share: float = 0.72


@dataclass(frozen=True)
class ScreeningParams:
    """Screening of random points before several starts.

    Attributes:
        share: Share of the budget.
        wanted_points: Points that a small budget pays with a larger share: a basin that takes an
            eighth of the circle is missed by all of them once in 25 runs.
        most_share: That share at the most: three quarters are left for the descent, whose error is
            then a third larger.
        points_per_shot: Points per shot of a point: more points find better basins, more shots
            tell them apart.
        least_shots: Fewest shots per point.
        fewest_points: Fewest points that are worth a job.
        most_points: Most points of the job.
        schedule_share: Share of the points that are schedules, linear from layer to layer.
        schedule_reach: How far from 0 they may be, in radians of the largest frequency.
    """

    share: float = 0.1
    wanted_points: int = 24
    most_share: float = 0.25
    points_per_shot: float = 3.0
    least_shots: int = 8
    fewest_points: int = 6
    most_points: int = 400
    schedule_share: float = 0.5
    schedule_reach: float = 3 * math.pi


@dataclass(frozen=True)
class LocalParams:
    """Local phase from an informed start.

    Attributes:
        false_moves: Expected number of angles that move without a true slope. The standard errors z
            that a slope must have before its angle moves follow from it.
        growth: Factor from the shots of a round to those of the next, so that the last rounds,
            nearest to the minimum, have most of the shots.
        coupling: First guess of the slope that moves of other angles add, in units of the mean
            curvature; later rounds correct it.
        least_coupling: Least coupling.
        most_coupling: Largest coupling; steps are damped by 1 / (1 + coupling).
        least_curvature: Least curvature in units of the mean.
        longest_step: Longest step of an angle in one round, in radians.
        farthest: Longest move from x0 in radians, root mean square over the angles, for which its
            slopes and curvatures hold; where more is wanted Adam takes over.
        most_gain: Largest gain that a minimum nearby may promise, in units of how far x0 lies below
            the mean: Hartree-Fock states leave a few per cent, lucky random states much more.
        steep: Standard errors by which the sum of squared slopes at x0, each in units of its
            variance, must exceed its expectation over the smaller half of the angles before a start
            whose angles have one frequency each is taken for a lucky random one: designed starts
            are steep along few angles.
        slope: The same, for all angles at the present centre, before a descent begins towards a
            minimum that is known to be far: a false alarm costs little there.
        most_rounds: Rounds after which growing rounds have used any budget.
    """

    false_moves: float = 0.05
    growth: float = 1.4
    coupling: float = 0.3
    least_coupling: float = 0.05
    most_coupling: float = 2.0
    least_curvature: float = 0.2
    longest_step: float = 0.4
    farthest: float = 0.5
    most_gain: float = 0.15
    steep: float = 3.0
    slope: float = 2.0
    most_rounds: int = 50

    def standard_errors(self, dim: int) -> float:
        """Standard errors z that a slope must have before its angle moves.

        Args:
            dim: Number of angles.

        Example:
            >>> [round(LocalParams().standard_errors(dim), 2) for dim in (1, 10, 100)]
            [1.96, 2.81, 3.48]
        """
        return float(ndtri(1 - self.false_moves / (2 * dim)))

    def few_shots(self, dim: int) -> float:
        """Factor to the contribution of one shot in Bernstein's inequality: ln(1/p)/3.

        Args:
            dim: Number of angles.

        Example:
            >>> [round(LocalParams().few_shots(dim), 2) for dim in (1, 10, 100)]
            [1.23, 2.0, 2.76]
        """
        return math.log(2 * dim / self.false_moves) / 3


@dataclass(frozen=True)
class AcceptanceParams:
    """Comparison of the recommendation with x0 at the end.

    Attributes:
        share: Share of the budget that measures both.
        standard_errors: By how many standard errors x0 must be lower to be returned, where only
            moves were made that slopes prove.
    """

    share: float = 0.03
    standard_errors: float = 2.0


@dataclass(frozen=True)
class SpectralParams:
    """All parameters of ``SpectralShift``.

    Attributes:
        rules: Shift rules.
        groups: Planned measurement by group.
        rate: Rate of a descent.
        expansion: First point from the circuit alone.
        inspection: First job.
        descent: Budgets of descents.
        plan: Steps and shots of a descent.
        adam: First-order steps.
        screening: Random points before several starts.
        restarts: Several starts, where a loss has several frequencies and no informed start.
        model: Fit of the gradient.
        newton: Second-order designs.
        local: Local phase from an informed start.
        acceptance: Comparison with x0.
        largest_value: Largest absolute value of a loss; a larger one counts as failed.
    """

    rules: RuleParams = field(default_factory=RuleParams)
    groups: GroupParams = field(default_factory=GroupParams)
    rate: RateParams = field(default_factory=RateParams)
    expansion: ExpansionParams = field(default_factory=ExpansionParams)
    inspection: InspectionParams = field(default_factory=InspectionParams)
    descent: DescentParams = field(default_factory=DescentParams)
    plan: PlanParams = field(default_factory=PlanParams)
    adam: AdamParams = field(default_factory=AdamParams)
    screening: ScreeningParams = field(default_factory=ScreeningParams)
    restarts: MultistartParams = field(default_factory=lambda: MultistartParams(starts=5))
    model: ModelParams = field(default_factory=ModelParams)
    newton: NewtonParams = field(default_factory=NewtonParams)
    local: LocalParams = field(default_factory=LocalParams)
    acceptance: AcceptanceParams = field(default_factory=AcceptanceParams)
    largest_value: float = 1e100


DEFAULTS = SpectralParams()
