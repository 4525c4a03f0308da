"""Parameters of the parameter-shift method, each with its reason."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace


@dataclass(frozen=True)
class PlanParams:
    """Steps and shots of one start.

    Attributes:
        least_steps: Steps with a test of the shift that a budget must pay, or another method runs.
        fewest_steps: Fewest steps planned; in flat valleys steps limit, not shots.
        most_steps: Most steps planned; beyond it more shots per step help as much.
        steps_per_root: Steps per square root of the pairs of one shot, between these limits.
        fewest_expensive_steps: Fewest steps where a new circuit costs more than its shots.
        test_cost: Factor by which tests of the shift raise the cost of a step.
        value_interval: The centre is measured at every step divisible by this, for the history
            and for the curvatures.
        cheapest: Fewest shots of a step, in units of the planned shots.
        most_expensive: Most shots of a step, in the same units. Wider limits took steps away from
            the end of a run and made LiH worse.
    """

    least_steps: int = 20
    fewest_steps: float = 250
    most_steps: float = 500
    steps_per_root: float = 4
    fewest_expensive_steps: float = 100
    test_cost: float = 1.12
    value_interval: int = 8
    cheapest: float = 0.5
    most_expensive: float = 1.25


@dataclass(frozen=True)
class ShiftTestParams:
    """Test of the shift against a smaller one.

    Attributes:
        first_shift: First shift in radians: at π/2 a pair carries the largest signal per shot.
        least_shift: Least shift in radians, about the cube root of a float's relative rounding:
            below it rounding of the values outweighs the bias.
        ratio: Smaller shift in units of the present one: irrational, because at a rational
            ratio integer frequencies can agree by chance.
        tests: Tests in the first steps; later ones come at the powers of two.
        steps_per_test: Steps of a start per such test, at the least: a test costs as much as two
            more steps, so that these tests cost a twentieth of the start.
        extension: Factor on the number of tests while the outcome is in doubt.
        doubt: p-value below which the outcome is in doubt.
        reported_freedom: Degrees of freedom of a noise level that the oracle reports.
        false_alarm: p-value that reduces the shift while one frequency is assumed.
        suspicion: p-value that reduces it once several frequencies were found.
        tolerance: Share of the slopes' squared norm by which both may differ without harm.
        noise_weight: Weight of one test in the variance of a shot: the last tests count, because
            the variance depends on the point.
    """

    first_shift: float = math.pi / 2
    least_shift: float = 1e-5
    ratio: float = (math.sqrt(5) - 1) / 2
    tests: float = 8
    steps_per_test: float = 40
    extension: float = 4
    doubt: float = 0.1
    reported_freedom: float = 1e6
    false_alarm: float = 1e-3
    suspicion: float = 0.05
    tolerance: float = 0.05
    noise_weight: float = 0.5


@dataclass(frozen=True)
class AdamParams:
    """Adam (Kingma and Ba, arXiv:1412.6980) with a cosine schedule.

    Attributes:
        rate: First step in radians per angle.
        last_rate: Last step in units of the first one.
        momentum: Decay beta_1 of the average of the gradients.
        squares: Decay beta_2 of the average of their squares; below the usual 0.999, because a
            run has a few hundred steps.
        average_share: Largest share of a run's steps that the average of the gradients may reach
            back: where there are few steps, old gradients are of other places.
        epsilon: Added to the root of that average, against division by zero.
    """

    rate: float = 0.15
    last_rate: float = 0.01
    momentum: float = 0.9
    squares: float = 0.99
    average_share: float = 0.1
    epsilon: float = 1e-12

    def for_steps(self, steps: float) -> AdamParams:
        """The parameters of a run of so many steps: its momentum is limited.

        Example:
            >>> [round(AdamParams().for_steps(steps).momentum, 3) for steps in (1, 40, 500)]
            [0.0, 0.75, 0.9]
        """
        most = 1 - 1 / max(self.average_share * steps, 1.0)
        return replace(self, momentum=min(self.momentum, most))


@dataclass(frozen=True)
class MultistartParams:
    """Several starts, where a loss has several frequencies and hence several minima.

    Attributes:
        starts: Number of starts: each reaches the best minimum of MaxCut once in five times.
        budget_share: Share of the budget that the starts and all before them take.
        deadline: Share of the budget after which it is too late for several starts.
        step_share: Steps of one of several starts in units of those of a single start.
        final_rate: First step from the best endpoint, in units of the first step of a start.
        comparison_share: Share of the budget that compares the endpoints.
    """

    starts: int = 8
    budget_share: float = 0.5
    deadline: float = 0.25
    step_share: float = 0.5
    final_rate: float = 0.2
    comparison_share: float = 0.02


@dataclass(frozen=True)
class ModelParams:
    """Fit of gradients as a function of the angles.

    Attributes:
        iterations: Alternating estimates of the coefficients and of the two variances; they
            settle in three to five.
        least_residual: Least share of a residual that a fit leaves, against division by zero.
        resolution: Standard errors that a curvature must have; it counts as that many if it has
            fewer.
        relative_variance: Variance of a slope in units of the mean square, where there is no noise.
        least_prior_variance: Least variance of the Hessian's entries about the prior.
    """

    iterations: int = 5
    least_residual: float = 0.05
    resolution: float = 2.0
    relative_variance: float = 1e-12
    least_prior_variance: float = 1e-12


@dataclass(frozen=True)
class NewtonParams:
    """Second-order designs.

    Attributes:
        steps_per_coefficient: Steps of Adam per coefficient of the model before its first fit.
        recent_share: Share of these steps, the last ones, that lies near enough to be fitted.
        radius: Trust-region radius in radians per angle.
        least_radius: Least radius to report, so that no design looks collapsed.
        noise_weight: Weight of one design in the variance of a shot, where none is reported: two
            values at its centre have one degree of freedom.
        fewest_designs: Designs that the budget must pay; with fewer the model is not corrected.
        most_designs: Designs of equal shots; more make no difference.
    """

    steps_per_coefficient: float = 4
    recent_share: float = 0.5
    radius: float = 0.3
    least_radius: float = 1e-9
    noise_weight: float = 0.05
    fewest_designs: int = 10
    most_designs: int = 50


@dataclass(frozen=True)
class ShiftParams:
    """All parameters of ``ParameterShift``.

    Attributes:
        plan: Steps and shots of a start.
        test: Test of the shift.
        adam: First-order steps.
        multistart: Several starts.
        model: Fit of the gradient.
        newton: Second-order designs.
        largest_value: Largest absolute value of a loss; a larger one counts as failed, because
            sums of its squares would overflow.

    Example:
        >>> ShiftParams(adam=AdamParams(rate=0.1)).adam.rate
        0.1
    """

    plan: PlanParams = field(default_factory=PlanParams)
    test: ShiftTestParams = field(default_factory=ShiftTestParams)
    adam: AdamParams = field(default_factory=AdamParams)
    multistart: MultistartParams = field(default_factory=MultistartParams)
    model: ModelParams = field(default_factory=ModelParams)
    newton: NewtonParams = field(default_factory=NewtonParams)
    largest_value: float = 1e100


DEFAULTS = ShiftParams()

# For losses that transform what a circuit measures, as squared errors and cross entropies do: they
# contain multiples of its frequencies, so that half the shift is taken and no test of one frequency
# can reduce it. Over six sets of data (1e5 to 8e5 shots) π/6 was level, and π/3 only up to 2e5.
TRANSFORMED = ShiftParams(
    test=ShiftTestParams(first_shift=math.pi / 4, tests=1, false_alarm=0.0, suspicion=0.0)
)
