"""Which designs a fit uses."""

from dataclasses import replace

import numpy as np

from qiskit_arcmaes.surrogate.basis import QuadraticBasis
from qiskit_arcmaes.surrogate.normal_equations import SumsCache
from qiskit_arcmaes.surrogate.params import RegressionParams
from qiskit_arcmaes.surrogate.selection import near_components, used_designs

from .problems import DIM, Quadratic, around, measured

PARAMS = RegressionParams()
BASIS = QuadraticBasis(DIM, PARAMS.full_dimension)


def selected(designs, distribution, params=PARAMS):
    return list(near_components(designs, distribution, BASIS, 0.0, params, SumsCache()))


def some_designs(centres, noise=None, pairs=20):
    noises = noise or [1.0] * len(centres)
    return [
        measured(Quadratic(), around(np.full(DIM, centre)), pairs, level, seed)
        for seed, (centre, level) in enumerate(zip(centres, noises, strict=True))
    ]


def test_the_newest_design_is_used_wherever_it_is():
    found = selected(some_designs([100.0]), around(np.zeros(DIM)))
    assert [(each.index, each.symmetric) for each in found] == [(0, False), (0, True)]
    assert found[0].equations.count == 20


def test_designs_far_away_are_not_used():
    found = selected(some_designs([0.0, 100.0, 0.0]), around(np.zeros(DIM)))
    assert {each.index for each in found} == {0, 2}


def test_only_pairs_with_both_points_near_are_used():
    """Near is a mean squared coordinate below 3, here in units of a radius of 0.8."""
    designs = some_designs([0.0, 0.0], pairs=200)
    each = selected(designs, around(np.full(DIM, 0.1), 0.8))[2]
    old = designs[0]
    points = np.stack([old.middles + old.offsets, old.middles - old.offsets])
    near = np.mean(((points - 0.1) / 0.8) ** 2, axis=2) < 3
    assert each.equations.count == np.sum(near.all(axis=0))
    assert 20 < each.equations.count < np.sum(near[0])


def test_the_most_precise_designs_come_first():
    """Lack of fit counts as noise does; of equal ones the newer comes first."""
    designs = some_designs([0.0] * 5, noise=[1.0, 0.1, 0.5, 0.5, 3.0])
    designs[1] = replace(designs[1], lack_of_fit=2.0)
    found = selected(designs, around(np.zeros(DIM)))
    assert [each.index for each in found[::2]] == [4, 3, 2, 0, 1]


def test_rows_are_limited():
    """8 rows per coefficient are 8 x 22 of 40 per design: the newest and four more."""
    found = selected(some_designs([0.0] * 9), around(np.zeros(DIM)))
    assert len(found) == 2 * 5
    fewer = selected(
        some_designs([0.0] * 9), around(np.zeros(DIM)), replace(PARAMS, rows_per_coefficient=1.0)
    )
    assert len(fewer) == 2 * 3  # five times the pairs of the newest design at the least


def test_origin_is_subtracted_from_symmetric_values_only():
    designs = some_designs([0.0])
    odd, even = near_components(designs, around(np.zeros(DIM)), BASIS, 7.0, PARAMS, SumsCache())
    assert np.isclose(even.equations.square, np.sum((designs[0].symmetric - 7.0) ** 2))
    assert np.isclose(odd.equations.square, np.sum(designs[0].antisymmetric ** 2))


def test_designs_learn_their_lack_of_fit_and_are_dropped_when_unused_for_long():
    designs = some_designs([0.0, 0.0, 0.0])
    designs[0] = replace(designs[0], fits_since_use=PARAMS.dropped_after - 1)
    designs[1] = replace(designs[1], fits_since_use=5)
    odd, even = selected(designs, around(np.zeros(DIM)))[:2]
    found = [replace(odd, lack_of_fit=0.7), replace(even, lack_of_fit=0.9)]
    kept = used_designs(designs, found, PARAMS.dropped_after)
    assert [design.number for design in kept] == [1, 2]
    assert [design.fits_since_use for design in kept] == [6, 0]
    assert (kept[1].lack_of_fit, kept[1].symmetric_lack_of_fit) == (0.7, 0.9)
    assert designs[1].fits_since_use == 5  # nothing is changed in place
