"""Parameters of the method for known frequencies, each with its reason."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

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
    held: float = 0.3
    last: float = 1.0
    least: float = 1e-4
    curvature_weight: float = 0.3


@dataclass(frozen=True)
class InspectionParams:
    """First job: x0 and the slopes there.

    Attributes:
        share: Share of the budget.
        centre_share: Share of the job's points that are x0, which is compared with the mean loss.
        random_points: Points whose mean stands for the mean loss where that is not known.
        standard_errors: By how many standard errors an informed start lies below the mean.
        deviations: And by how many standard deviations of the loss over random points. The latter
            is that of one shot where the mean is known: for random states both are the root of
            the sum of squared coefficients.
        gain_share: Share of the proved gain that noise may take back at the first rate.
        noise_excess: Loss that noise keeps Adam above the minimum by, in units of angles times
            rate times the standard deviation of a slope.
    """

    share: float = 0.05
    centre_share: float = 0.3
    random_points: int = 8
    standard_errors: float = 2.0
    deviations: float = 0.5
    gain_share: float = 0.5
    noise_excess: float = 0.25


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
        enough_steps: Steps at which Adam's usual first rate crosses the circle; with fewer the
            rate is raised by the square root of their ratio.
        largest_factor: Largest such factor: steps of half a radian.
    """

    least_steps: int = 2
    steps_per_start: int = 25
    model_share: float = 0.72
    enough_steps: float = 160
    largest_factor: float = 3.0


@dataclass(frozen=True)
class AcceptanceParams:
    """Comparison of the recommendation with x0 at the end.

    Attributes:
        share: Share of the budget that measures both.
        standard_errors: By how many standard errors an informed x0 must be lower to be returned.
        local: Longest move in radians from an informed start that is taken back where slopes and
            curvatures do not prove it; they hold no farther.
    """

    share: float = 0.03
    standard_errors: float = 2.0
    local: float = 0.5


@dataclass(frozen=True)
class SpectralParams:
    """All parameters of ``SpectralShift``.

    Attributes:
        rules: Shift rules.
        groups: Planned measurement by group.
        rate: Rate of a descent.
        inspection: First job.
        descent: Budgets of descents.
        plan: Steps and shots of a descent.
        adam: First-order steps.
        restarts: Several starts, where a loss has several frequencies and no informed start.
        model: Fit of the gradient.
        newton: Second-order designs.
        acceptance: Comparison with x0.
        largest_value: Largest absolute value of a loss; a larger one counts as failed.
    """

    rules: RuleParams = field(default_factory=RuleParams)
    groups: GroupParams = field(default_factory=GroupParams)
    rate: RateParams = field(default_factory=RateParams)
    inspection: InspectionParams = field(default_factory=InspectionParams)
    descent: DescentParams = field(default_factory=DescentParams)
    plan: PlanParams = field(default_factory=PlanParams)
    adam: AdamParams = field(default_factory=AdamParams)
    restarts: MultistartParams = field(default_factory=MultistartParams)
    model: ModelParams = field(default_factory=ModelParams)
    newton: NewtonParams = field(default_factory=NewtonParams)
    acceptance: AcceptanceParams = field(default_factory=AcceptanceParams)
    largest_value: float = 1e100


DEFAULTS = SpectralParams()
