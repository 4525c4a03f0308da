"""Normal equations: changed to other coordinates they are the sums over the features there."""

from dataclasses import replace

import numpy as np
import pytest

from qiskit_arcmaes.surrogate.basis import QuadraticBasis
from qiskit_arcmaes.surrogate.design import SamplingDistribution, draw_points, make_design
from qiskit_arcmaes.surrogate.normal_equations import LocalDesign, NormalEquations, SumsCache


def some_design(dim, pairs, scale, seed):
    rng = np.random.default_rng(seed)
    points = draw_points(rng, SamplingDistribution(rng.normal(size=dim), scale), pairs, 0)
    values = 3.0 + rng.normal(size=2 * pairs)
    return make_design(points, values, 1.0, 1, scale, seed)


def some_local_design(basis, pairs, near_share, seed=1):
    """A design seen from another distribution, of which some pairs are near."""
    rng = np.random.default_rng(seed)
    radii = rng.uniform(0.5, 2, basis.dim)
    axes = np.linalg.qr(rng.normal(size=(basis.dim, basis.dim)))[0] if basis.full else 1.0
    axes = axes * np.eye(basis.dim) if not basis.full else axes
    design = some_design(basis.dim, pairs, (axes * radii) @ axes.T, seed)
    now = (axes * (radii * rng.uniform(0.8, 1.1, basis.dim))) @ axes.T
    inverse = np.linalg.inv(now)
    centre = design.middles[0] + 0.1 * now[0]
    near = rng.random(pairs) < near_share
    return LocalDesign(
        design, inverse, (design.middles - centre) @ inverse.T, design.offsets @ inverse.T, near
    )


def test_sums_of_rows_change_with_the_features():
    rng = np.random.default_rng(0)
    features, values, change = (
        rng.normal(size=(20, 3)),
        rng.normal(size=20),
        rng.normal(size=(3, 5)),
    )
    changed = NormalEquations.of_rows(features, values).changed(change)
    direct = NormalEquations.of_rows(features @ change, values)
    np.testing.assert_allclose(changed.matrix, direct.matrix)
    np.testing.assert_allclose(changed.right, direct.right)
    assert (changed.square, changed.count) == (direct.square, direct.count)


def test_sums_of_shifted_values():
    rng = np.random.default_rng(1)
    features, values = np.column_stack([np.ones(20), rng.normal(size=20)]), rng.normal(size=20)
    shifted = NormalEquations.of_rows(features, values).shifted(2.5)
    direct = NormalEquations.of_rows(features, values + 2.5)
    np.testing.assert_allclose(shifted.right, direct.right)
    assert shifted.square == pytest.approx(direct.square)


@pytest.mark.parametrize("dim", [3, 45])  # above 40 the Hessian is diagonal
@pytest.mark.parametrize("near_share", [1.0, 0.8, 0.4])
def test_changed_sums_are_the_sums_over_rows(dim, near_share):
    basis = QuadraticBasis(dim, 40)
    local = some_local_design(basis, 8 * basis.count, near_share)
    rows = local.equations(basis, SumsCache(), summed_rows=10)
    cache = SumsCache()
    for _ in range(2):  # the second time with cached sums, where most pairs are near
        sums = local.equations(basis, cache, summed_rows=2)
        for one, other in zip(sums, rows, strict=True):
            np.testing.assert_allclose(one.matrix, other.matrix, atol=1e-6)
            np.testing.assert_allclose(one.right, other.right, atol=1e-6)
            assert one.square == pytest.approx(other.square)
            assert one.count == other.count == local.near.sum() > 2 * basis.count
    assert len(cache) == (near_share > 0.5)


def test_antisymmetric_sums_of_a_common_middle_are_those_of_rows():
    basis = QuadraticBasis(4, full_dimension=4)
    local = some_local_design(basis, 30, 0.8)
    odd, _ = local.equations(basis, SumsCache(), summed_rows=1000)
    middles = np.broadcast_to(local.middles, local.offsets.shape)[local.near]
    rows = basis.antisymmetric(middles, local.offsets[local.near])
    values = local.design.antisymmetric[local.near]
    np.testing.assert_allclose(odd.matrix, rows.T @ rows, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(odd.right, rows.T @ values, rtol=1e-9, atol=1e-9)
    assert odd.count == local.near.sum()


def test_a_cache_changes_no_bit():
    basis = QuadraticBasis(3, 40)
    local = some_local_design(basis, 4 * basis.count, 1.0)
    cache = SumsCache()
    first, again = (local.equations(basis, cache, 2) for _ in range(2))
    fresh = local.equations(basis, SumsCache(), 2)
    for sums in zip(first, again, fresh, strict=True):
        for other in sums[1:]:
            np.testing.assert_array_equal(sums[0].matrix, other.matrix)
            np.testing.assert_array_equal(sums[0].right, other.right)


def test_a_cache_keeps_only_what_it_is_told():
    basis, cache = QuadraticBasis(3, 40), SumsCache()
    designs = [some_design(3, 30, np.eye(3), seed) for seed in range(4)]
    for design in designs:
        cache.own_sums(design, basis)
    cache.keep_only(designs[2:])
    assert len(cache) == 2
    kept = cache.own_sums(designs[3], basis)
    assert kept is cache.own_sums(designs[3], basis)


def test_symmetric_values_are_relative_to_the_median():
    basis = QuadraticBasis(3, 40)
    local = some_local_design(basis, 10, 1.0)
    _, even = local.equations(basis, SumsCache(), 2)
    centred = local.design.symmetric - np.median(local.design.symmetric)
    assert even.square == pytest.approx(centred @ centred)


@pytest.mark.parametrize("far_value", [1.0, 1e12])
def test_sums_without_a_few_pairs_are_those_of_the_others(far_value):
    """By subtraction; a pair with huge values is not subtracted, which would leave rounding."""
    basis = QuadraticBasis(4, full_dimension=4)
    design = some_design(4, 20 * basis.count, np.eye(4), 3)
    near = np.ones(len(design.offsets), dtype=bool)
    near[:5] = False
    values = np.where(near, design.antisymmetric, far_value)
    design = replace(design, antisymmetric=values)
    local = LocalDesign(design, np.eye(4), design.middles, design.offsets, near)
    by_sums = local.equations(basis, SumsCache(), summed_rows=1)
    by_rows = local.equations(basis, SumsCache(), summed_rows=1000)
    for found, expected in zip(by_sums, by_rows, strict=True):
        np.testing.assert_allclose(found.matrix, expected.matrix, rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(found.right, expected.right, rtol=1e-9, atol=1e-9)
        assert found.square == pytest.approx(expected.square, rel=1e-9)
        assert found.count == expected.count == near.sum()
