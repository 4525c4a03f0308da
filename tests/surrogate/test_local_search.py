"""A local search, design by design."""

import math
from dataclasses import replace

import numpy as np
import pytest

from qiskit_arcmaes.domain import make_domain
from qiskit_arcmaes.numerics.noise import NoiseLevel
from qiskit_arcmaes.surrogate.basis import QuadraticBasis
from qiskit_arcmaes.surrogate.design import SamplingDistribution, draw_points, make_design
from qiskit_arcmaes.surrogate.local_search import LocalSearcher
from qiskit_arcmaes.surrogate.noise import NoiseTrend, PointVariances
from qiskit_arcmaes.surrogate.params import DEFAULTS
from qiskit_arcmaes.surrogate.trust_region import RadiusDecision, TrustRegion

from .problems import DIM, Quadratic, some_setup

PAIRS = 30


def some_searcher(**settings):
    setup = some_setup(**settings)
    basis = QuadraticBasis(setup.dim, DEFAULTS.regression.full_dimension)
    return LocalSearcher(setup, basis, DEFAULTS), setup


def advance(searcher, search, loss, noise=1e-4, seed=0, number=0, shots=1):
    rng = np.random.default_rng([seed, number])
    points = searcher.domain.repair(draw_points(rng, search.distribution, PAIRS, 0))
    values = loss(points) + math.sqrt(noise / shots) * rng.standard_normal(len(points))
    design = make_design(points, values, noise, shots, search.distribution.scale, number)
    level = NoiseLevel.known(noise)
    return searcher.advance(search, design, level, shots, float(2 * PAIRS * shots))


def run(searcher, search, loss, designs, **options):
    findings = []
    for number in range(designs):
        search, finding = advance(searcher, search, loss, number=number, **options)
        findings.append(finding)
    return search, findings


def test_a_search_begins_with_the_largest_radius():
    searcher, setup = some_searcher(sigma0=0.5)
    search = searcher.start(setup.start, 20, 7.0)
    assert search.distribution.radius == pytest.approx(0.5)
    assert search.started_at == 7.0
    assert search.demand.fewest_pairs == 20
    assert not search.converged


def test_a_period_limits_the_radius():
    searcher, setup = some_searcher(sigma0=3.0, domain=make_domain(DIM, periodic=[1.0] * DIM))
    assert searcher.start(setup.start, 20, 0.0).distribution.radius == pytest.approx(0.25)


def test_a_quadratic_is_minimised_in_a_few_designs():
    loss = Quadratic()
    searcher, setup = some_searcher(sigma0=1.0)
    search, findings = run(searcher, searcher.start(setup.start, 20, 0.0), loss, 10)
    np.testing.assert_allclose(search.centre, loss.minimiser, atol=0.02)
    assert search.converged
    assert findings[-1].step.step_fraction == 1
    assert search.value == pytest.approx(loss(loss.minimiser)[0], abs=5 * search.std)
    assert search.std < 0.02


def test_the_step_is_cut_where_the_minimiser_is_far():
    searcher, setup = some_searcher(start=np.full(DIM, 50.0), sigma0=0.5)
    start = searcher.start(setup.start, 20, 0.0)
    search, finding = advance(searcher, start, Quadratic())
    assert finding.step.step_fraction < 1
    moved = np.linalg.norm(search.centre - setup.start)
    assert moved == pytest.approx(0.5 * 0.7 * math.sqrt(DIM))
    assert not search.converged
    again, _ = advance(searcher, replace(start, converged=True), Quadratic())
    assert again.converged  # once is enough


def test_no_axis_is_longer_than_sigma0_before_a_quadratic_fits_there():
    loss = Quadratic()
    searcher, setup = some_searcher(sigma0=0.5)
    search = searcher.start(setup.start, 20, 0.0)
    for number in range(8):
        fitted = search.converged
        search, _ = advance(searcher, search, loss, number=number)
        assert search.distribution.typical_radius <= 0.5 * (1 + 1e-9)
        if not search.converged:
            assert search.distribution.radius <= 0.5 * (1 + 1e-9)
    assert fitted
    assert search.distribution.radius > 0.5 * 1.1  # along the flattest direction


def test_no_axis_is_longer_than_sigma0_once_the_quadratic_did_not_fit():
    loss = Quadratic()
    searcher, setup = some_searcher(sigma0=0.5)
    search = searcher.start(setup.start, 20, 0.0)
    search = replace(search, region=TrustRegion(lack_of_fit_before=1.0))
    for number in range(8):
        search, _ = advance(searcher, search, loss, number=number)
        assert search.distribution.radius <= 0.5 * (1 + 1e-9)
    assert search.converged


def test_no_axis_is_longer_than_a_quarter_of_a_period():
    domain = make_domain(DIM, periodic=[4.0] * DIM)
    searcher, setup = some_searcher(sigma0=0.9, domain=domain)
    search, _ = run(searcher, searcher.start(setup.start, 20, 0.0), Quadratic(), 8)
    assert search.converged
    assert 0.9 < search.distribution.radius <= 1.0 * (1 + 1e-9)


def test_the_centre_stays_inside_the_bounds():
    """The minimiser lies outside: the search ends at the bound, where its slope points."""
    loss = Quadratic()
    domain = make_domain(DIM, [(loss.minimiser[0] + 1.0, None)] + [(None, None)] * (DIM - 1))
    searcher, setup = some_searcher(domain=domain, start=loss.minimiser + 2.0, sigma0=1.0)
    search, _ = run(searcher, searcher.start(setup.start, 20, 0.0), loss, 12)
    assert search.centre[0] == pytest.approx(domain.lower[0], abs=1e-9)


def test_lack_of_fit_shrinks_the_radius_and_raises_the_demand():
    def quartic(points):
        return np.sum(np.abs(points) ** 4, axis=1)

    searcher, _ = some_searcher(sigma0=3.0)
    start = searcher.start(np.full(DIM, 0.3), 20, 0.0)
    search, findings = run(searcher, start, quartic, 6)
    assert search.distribution.radius < 3.0
    assert search.region.shrinks_here > 0
    assert findings[0].lack.significant(DEFAULTS.trust_region)
    first, _ = advance(searcher, start, quartic)
    assert first.demand.symmetric > 0
    assert first.demand.noise == 1e-4


def test_designs_are_remembered_and_useless_ones_dropped():
    searcher, setup = some_searcher(sigma0=1.0)
    search, _ = run(searcher, searcher.start(setup.start, 20, 0.0), Quadratic(), 4)
    assert [design.number for design in search.designs] == [0, 1, 2, 3]
    old = [replace(design, fits_since_use=19, middles=design.middles + 100.0)
           for design in search.designs[:2]]  # fmt: skip
    search = replace(search, designs=(*old, *search.designs[2:]))
    search, _ = advance(searcher, search, Quadratic(), number=4)
    assert [design.number for design in search.designs] == [2, 3, 4]


def test_the_cache_changes_no_bit_and_is_bounded():
    """With a fresh searcher before every design, nothing is cached; the searches are equal."""
    searcher, setup = some_searcher(sigma0=1.0)
    cached = uncached = searcher.start(setup.start, 20, 0.0)
    for number in range(5):
        cached, _ = advance(searcher, cached, Quadratic(), number=number)
        uncached, _ = advance(some_searcher(sigma0=1.0)[0], uncached, Quadratic(), number=number)
    np.testing.assert_array_equal(cached.centre, uncached.centre)
    np.testing.assert_array_equal(cached.distribution.scale, uncached.distribution.scale)
    assert len(searcher.cache) <= len(cached.designs)


def test_the_trend_of_the_noise_is_followed_and_forgotten_on_the_way():
    """Variances that grow with the fourth power of the distance: a power of 2."""
    searcher, setup = some_searcher(sigma0=1.0)
    search = searcher.start(setup.start, 20, 0.0)
    rng = np.random.default_rng(1)
    for radius in (1.0, 0.7, 0.5):
        distribution = SamplingDistribution(setup.start, radius * np.eye(DIM))
        points = draw_points(rng, distribution, 100, 0)
        distances = np.mean((points - setup.start) ** 2, axis=1)
        measured = PointVariances(np.arange(200), distances**2 * rng.chisquare(1, 200))
        search = searcher.follow_noise(replace(search, distribution=distribution), points, measured)
    assert search.noise_trend.power(DEFAULTS.noise.significance) > 1
    far = replace(search, distribution=SamplingDistribution(np.full(DIM, 50.0), np.eye(DIM)))
    moved, _ = advance(searcher, far, Quadratic())
    assert moved.noise_trend == NoiseTrend()
    assert moved.region.last_decision is not RadiusDecision.SHRINK_TO_QUIET


def test_noise_that_falls_towards_the_minimum_shrinks_the_radius():
    loss = Quadratic()
    searcher, _ = some_searcher(sigma0=1.0)
    search = searcher.start(loss.minimiser, 20, 0.0)
    steep = NoiseTrend(product=400.0, square=200.0)
    assert steep.power(DEFAULTS.noise.significance) > 1
    shrunk, _ = advance(searcher, replace(search, noise_trend=steep), loss)
    assert shrunk.region.last_decision is RadiusDecision.SHRINK_TO_QUIET
    assert shrunk.distribution.radius < search.distribution.radius
