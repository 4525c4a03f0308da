"""Parameters of the quadratic surrogate, each with its reason.

`bench/sensitivity.py` halves and doubles them; docs/explanation/surrogate.md has the outcome.
"""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class DesignParams:
    """Size and cost of a design."""

    # Mirrored pairs of the smallest design per dimension, and at the least: slopes need one per
    # dimension; four leave degrees of freedom for the lack of fit.
    pairs_per_dimension: float = 4.0
    fewest_pairs: int = 10
    # Pairs per dimension of the smallest design where the Hessian is diagonal.
    diagonal_pairs_per_dimension: int = 2
    # Share of the pairs that is evaluated twice where the noise is unknown, and the least number
    # of them: for d = 10 the noise is known to 11% once ten designs are pooled.
    repeated_share: float = 0.2
    fewest_repeats: int = 4
    # Limits on pairs, and on pairs times squared coefficients, so that a fit takes seconds at most.
    most_pairs: int = 10_000
    most_operations: float = 5e8
    # A design is at most this many times larger than one that resolves all coefficients, after a
    # restart and where the symmetric lack of fit exceeds the antisymmetric one by that factor.
    most_enough: int = 4
    symmetric_excess: float = 4.0
    # Most designs of a run: the least cost is this part of the budget, so that a run ends in time.
    most_designs: int = 1000
    # Limit on designs times cubed coefficients: 47 designs at d = 40, where a fit takes a third of
    # a second, and a thousand up to d = 23.
    most_fit_operations: float = 3e10
    # Largest change of the cost from one design to the next, as the gain that it is chosen from is
    # uncertain.
    cost_change: float = 2.0
    # Growth of the cost at the least, while the quadratic does not fit and the minimiser is inside
    # the trust region: only a better resolved minimiser permits a smaller radius.
    lack_of_fit_growth: float = 1.5
    # A design after which less than this part of its cost would be left takes it too.
    remainder: float = 0.3
    # Equal designs at the end of a budget, instead of ever larger ones and a small rest.
    last_designs: int = 3


@dataclass(frozen=True)
class OutlierParams:
    """Values that are left out: by a fit, and where the noise is measured."""

    # Standard deviations beyond which a residual is an outlier, the deviation taken from the median
    # of the sizes: normal noise exceeds five once in two million pairs.
    deviations: float = 5.0
    # Relative standard error of that median, times the root of the number of residuals, and so many
    # of them count: the median of few residuals may be small by chance.
    median_error: float = 1.17
    median_significance: float = 4.0
    # Largest share that is left out (one value always may be): what happens more often is no
    # accident.
    share: float = 0.1
    # They are left out where the variance of the others is at most this many times the noise's.
    explained: float = 1.5
    # A fit that follows them leaves residuals of the others too. They are left out for the next fit
    # where they cause more than this share of the squares and the variance of the others is at most
    # this many times the noise's.
    squares_share: float = 0.5
    hidden: float = 1e4
    # Fits after the first one: each shows outliers that larger ones have hidden. The last one
    # counts only if noise explains what is left.
    passes: int = 3


@dataclass(frozen=True)
class RegressionParams:
    """The fit of the quadratic."""

    # Largest dimension with a full Hessian: the fit costs d^6/24 operations. Above it is diagonal.
    full_dimension: int = 40
    # A pair is used while the mean squared coordinate of both points is below this, in units of
    # the variance of the sampling distribution.
    nearness: float = 3.0
    # A design is used if at least this many and this share of its pairs are near.
    fewest_near: int = 4
    near_share: float = 0.1
    # Most rows of data, per coefficient, and in units of the newest design's pairs (the larger
    # one counts): they limit the time of a fit.
    rows_per_coefficient: float = 8.0
    rows_per_pair: int = 5
    # Preference for newer designs of equal precision.
    recency: float = 1e-3
    # Designs with more near pairs than this many per coefficient are transformed as sums instead
    # of row by row.
    summed_rows: int = 2
    # A design that this many fits in a row did not use is dropped.
    dropped_after: int = 20
    # Steps of expectation maximisation: few, as each fit begins with the variances of the last one.
    # They end when no variance of the data changes by more than the first tolerance (weights that
    # are wrong by 10% cost a quarter of a percent of precision) and the prior variance, which
    # settles from fit to fit and is widened anyway, by more than the second one.
    em_steps: int = 5
    em_tolerance: float = 0.1
    em_prior_tolerance: float = 0.3
    # Degrees of freedom of the residuals below which the lack of fit is not estimated.
    fewest_freedom: float = 3.0
    # Factor on the prior variance of the Hessian's entries in the last solution, where noise
    # dominates: Hessians with a few steep axes have heavier tails than normal ones, and their flat
    # axes would be pulled up to the mean (Rosenbrock, d = 10, 1e5 shots: 2.7 without, 0.8 with).
    prior_widening: float = 6.0
    outliers: OutlierParams = field(default_factory=OutlierParams)


@dataclass(frozen=True)
class NewtonParams:
    """The step to the minimiser."""

    # Curvatures are floored at this number of their standard errors.
    floor: float = 1.0
    # Longest step, in units of the typical radius sqrt(d) of the sampling distribution: beyond it
    # the quadratic is extrapolated.
    longest: float = 0.7
    # Exponent of curvature in the axes of the sampling distribution: half way between equal
    # radii (0) and equal contributions to the loss (1/2).
    shape_exponent: float = 0.25
    # Ratio of the smallest to the largest axis at the least.
    smallest_axis: float = 1e-8


@dataclass(frozen=True)
class TrustRegionParams:
    """The trust-region radius."""

    # Standard errors at which a lack of fit is significant.
    significance: float = 3.0
    # Symmetric lack of fit that matters, as a share of the variance that curvature causes.
    ruggedness: float = 1 / 12
    # Below this many standard errors, or this part of the share above, a larger radius may fit.
    room: float = 1.0
    room_share: float = 0.25
    # Factors on the radius.
    shrink: float = 0.7
    grow: float = 1.4
    # The minimiser is resolved when its error is below this, in units of the radius.
    resolved: float = 0.3
    # After each shrinking at one place the radius waits this many times longer before it grows.
    backoff: float = 2.0
    # Designs without a significant gain before the radius shrinks although the minimiser is not
    # resolved.
    patience: int = 5
    # On a rugged loss the minimiser must be resolved this many times better, and the radius then
    # shrinks by as much at once, into the local minimum around it.
    rugged_resolution: float = 3.0
    # A wide distribution that did not fit is taken again where its loss times cost is below this
    # part of the narrow one's: both are estimates, and a return costs a design.
    wide_return: float = 0.5
    # Power of the radius, beyond which the noise variance falls faster than the signal.
    quiet_power: float = 1.0
    # Least radius that follows the noise, in units of the largest: the loss varies there by 1e-16
    # of what it does at the largest radius, the rounding error of that.
    narrowest: float = 1e-8


@dataclass(frozen=True)
class NoiseParams:
    """The noise level and its trend."""

    # Weight of all designs before, at every further one: the noise may depend on the place.
    memory: float = 0.9
    # Two noise levels are pooled unless they differ by this many standard errors.
    agreement: float = 3.0
    # Standard errors at which a trend of the noise with the radius is significant.
    significance: float = 2.0
    # Largest power of the trend that a prediction uses: noise proportional to the loss has 2.
    largest_power: float = 2.0
    # Noise below this part of the values' variance has no effect on the step.
    precision: float = 1e-11
    # Relative rounding error of a value, and of the standard deviation of equal ones at the most.
    rounding: float = 1e-15
    calibrated_rounding: float = 1e-14
    outliers: OutlierParams = field(default_factory=OutlierParams)


@dataclass(frozen=True)
class RestartParams:
    """Local searches from other starts."""

    # Share of the budget for them.
    share: float = 0.1
    # Starts that end at the best minimum before no more are made.
    returns: int = 2
    # Standard deviation of a start around the first one, in units of sigma0, where no bounds are
    # given; sigma0 is a tenth of a range, whose standard deviation is 2.9 of it.
    reach: float = 3.0
    # Designs of a further start are this many times larger than those of the one before.
    growth: int = 2
    # Standard errors by which another minimum must be lower.
    significance: float = 2.0


@dataclass(frozen=True)
class DescentParams:
    """The quasi-Newton descent that a run begins with."""

    # Trial points along a step, in units of the step: its minimiser may lie further, and where the
    # curvature changes it is nearer. Five points cost less than differences from d = 3 on.
    fractions: tuple[float, ...] = (2.0, 1.0, 0.5, 0.25, 0.06)
    # Half the width of a difference at the least, in units of sqrt(error/curvature): 8^(1/4) is
    # the best one of Moré and Wild.
    width: float = 1.68
    # Width of one-sided differences in units of central ones: the part of the curvature that is not
    # known yet biases them in proportion (development functions without noise, d = 2 to 20: 1, 0.1
    # and 0.01 differ little).
    one_sided_width: float = 0.01
    # The slope is significant where its mean square is this many times that of its noise.
    significant: float = 4.0
    # After it the surrogate begins where the curvature raises the loss by so many standard
    # deviations of a value: a pair then shows it, and a loss that is smooth is still quadratic.
    rise: float = 10.0
    # Under noise a run begins with it only where the budget is less than so many evaluations per
    # coordinate, a hundred of the strategy's default populations: with more the strategy looks for
    # the better one of many minima, and a descent takes it into the nearest (development
    # functions at 10^5 shots: errors 1.2 times larger with a descent).
    strategy_evaluations: float = 600.0
    # The surrogate refines what it has found where the loss fell by so many standard deviations of
    # a value: noise was negligible on the way. Otherwise the strategy goes on from there.
    clear_gain: float = 100.0
    # A budget that pays no surrogate, but so many of its iterations, is worth it too.
    fewest_iterations: int = 10
    # Standard deviations of a value by which a trial point must be lower.
    proof: float = 2.0
    # Powell's damping: curvature along a step falls at most to this part at once.
    damping: float = 0.2
    # Least curvature along a coordinate in the first Hessian, as a share of the largest.
    flattest: float = 1e-3
    # The differences narrow by this after a failure, and by at most the second with the steps.
    narrowing: float = 4.0
    fastest_narrowing: float = 8.0
    # Narrowest difference in units of sigma0.
    narrowest: float = 1e-9
    # Relative rounding error of a value.
    rounding: float = 1e-15


@dataclass(frozen=True)
class AssistanceParams:
    """When the quadratic leads, and when the evolution strategy does."""

    # Growth of the spending from one fit to the next: seventeen fits in a run of 10^6 evaluations.
    fit_growth: float = 1.5
    # In more dimensions it is greater in proportion: a fit of 861 coefficients takes a second.
    quick_dimension: float = 20.0
    # Widths in which generations are fitted, in units of the strategy's distribution: older
    # generations were wider, and a wide distribution resolves a minimiser best.
    widths: tuple[float, ...] = (1.0, 2.0, 4.0)
    # The residuals of so many smallest designs of pairs are tested.
    tested_designs: int = 2
    # Variance that the quadratic does not explain, as a share of what it does, up to which its step
    # is worth trying although it is known not to fit: without noise none ever fits.
    unexplained: float = 0.05
    # Noise dominates the ranks where less than this share of the values' variance is the loss's.
    noise_share: float = 0.3
    # Generations that are remembered: pairs per coefficient, and at least.
    pairs_per_coefficient: float = 8.0
    fewest_remembered: int = 1000
    # Generations are remembered once the next fit is nearer than this many times as many pairs;
    # the shots per point may fall until then.
    remembered_ahead: float = 2.0
    # After a take-over the surrogate spends as much as the strategy did before, at least this
    # share of the budget; then both recommendations are compared.
    trial_share: float = 0.1
    # A quadratic that is known not to fit exactly spends this share of what was spent instead.
    short_trial: float = 0.2
    # Designs in a row with a significant lack of fit after which a surrogate that leads hands over.
    doubtful_designs: int = 3
    # Cost of a comparison, as a share of what was spent, and of the last one, with x0, as a share
    # of the budget: noise that grows with the loss (f117 of COCO, d = 5, 5000 shots, an
    # instance that no page has) left 7 of 16 answers above x0 with two per cent, 3 with four.
    comparison: float = 0.03
    last_comparison: float = 0.04
    # Standard errors by which the other recommendation must be better to take the lead.
    significance: float = 2.0
    # The same for x0: less proof is asked for the point that the user has chosen. With noise as
    # large as the loss (10^3 shots, d = 2 and 5, tau = 10) 11 of 20 answers were above x0 with two
    # standard errors, 8 with one.
    start_significance: float = 1.0
    # Generations per coordinate of a search elsewhere, where there is no noise: as many as four
    # runs plan for. The budget pays so many with the largest population at the least.
    exploring_per_dimension: int = 200
    fewest_exploring: int = 100
    # The strategy learns from generation to generation: with fewer jobs per coordinate than this
    # the surrogate alone is better.
    jobs_per_dimension: float = 20.0


@dataclass(frozen=True)
class SurrogateParams:
    """All parameters of the quadratic surrogate.

    Example:
        >>> from dataclasses import replace
        >>> params = SurrogateParams()
        >>> wider = replace(params, newton=replace(params.newton, longest=1.0))
        >>> wider.newton.longest, wider.newton.floor
        (1.0, 1.0)
    """

    design: DesignParams = field(default_factory=DesignParams)
    regression: RegressionParams = field(default_factory=RegressionParams)
    newton: NewtonParams = field(default_factory=NewtonParams)
    trust_region: TrustRegionParams = field(default_factory=TrustRegionParams)
    noise: NoiseParams = field(default_factory=NoiseParams)
    restarts: RestartParams = field(default_factory=RestartParams)
    descent: DescentParams = field(default_factory=DescentParams)
    assistance: AssistanceParams = field(default_factory=AssistanceParams)


DEFAULTS = SurrogateParams()
"""The usual parameters."""
