"""Checks that an oracle keeps its contract, where a breach would give wrong numbers.

All numbers from outside come in here: what is not finite, or overflows when squared, has failed.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from qiskit_arcmaes import validation
from qiskit_arcmaes.oracles.contract import Estimate, Oracle, OracleError, Price
from qiskit_arcmaes.oracles.plan import GroupEstimate, MeasurementPlan
from qiskit_arcmaes.validation import LARGEST_FLOAT

LARGEST_VARIANCE = LARGEST_FLOAT**2


def check_oracle(oracle: Oracle) -> None:
    """Refuse an oracle whose traits or prices are no such things, before a shot is spent.

    Args:
        oracle: What a run is to minimise.
    """
    name, least = type(oracle).__name__, oracle.min_shots
    price: Any = oracle.price(1)
    if not isinstance(price, Price):
        raise TypeError(f"{name}.price must return a Price, as in Price(0, n), not {price!r}.")
    if isinstance(least, bool) or not isinstance(least, int | np.integer) or least < 1:
        raise ValueError(f"{name}.min_shots must be an integer >= 1, not {least!r}.")
    validation.number(f"{name}.overhead", oracle.overhead, allow_zero=True)


def check_job(
    estimate: Any, count: int, reports_variances: bool, charged: int, price: int
) -> Estimate:
    """Check the answer of an oracle and its charge; return it with what failed as NaN.

    Args:
        estimate: What ``evaluate`` returned.
        count: How many points it was given.
        reports_variances: Whether the oracle says that every estimate has variances.
        charged: Shots by which the oracle's ``spent`` rose.
        price: What the job was to take at the most.

    Example:
        >>> check_job(Estimate(np.zeros(2)), 2, False, charged=120, price=100)
        Traceback (most recent call last):
        ...
        qiskit_arcmaes.oracles.contract.OracleError: the oracle charged 120 shots for a job that \
it had priced at 100: its price must be an upper bound, or no budget can be kept.
    """
    if not isinstance(estimate, Estimate):
        raise OracleError(f"evaluate must return an Estimate, not {type(estimate).__name__}.")
    values = np.asarray(estimate.values, dtype=float)
    variances = estimate.variances
    if values.shape != (count,):
        raise OracleError(_wrong_shape("values", values.shape, count))
    if variances is not None and np.shape(variances) != (count,):
        raise OracleError(_wrong_shape("variances", np.shape(variances), count))
    if variances is None and reports_variances:
        raise OracleError(
            "the oracle says reports_variances but its estimate has none: return them, or set "
            "reports_variances to False."
        )
    _check_paid("evaluate", charged, price)
    return admit(estimate)


def check_measurement(
    estimate: Any, plan: MeasurementPlan, charged: int, price: int
) -> GroupEstimate:
    """Check the answer of an oracle to a plan, and its charge; return it with all failures counted.

    Args:
        estimate: What ``measure`` returned.
        plan: What it was given.
        charged: Shots by which the oracle's ``spent`` rose.
        price: What the plan was to take at the most.

    Example:
        >>> plan = MeasurementPlan(
        ...     np.zeros((1, 1)), np.array([[5, 0]]), np.zeros(1, int), np.array([[0, 0]])
        ... )
        >>> everywhere = GroupEstimate(np.ones((1, 2, 1)), np.ones((1, 2, 1)))
        >>> check_measurement(everywhere, plan, charged=5, price=5)
        Traceback (most recent call last):
        ...
        qiskit_arcmaes.oracles.contract.OracleError: the oracle returned means where the plan has \
no shots: they must be NaN there.
    """
    if not isinstance(estimate, GroupEstimate):
        raise OracleError(f"measure must return a GroupEstimate, not {type(estimate).__name__}.")
    expected = (*plan.shots.shape, plan.num_parts)
    for name, array in (("means", estimate.means), ("variances", estimate.variances)):
        if np.shape(array) != expected:
            raise OracleError(
                f"the oracle returned {name} of shape {np.shape(array)} for a plan of shape "
                f"{expected} (points, groups, parts)."
            )
    _check_paid("measure", charged, price)
    measured = admit_groups(estimate)
    return replace(measured, failures=max(_count_failures(measured, plan), measured.failures))


def _count_failures(estimate: GroupEstimate, plan: MeasurementPlan) -> int:
    """Measurements that were planned and gave nothing."""
    wanted, measured = plan.shots > 0, np.isfinite(estimate.means).any(axis=2)
    if (measured & ~wanted).any():
        raise OracleError(
            "the oracle returned means where the plan has no shots: they must be NaN there."
        )
    if not measured.any():
        raise OracleError(f"all {int(wanted.sum())} measurements of a plan failed.")
    return int((wanted & ~measured).sum())


def check_charge(charged: int, price: int) -> None:
    """Refuse a charge above the price of a job.

    Args:
        charged: Shots by which the oracle's ``spent`` rose.
        price: What the job was to take at the most.
    """
    if charged > price:
        raise OracleError(
            f"the oracle charged {charged} shots for a job that it had priced at {price}: its "
            "price must be an upper bound, or no budget can be kept."
        )


def _check_paid(name: str, charged: int, price: int) -> None:
    if charged <= 0:
        raise OracleError(
            f"the oracle charged nothing for a job: {name} must call self.charge with the shots it "
            "took, or no budget can be kept."
        )
    check_charge(charged, price)


def _wrong_shape(what: str, shape: tuple[int, ...], count: int) -> str:
    return (
        f"the oracle returned {what} of shape {shape} for {count} points; it must return shape "
        f"({count},)."
    )


def admit(estimate: Estimate) -> Estimate:
    """Take an estimate in: failed values are NaN, and so are variances that are none.

    A value has failed where it is NaN, infinite, or beyond 1e100 in size: sums of its square over a
    budget would overflow. A variance is none where it is negative, infinite, or beyond 1e200.

    Args:
        estimate: What an oracle, or who evaluates step by step, has returned.

    Example:
        >>> admit(Estimate([1.0, np.inf, -1e160], variances=[0.1, -1.0, 0.2]))
        Estimate(values=array([ 1., nan, nan]), variances=array([0.1, nan, 0.2]), failures=0)
    """
    values = _bounded(estimate.values, -LARGEST_FLOAT, LARGEST_FLOAT)
    variances = estimate.variances
    if variances is not None:
        variances = _bounded(variances, 0.0, LARGEST_VARIANCE)
    return Estimate(values, variances, estimate.failures)


def admit_groups(estimate: GroupEstimate) -> GroupEstimate:
    """Take an estimate by group in: a mean has failed also where its variance is none.

    Args:
        estimate: What an oracle has measured; a variance that is not known is NaN.

    Example:
        >>> means = np.array([[[1.0], [1e160]]])
        >>> admit_groups(GroupEstimate(means, np.ones((1, 2, 1)))).means.ravel()
        array([ 1., nan])
    """
    means = _bounded(estimate.means, -LARGEST_FLOAT, LARGEST_FLOAT)
    variances = _bounded(estimate.variances, 0.0, LARGEST_VARIANCE)
    wrong = np.isnan(variances) & ~np.isnan(np.asarray(estimate.variances, dtype=float))
    return replace(estimate, means=np.where(wrong, np.nan, means), variances=variances)


def _bounded(given: ArrayLike, lower: float, upper: float) -> NDArray[Any]:
    """The numbers, NaN in place of those that do not lie between two limits."""
    numbers = np.asarray(given, dtype=float)
    inside = (numbers >= lower) & (numbers <= upper)
    return numbers if inside.all() else np.where(inside, numbers, np.nan)
