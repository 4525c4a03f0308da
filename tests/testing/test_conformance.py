"""One suite that every method passes. A new method joins by being in ALL."""

from dataclasses import replace

import numpy as np
import pytest

from qiskit_arcmaes.registry import METHODS
from qiskit_arcmaes.shift.parameter_shift import ParameterShift
from qiskit_arcmaes.strategies import cma
from qiskit_arcmaes.strategies.fixed import FixedShots
from qiskit_arcmaes.surrogate.assisted import SurrogateAssistedStrategy
from qiskit_arcmaes.surrogate.quadratic import QuadraticSurrogate
from qiskit_arcmaes.testing.conformance import CHECKS, failures

ALL = {
    **{name: entry.build for name, entry in METHODS.items() if name != "frugal"},
    "quadratic surrogate": QuadraticSurrogate,
    "surrogate-assisted strategy": SurrogateAssistedStrategy,
    "parameter shift": ParameterShift,
}


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("kind", ALL.values(), ids=ALL)
def test_every_method(kind, check):
    check(kind)


# Methods with one fault each: the suite must name it.


class FractionOfAShot(FixedShots):
    def ask(self):
        batch = super().ask()
        return replace(batch, shots=float(batch.shots))


class FlatPoints(FixedShots):
    def ask(self):
        batch = super().ask()
        return replace(batch, points=batch.points[:, :2])


class NoShots(FixedShots):
    def ask(self):
        return replace(super().ask(), shots=0)


class NoPhase(FixedShots):
    phase = ""


class PendingBatch(FixedShots):
    asked = 0

    def ask(self):
        self.asked += 1
        return replace(super().ask(), shots=self.asked)


class Upwards(FixedShots):
    def tell(self, batch, estimate):
        super().tell(batch, replace(estimate, values=-estimate.values))


class RandomnessOfItsOwn(FixedShots):
    def __init__(self, setup, rng):
        super().__init__(setup, np.random.default_rng())


class MemoryOutsideTheState(FixedShots):
    count = 0

    def tell(self, batch, estimate):
        super().tell(batch, estimate)
        self.count += 1
        self.state.shots = 1.0 + self.count


class RatioOutsideTheState(FixedShots):
    """Shows only in the real-valued shots, which round to the same number for long."""

    ratio = 1.0

    def tell(self, batch, estimate):
        super().tell(batch, estimate)
        self.ratio = 0.8 * self.ratio + 0.2 * float(np.nanstd(estimate.values))
        self.state.shots = 1.0 + 0.001 * self.ratio


class DiagnosticOutsideTheState(FixedShots):
    columns = FixedShots.columns | {"count": "jobs so far"}
    count = 0.0

    def tell(self, batch, estimate):
        super().tell(batch, estimate)
        self.count += 1.0

    def _diagnostics(self):
        return {"count": self.count}


class BeyondTheBounds(FixedShots):
    def ask(self):
        batch = super().ask()
        return replace(batch, points=batch.points + 10.0)


class RecommendationOutside(FixedShots):
    @property
    def recommendation(self):
        return super().recommendation + 10.0


class Unwrapped(FixedShots):
    def _batch(self, points, population):
        return replace(super()._batch(points, population), points=points)


class PeriodsAsBounds(FixedShots):
    """Treats the ends of a period as bounds: points are put onto them, not wrapped."""

    def __init__(self, setup, rng):
        bounded = replace(setup.domain, periods=np.zeros(setup.dim))
        super().__init__(replace(setup, domain=bounded), rng)


class TooWide(FixedShots):
    def _move(self, distribution):
        distribution.step_size *= 2
        self.state.distribution = distribution


class TrustsFailures(FixedShots):
    def tell(self, batch, estimate):
        values = np.nan_to_num(estimate.values, nan=-1e9, posinf=-1e9, neginf=-1e9)
        super().tell(batch, replace(estimate, values=values))


class SpoiltByFailures(FixedShots):
    def tell(self, batch, estimate):
        super().tell(batch, estimate)
        self.state.shots += 0.0 * float(np.min(estimate.values))


class NeedsSpread(FixedShots):
    def tell(self, batch, estimate):
        super().tell(batch, estimate)
        with np.errstate(all="ignore"):
            self.state.shots = 1 + 0 / np.ptp(estimate.values)


class NeedsTwoValues(FixedShots):
    def tell(self, batch, estimate):
        np.linalg.inv(np.diag([np.isfinite(estimate.values).sum() - 1.0]))
        super().tell(batch, estimate)


class RefusesVariances(FixedShots):
    def tell(self, batch, estimate):
        if np.shape(estimate.variances) == np.shape(estimate.values):
            raise TypeError("no variances, please")
        super().tell(batch, estimate)


class NewColumns(FixedShots):
    def _diagnostics(self):
        return {f"m{self.state.distribution.generation}": 1.0}


class IntegerColumns(FixedShots):
    columns = FixedShots.columns | {"m": "a number"}

    def _diagnostics(self):
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
        setup.start[1]


class Gullible(FixedShots):
    def tell(self, batch, estimate):
        steps = self._select(batch.memo, np.asarray(estimate.values)[: self.popsize])
        if len(steps) == len(self.weights):
            self._move(cma.update(self.state.distribution, self.rates, steps, self.weights))


class Unchecked(FixedShots):
    def tell(self, batch, estimate):
        super().tell(batch, replace(estimate, variances=None))


FAULTS = {
    FractionOfAShot: "a_batch_is_points_and_one_integer_shot_count",
    FlatPoints: "a_batch_is_points_and_one_integer_shot_count",
    NoShots: "a_batch_is_points_and_one_integer_shot_count",
    NoPhase: "every_batch_says_its_phase",
    PendingBatch: "ask_changes_nothing_but_the_generator",
    Upwards: "descends_on_the_sphere",
    RandomnessOfItsOwn: "same_seed_same_batches",
    MemoryOutsideTheState: "state_saved_and_restored_goes_on_bit_for_bit",
    RatioOutsideTheState: "state_saved_and_restored_goes_on_bit_for_bit",
    DiagnosticOutsideTheState: "state_saved_and_restored_goes_on_bit_for_bit",
    BeyondTheBounds: "bounds_are_respected_by_points_and_recommendation",
    RecommendationOutside: "bounds_are_respected_by_points_and_recommendation",
    Unwrapped: "periodic_coordinates_are_searched_freely_and_reported_wrapped",
    PeriodsAsBounds: "periodic_coordinates_are_searched_freely_and_reported_wrapped",
    TooWide: "periodic_coordinates_are_searched_freely_and_reported_wrapped",
    TrustsFailures: "failed_points_rank_last_and_do_no_harm",
    SpoiltByFailures: "failed_points_rank_last_and_do_no_harm",
    NeedsTwoValues: "a_batch_with_one_value_left_does_no_harm",
    NeedsSpread: "constant_values_are_survived",
    RefusesVariances: "reported_variances_are_taken",
    NewColumns: "report_has_a_number_for_every_column",
    IntegerColumns: "report_has_a_number_for_every_column",
    SecretJobs: "first_jobs_is_an_upper_bound_up_to_the_first_iteration",
    OneJobPromisedTwice: "first_jobs_is_an_upper_bound_up_to_the_first_iteration",
    NeverDone: "first_jobs_is_an_upper_bound_up_to_the_first_iteration",
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
