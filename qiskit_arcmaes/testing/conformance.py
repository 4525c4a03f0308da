"""What every method must do, as checks that take a method's class.

A new method keeps the contract when ``failures(NewMethod)`` is empty. The checks are deterministic.
"""

from __future__ import annotations

import math
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from qiskit_arcmaes.domain import make_domain
from qiskit_arcmaes.engine.checkpoint import load, rebuild, save
from qiskit_arcmaes.method import Batch, Method, Setup
from qiskit_arcmaes.oracles import Estimate

Kind = Callable[[Setup, np.random.Generator], Method]

DIM = 4


class ConformanceError(AssertionError):
    """A method does not do what every method must; the message says what."""


def failures(kind: Kind) -> dict[str, str]:
    """Run all checks on a method.

    Args:
        kind: The method's class.

    Returns:
        The name of each check that failed, with the reason; nothing for a method that keeps the
        contract.

    Example:
        >>> from qiskit_arcmaes.registry import METHODS
        >>> failures(METHODS["cma"].build)
        {}
    """
    found = {}
    for check in CHECKS:
        try:
            check(kind)
        except Exception as error:  # whatever a method raises counts against it
            found[check.__name__] = f"{type(error).__name__}: {error}"
    return found


def make(kind: Kind, dim: int = DIM, seed: int = 0, **settings: Any) -> Method:
    """Build a method that begins at 1.5 in every coordinate, with 10 points and 10⁵ shots.

    Args:
        kind: The method's class.
        dim: Number of coordinates.
        seed: Of its generator.
        **settings: What differs in its ``Setup``.
    """
    defaults = {
        "start": np.full(dim, 1.5),
        "sigma0": 0.5,
        "popsize": 10,
        "domain": make_domain(dim),
        "budget": 1e5,
    }
    return kind(Setup(**{**defaults, **settings}), np.random.default_rng(seed))


def drive(
    method: Method, jobs: int, noise: float = 0.1, seed: int = 1, variances: bool = False
) -> list[Batch]:
    """Run a method on the noisy sphere and return all batches.

    Args:
        method: As ``make`` returns it.
        jobs: Most jobs.
        noise: Standard deviation of one shot.
        seed: Of the noise.
        variances: Whether the method is told the variance of every value.
    """
    rng = np.random.default_rng(seed)
    batches = []
    for _ in range(jobs):
        if method.finished:
            break
        batch = method.ask()
        deviation = noise / math.sqrt(batch.shots)
        values = np.sum(batch.points**2, axis=1) + deviation * rng.standard_normal(
            len(batch.points)
        )
        known = np.full(len(values), deviation**2) if variances else None
        method.tell(batch, Estimate(values, known))
        batches.append(batch)
    return batches


def a_batch_is_points_and_one_integer_shot_count(kind: Kind) -> None:
    """Points have shape (n, d); the shots are an int of at least 1."""
    for batch in drive(make(kind), 30):
        shape = batch.points.shape
        _require(len(shape) == 2 and shape[1] == DIM, f"points have shape {shape}, not (n, {DIM})")
        _require(isinstance(batch.shots, int), f"shots are a {type(batch.shots).__name__}, no int")
        _require(batch.shots >= 1, f"shots are {batch.shots}, below 1")


def descends_on_the_sphere(kind: Kind) -> None:
    """From f = 9; deterministic for the seed, and any method that works at all is far below 4.

    ar-literal is the paper's box as printed, which is documented to stall; it must still descend.
    """
    method = make(kind)
    drive(method, 120)
    _require_below(np.sum(method.recommendation**2), 4, "the sphere after 120 jobs, from 9")


def same_seed_same_batches(kind: Kind) -> None:
    """All randomness comes from the generator that the method was given."""
    _require_same(drive(make(kind), 20), drive(make(kind), 20), "two runs with one seed")


def state_saved_and_restored_goes_on_bit_for_bit(kind: Kind) -> None:
    """Everything that a method remembers is in its state, and the state is plain data."""
    noise = 2.0  # so much that whatever a method remembers of it matters
    method = make(kind)
    drive(method, 8, noise)
    with tempfile.TemporaryDirectory() as folder:
        save(Path(folder) / "state", {"state": method.state})
        saved = load(Path(folder) / "state")["state"]
    expected = drive(method, 15, noise, seed=2)
    fresh = make(kind, seed=99)
    fresh.restore(rebuild(type(fresh.state), saved))
    _require_same(expected, drive(fresh, 15, noise, seed=2), "the run and the resumed run")
    same = bool(np.array_equal(method.recommendation, fresh.recommendation))
    _require(same, "the recommendations differ after resuming")
    one, two = method.report(), fresh.report()
    _require(repr(one) == repr(two), f"the reports differ after resuming: {one} and {two}")


def bounds_are_respected_by_points_and_recommendation(kind: Kind) -> None:
    """Bounds on one side, on both, and none."""
    domain = make_domain(DIM, [(1.0, 2.0), (None, 1.6), (1.4, None), (None, None)])
    method = make(kind, domain=domain)
    for batch in drive(method, 60):
        _require(_inside(batch.points, domain.lower, domain.upper), "a point is out of bounds")
        _require(
            _inside(method.recommendation, domain.lower, domain.upper),
            "the recommendation is out of bounds",
        )


def periodic_coordinates_are_searched_freely_and_reported_wrapped(kind: Kind) -> None:
    """The minimum lies beyond the seam of [0, 2π): bounds there would hold the search up.

    The start is 0.9 in every coordinate, the minimum 5.4, which is 1.8 away through the seam. With
    bounds in place of periods a descent ends at 0, where the loss is 4 (1 - cos 0.88) = 1.45: only
    a method that goes through the seam ends below 0.7.
    """
    domain = make_domain(DIM, [(0, 2 * np.pi)] * DIM)
    method = make(kind, domain=domain, start=np.full(DIM, 0.9), popsize=20)
    rng = np.random.default_rng(3)
    for _ in range(120):
        if method.finished:
            break
        batch = method.ask()
        _require(_inside(batch.points, 0, 2 * np.pi), "a point is not wrapped into its period")
        loss = np.sum(1 - np.cos(batch.points - 5.4), axis=1)
        noise = 0.05 / math.sqrt(batch.shots) * rng.standard_normal(len(loss))
        method.tell(batch, Estimate(loss + noise))
        radius = method.report().radius
        _require(radius <= np.pi / 2 * (1 + 1e-12), f"the radius {radius} exceeds a quarter period")
    x = method.recommendation
    _require(_inside(x, 0, 2 * np.pi), "the recommendation is not wrapped into its period")
    _require_below(np.sum(1 - np.cos(x - 5.4)), 0.7, "the loss beyond the seam, from 4.9")


def failed_points_rank_last_and_do_no_harm(kind: Kind) -> None:
    """A fifth of the values is NaN or infinite, and -inf is all that one side has to offer."""
    method = make(kind, popsize=12)
    rng = np.random.default_rng(4)
    for _ in range(100):
        if method.finished:
            break
        batch = method.ask()
        values = np.sum(batch.points**2, axis=1) + 0.1 * rng.standard_normal(len(batch.points))
        values[rng.random(len(values)) < 0.2] = rng.choice([np.nan, np.inf, -np.inf])
        values[batch.points.sum(axis=1) > 8] = -np.inf  # the start has 6
        if not np.isfinite(values).any():
            values[0] = 1.0
        method.tell(batch, Estimate(values))
        _require_finite(method)
    _require_below(np.sum(method.recommendation**2), 9, "the sphere with failed values, from 9")


def a_batch_with_one_value_left_does_no_harm(kind: Kind) -> None:
    """All other values of a job are NaN."""
    method = make(kind)
    drive(method, 6)
    for kept in (0, -1):
        batch = method.ask()
        values = np.full(len(batch.points), np.nan)
        values[kept] = 5.0
        method.tell(batch, Estimate(values))
        _require_finite(method)
    drive(method, 3)
    _require_finite(method)


def constant_values_are_survived(kind: Kind) -> None:
    """Nothing can be learned from them, and nothing breaks."""
    method = make(kind)
    for _ in range(60):
        if method.finished:
            break
        batch = method.ask()
        method.tell(batch, Estimate(np.full(len(batch.points), 3.0)))
    _require_finite(method)


def reported_variances_are_taken(kind: Kind) -> None:
    """A method may use them or not; it must take them."""
    method = make(kind, reports_variances=True)
    drive(method, 30, variances=True)
    _require_finite(method)


def report_has_a_number_for_every_column(kind: Kind) -> None:
    """The diagnostics are columns of the history, each with a label."""
    method = make(kind)
    for _ in range(10):
        found, wanted = set(method.report().diagnostics), set(method.columns)
        _require(found == wanted, f"report has {sorted(found)}, columns has {sorted(wanted)}")
        for name, value in method.report().diagnostics.items():
            _require(isinstance(value, float), f"{name} is a {type(value).__name__}, no float")
        drive(method, 1)


def every_batch_says_its_phase(kind: Kind) -> None:
    """``result.algorithm`` is made of them."""
    for batch in drive(make(kind), 10):
        _require(bool(batch.phase.strip()), "a batch has no phase")


def ask_changes_nothing_but_the_generator(kind: Kind) -> None:
    """With the generator set back, asking again gives the same batch: nothing is pending."""
    method = make(kind)
    drive(method, 6, 2.0)
    for _ in range(12):
        if method.finished:
            break
        before = method.state.rng.bit_generator.state
        first = method.ask()
        method.state.rng.bit_generator.state = before
        second = method.ask()
        _require_same([first], [second], "two asks with the same generator")
        method.state.rng.bit_generator.state = before
        drive(method, 1, 2.0)


def first_jobs_is_an_upper_bound_up_to_the_first_iteration(kind: Kind) -> None:
    """So that a budget that is too small is known before a shot is spent."""
    method = make(kind)
    promised = method.first_jobs()
    taken: list[tuple[int, int]] = []
    while method.report().iteration == 0:
        _require(len(taken) <= 100, "no iteration was finished in 100 jobs")
        taken.extend((len(batch.points), batch.shots) for batch in drive(method, 1))
    _require(len(taken) == len(promised), f"first_jobs says {promised}, the jobs were {taken}")
    for job, limit in zip(taken, promised, strict=True):
        _require(job[0] <= limit[0] and job[1] <= limit[1], f"the job {job} exceeds {limit}")


def min_shots_is_the_least(kind: Kind) -> None:
    """No job takes fewer."""
    least = min(batch.shots for batch in drive(make(kind, min_shots=7), 30))
    _require(least >= 7, f"a job took {least} shots, with min_shots = 7")


def one_coordinate_and_the_smallest_population_work(kind: Kind) -> None:
    """Two points in one dimension."""
    method = make(kind, dim=1, popsize=2)
    drive(method, 30)
    _require_finite(method)


def tell_checks_what_it_is_told(kind: Kind) -> None:
    """As many values as points, as many variances as values."""
    method = make(kind)
    batch = method.ask()
    count = len(batch.points)
    for values, variances, words in (
        (np.zeros(count + 1), None, "values must have shape"),
        (np.zeros(count), np.zeros(3), "variances must have shape"),
    ):
        estimate = Estimate(values, variances)
        _require_refusal(ValueError, words, partial(method.tell, batch, estimate))


CHECKS: tuple[Callable[[Kind], None], ...] = (
    a_batch_is_points_and_one_integer_shot_count,
    descends_on_the_sphere,
    same_seed_same_batches,
    state_saved_and_restored_goes_on_bit_for_bit,
    bounds_are_respected_by_points_and_recommendation,
    periodic_coordinates_are_searched_freely_and_reported_wrapped,
    failed_points_rank_last_and_do_no_harm,
    a_batch_with_one_value_left_does_no_harm,
    constant_values_are_survived,
    reported_variances_are_taken,
    report_has_a_number_for_every_column,
    every_batch_says_its_phase,
    ask_changes_nothing_but_the_generator,
    first_jobs_is_an_upper_bound_up_to_the_first_iteration,
    min_shots_is_the_least,
    one_coordinate_and_the_smallest_population_work,
    tell_checks_what_it_is_told,
)
"""All checks, each a function of a method's class that raises when the method fails it."""


def _require(holds: bool, complaint: str) -> None:
    if not holds:
        raise ConformanceError(f"{complaint}.")


def _require_below(value: float, limit: float, what: str) -> None:
    _require(bool(value < limit), f"{what}: {value:.3g}, not below {limit}")


def _require_finite(method: Method) -> None:
    _require(
        bool(np.isfinite(method.recommendation).all()),
        f"the recommendation is {method.recommendation}",
    )
    shots = method.report().next_shots
    _require(math.isfinite(shots), f"the next shots are {shots}")


def _require_same(one: list[Batch], two: list[Batch], what: str) -> None:
    _require(len(one) == len(two), f"{what} have {len(one)} and {len(two)} jobs")
    for job, (left, right) in enumerate(zip(one, two, strict=True)):
        same = left.shots == right.shots and np.array_equal(left.points, right.points)
        _require(bool(same), f"{what} differ in job {job}")


def _require_refusal(kind: type[Exception], words: str, call: Callable[[], object]) -> None:
    try:
        call()
    except kind as error:
        _require(words in str(error), f"the message {str(error)!r} does not say {words!r}")
    else:
        raise ConformanceError(f"no {kind.__name__} that says {words!r} was raised.")


def _inside(points: Any, lower: Any, upper: Any) -> bool:
    return bool(np.all((points >= lower) & (points <= upper)))
