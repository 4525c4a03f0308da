"""Slopes, curvatures and scatter from what a planned job measured."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from qiskit_arcmaes.oracles import GroupEstimate
from qiskit_arcmaes.shift.group_plans import PlannedPairs
from qiskit_arcmaes.shift.group_rules import GroupRules
from qiskit_arcmaes.shift.readings import SlopeReading
from qiskit_arcmaes.shift.scatter import Scatter, pooled, with_references
from qiskit_arcmaes.shift.spectral_params import GroupParams

Array = NDArray[np.float64]


def read_groups(
    estimate: GroupEstimate,
    memo: PlannedPairs,
    rules: GroupRules,
    scatter: Scatter,
    params: GroupParams,
) -> tuple[SlopeReading, Scatter]:
    """Read a planned job, and learn the scatter from it.

    Where a group got no shot in a slot its running mean stands in, and where it got one that was
    drawn with a probability below 1 the difference counts by its inverse: the slopes have no bias.

    Args:
        estimate: What the plan gave.
        memo: The plan.
        rules: The pairs.
        scatter: What was known before.
        params: Parameters of planned measurement.
    """
    sides = estimate.means[: 2 * rules.slots].reshape(rules.slots, 2, *estimate.means.shape[1:])
    pairs = sides[rules.slot, :, :, rules.part]  # (p, 2, groups)
    halves, means = (pairs[:, 0] - pairs[:, 1]) / 2, (pairs[:, 0] + pairs[:, 1]) / 2
    live = rules.prior[rules.angle] > 0
    expected = memo.expected[rules.slot]
    asked = (memo.shots[rules.slot] > 0) & live
    got = asked & np.isfinite(halves)
    chance = np.maximum(memo.chances[rules.slot], 1e-300)
    near = rules.nearest
    reference = np.zeros_like(halves)
    reference[near] = scatter.references
    terms = reference * live + np.where(got, (halves - reference) / chance, 0.0)
    slopes = np.bincount(rules.angle, rules.weights * terms.sum(axis=1), rules.dim)
    known = np.where(
        chance >= 1, scatter.variances[rules.angle], scatter.floored(rules, params)[rules.angle]
    )  # where shots are left out, what they leave out scatters too, a unit as much as a shot
    counted = np.where(chance >= 1, expected, chance)
    noise = np.where(live, known / (2 * counted), 0.0)
    squares = np.square(rules.weights) * noise.sum(axis=1)
    variances = np.asarray(np.bincount(rules.angle, squares, rules.dim), dtype=float)
    largest = np.abs(rules.weights)[:, None] * rules.reach[rules.angle] / 2
    largest = np.where(live, largest / np.maximum(expected, 1e-300), 0.0).max(axis=1)
    bounds = np.zeros(rules.dim)
    np.maximum.at(bounds, rules.angle, largest)
    failed = bool((asked & ~got).any())
    value, value_variance = _centre_value(estimate, memo, rules, scatter, params)
    pair_means = np.where(got[near], means[near] / chance[near], 0.0).sum(axis=1)
    pair_means[(asked & ~got)[near].any(axis=1)] = math.nan
    curvatures = (pair_means - _centre_in_cones(estimate, rules)) / rules.bends
    totals = np.sqrt(scatter.floored_totals(rules, params))
    reading = SlopeReading(
        slopes=np.where(_failed_angles(asked & ~got, rules), math.nan, slopes),
        variances=np.asarray(variances, dtype=float),
        curvatures=curvatures,
        value=value,
        value_variance=value_variance,
        noise=float(totals.sum()) ** 2 / len(totals),
        shots=float(memo.expected.sum()) / memo.expected.size,
        bounds=bounds,
        failed=failed,
    )
    return reading, _learned(estimate, memo, rules, scatter, halves, got, params)


def _failed_angles(failed: NDArray[np.bool_], rules: GroupRules) -> NDArray[np.bool_]:
    """Angles of which any measurement failed, shape (d,)."""
    return np.bincount(rules.angle, failed.any(axis=1), rules.dim) > 0


def _centre_value(
    estimate: GroupEstimate,
    memo: PlannedPairs,
    rules: GroupRules,
    scatter: Scatter,
    params: GroupParams,
) -> tuple[float, float]:
    """The loss at the centre and its variance; NaN where the centre was not measured."""
    shots = memo.centre_shots
    if not shots.any():
        return math.nan, math.nan
    by_cones = estimate.means[-2, :, : rules.in_cone.shape[1]].sum(axis=1)
    means = np.average(np.stack([by_cones, estimate.means[-1, :, 0]]), axis=0, weights=shots)
    variances = scatter.floored_totals(rules, params) / shots.sum(axis=0)
    return rules.constant + float(means.sum()), float(variances.sum())


def _centre_in_cones(estimate: GroupEstimate, rules: GroupRules) -> Array:
    """The part of the centre's value that each angle can change, shape (d,); NaN if unknown."""
    means = estimate.means[-2, :, : rules.in_cone.shape[1]]
    return np.asarray(rules.in_cone @ means.sum(axis=0))


def _learned(
    estimate: GroupEstimate,
    memo: PlannedPairs,
    rules: GroupRules,
    scatter: Scatter,
    halves: Array,
    got: NDArray[np.bool_],
    params: GroupParams,
) -> Scatter:
    """The scatter with what this job showed."""
    shown = estimate.variances[: 2 * rules.slots]
    sides = shown.reshape(rules.slots, 2, *shown.shape[1:])[rules.slot, :, :, rules.part]
    shots = memo.shots[rules.slot]
    usable = (shots > 1) & got & np.isfinite(sides).all(axis=1)
    added = np.where(usable, 2.0 * (shots - 1), 0.0)
    sums, freedom = np.zeros_like(scatter.variances), np.zeros_like(scatter.variances)
    np.add.at(sums, rules.angle, np.where(usable, added * sides.mean(axis=1), 0.0))
    np.add.at(freedom, rules.angle, added)
    variances, total = pooled(
        scatter.variances, scatter.freedom, sums / np.maximum(freedom, 1), freedom, params.memory
    )
    whole = estimate.variances[-1, :, 0]
    counted = np.where(np.isfinite(whole), np.maximum(memo.centre_shots[1] - 1.0, 0.0), 0.0)
    totals, total_freedom = pooled(
        scatter.totals, scatter.total_freedom, np.nan_to_num(whole), counted, params.memory
    )
    scatter = replace(
        scatter, variances=variances, freedom=total, totals=totals, total_freedom=total_freedom
    )
    return _with_halves(scatter, memo, rules, halves, got, params)


def _with_halves(
    scatter: Scatter,
    memo: PlannedPairs,
    rules: GroupRules,
    halves: Array,
    got: NDArray[np.bool_],
    params: GroupParams,
) -> Scatter:
    """The running means of half differences, by the nearest pair of each angle."""
    near = rules.nearest
    chance = memo.chances[rules.slot[near]]
    rate = np.where(got[near], params.reference_rate * chance, 0.0)
    return with_references(scatter, halves[near], rate)
