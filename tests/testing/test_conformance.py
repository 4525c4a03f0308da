"""One suite that every method passes. A new method joins by being in ALL."""

import numpy as np
import pytest

from qiskit_arcmaes.registry import METHODS, AnglePairs, Batch, ModelGuided
from qiskit_arcmaes.strategies import cma
from qiskit_arcmaes.strategies.fixed import FixedShots
from qiskit_arcmaes.testing.conformance import CHECKS, failures

ALL = {**METHODS, "ar with a quadratic": ModelGuided, "ar on angles": AnglePairs}


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("kind", ALL.values(), ids=ALL)
def test_every_method(kind, check):
    check(kind)


# Methods with one fault each: the suite must name it.


class FractionOfAShot(FixedShots):
    def ask(self):
        batch = super().ask()
        return Batch(batch.points, float(batch.shots))


class FlatPoints(FixedShots):
    def ask(self):
        batch = super().ask()
        return Batch(batch.points[:, :2], batch.shots)


class NoShots(FixedShots):
    def ask(self):
        return Batch(super().ask().points, 0)


class Upwards(FixedShots):
    def tell(self, values, variances=None):
        super().tell(-np.asarray(values), variances)


class RandomnessOfItsOwn(FixedShots):
    def __init__(self, setup, rng):
        super().__init__(setup, np.random.default_rng())


class MemoryOutsideTheState(FixedShots):
    count = 0

    def tell(self, values, variances=None):
        super().tell(values, variances)
        self.count += 1
        self.state.shots = 1.0 + self.count


class RatioOutsideTheState(FixedShots):
    """Shows only in the real-valued shots, which round to the same number for long."""

    ratio = 1.0

    def tell(self, values, variances=None):
        super().tell(values, variances)
        self.ratio = 0.8 * self.ratio + 0.2 * float(np.nanstd(values))
        self.state.shots = 1.0 + 0.001 * self.ratio


class DecisionOutsideTheState(FixedShots):
    count = 0.0

    def tell(self, values, variances=None):
        super().tell(values, variances)
        self.count += 1.0

    @property
    def decision(self):
        return {"count": self.count}


class ThroughTheWall(FixedShots):
    def ask(self):
        batch = super().ask()
        return Batch(batch.points + 10.0, batch.shots)


class AnswerOutside(FixedShots):
    @property
    def answer(self):
        return super().answer + 10.0


class Unwrapped(FixedShots):
    def _batch(self, points):
        self.state.waiting = len(points)
        return Batch(points, max(round(self.state.shots), 1))


class TooWide(FixedShots):
    def _move(self, distribution):
        distribution.step_size *= 2
        self.state.distribution = distribution


class TrustsFailures(FixedShots):
    def tell(self, values, variances=None):
        values = np.nan_to_num(np.asarray(values, dtype=float), nan=-1e9, posinf=-1e9, neginf=-1e9)
        super().tell(values, variances)


class SpoiltByFailures(FixedShots):
    def tell(self, values, variances=None):
        super().tell(values, variances)
        self.state.shots += 0.0 * float(np.min(values))


class NeedsSpread(FixedShots):
    def tell(self, values, variances=None):
        super().tell(values, variances)
        with np.errstate(all="ignore"):
            self.state.shots = 1 + 0 / np.ptp(values)


class NeedsTwoValues(FixedShots):
    def tell(self, values, variances=None):
        np.linalg.inv(np.diag([np.isfinite(values).sum() - 1.0]))
        super().tell(values, variances)


class RefusesVariances(FixedShots):
    def tell(self, values, variances=None):
        if variances is not None and np.shape(variances) == np.shape(values):
            raise TypeError("no variances, please")
        super().tell(values, variances)


class NewColumns(FixedShots):
    @property
    def decision(self):
        return {f"m{self.state.distribution.generation}": 1.0}


class WholeColumns(FixedShots):
    @property
    def decision(self):
        return {"m": 1}


class SecretJobs(FixedShots):
    def first_jobs(self):
        return [(self.popsize - 1, 1)]


class OneJobPromisedTwice(FixedShots):
    def first_jobs(self):
        return 2 * super().first_jobs()


class NeverDone(FixedShots):
    def _move(self, distribution):
        super()._move(distribution)
        distribution.generation = 0


class Stingy(FixedShots):
    def __init__(self, setup, rng):
        super().__init__(setup, rng)
        self.state.shots = 1.0


class NeedsAPlane(FixedShots):
    def __init__(self, setup, rng):
        super().__init__(setup, rng)
        setup.mean[1]


class Gullible(FixedShots):
    def tell(self, values, variances=None):
        steps = self._select(np.asarray(values)[: self.popsize])
        if len(steps) == len(self.weights):
            self._move(cma.update(self.state.distribution, self.rates, steps, self.weights))


class Unchecked(FixedShots):
    def tell(self, values, variances=None):
        super().tell(values)


FAULTS = {
    FractionOfAShot: "a_batch_is_points_and_one_whole_shot_count",
    FlatPoints: "a_batch_is_points_and_one_whole_shot_count",
    NoShots: "a_batch_is_points_and_one_whole_shot_count",
    Upwards: "descends_on_the_sphere",
    RandomnessOfItsOwn: "same_seed_same_batches",
    MemoryOutsideTheState: "state_saved_and_restored_goes_on_bit_for_bit",
    RatioOutsideTheState: "state_saved_and_restored_goes_on_bit_for_bit",
    DecisionOutsideTheState: "state_saved_and_restored_goes_on_bit_for_bit",
    ThroughTheWall: "bounds_are_respected_by_points_and_answer",
    AnswerOutside: "bounds_are_respected_by_points_and_answer",
    Unwrapped: "circles_are_searched_freely_and_reported_wrapped",
    TooWide: "circles_are_searched_freely_and_reported_wrapped",
    TrustsFailures: "failed_points_rank_last_and_do_no_harm",
    SpoiltByFailures: "failed_points_rank_last_and_do_no_harm",
    NeedsTwoValues: "a_batch_with_one_value_left_does_no_harm",
    NeedsSpread: "constant_values_are_survived",
    RefusesVariances: "reported_variances_are_taken",
    NewColumns: "decision_has_the_same_keys_in_every_generation",
    WholeColumns: "decision_has_the_same_keys_in_every_generation",
    SecretJobs: "first_jobs_is_an_upper_bound_up_to_the_first_generation",
    OneJobPromisedTwice: "first_jobs_is_an_upper_bound_up_to_the_first_generation",
    NeverDone: "first_jobs_is_an_upper_bound_up_to_the_first_generation",
    Stingy: "min_shots_is_the_least",
    NeedsAPlane: "one_coordinate_and_the_smallest_population_work",
    Gullible: "tell_checks_what_it_is_told",
    Unchecked: "tell_checks_what_it_is_told",
}


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("kind", FAULTS, ids=lambda kind: kind.__name__)
def test_a_fault_is_named(kind):
    assert FAULTS[kind] in failures(kind)


def test_every_check_is_seen_to_fail():
    assert set(FAULTS.values()) == {check.__name__ for check in CHECKS}


def test_a_sound_method_has_no_failures():
    assert failures(FixedShots) == {}
