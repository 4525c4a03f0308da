"""The functions of the test-bed by name, and the halves they are split into."""

from __future__ import annotations

import hashlib

import numpy as np

from qiskit_arcmaes.bench.testbed import (
    basins,
    bbob_multimodal,
    bbob_separable,
    bbob_unimodal,
    bbob_weak,
    classical,
    warped,
)
from qiskit_arcmaes.bench.testbed.sketch import Builder
from qiskit_arcmaes.functions import TestFunction

_BBOB: tuple[Builder, ...] = (
    bbob_separable.sphere,
    bbob_separable.ellipsoid,
    bbob_separable.rastrigin,
    bbob_separable.bueche_rastrigin,
    bbob_separable.linear_slope,
    bbob_unimodal.attractive_sector,
    bbob_unimodal.step_ellipsoid,
    bbob_unimodal.rosenbrock,
    bbob_unimodal.rosenbrock_rotated,
    bbob_unimodal.ellipsoid_rotated,
    bbob_unimodal.discus,
    bbob_unimodal.bent_cigar,
    bbob_unimodal.sharp_ridge,
    bbob_unimodal.different_powers,
    bbob_multimodal.rastrigin_rotated,
    bbob_multimodal.weierstrass,
    bbob_multimodal.schaffers,
    bbob_multimodal.schaffers_conditioned,
    bbob_multimodal.griewank_rosenbrock,
    bbob_weak.schwefel,
    bbob_weak.gallagher_101,
    bbob_weak.gallagher_21,
    bbob_weak.katsuura,
    bbob_weak.lunacek,
)
_CLASSICAL: tuple[Builder, ...] = (
    classical.ackley,
    classical.griewank,
    classical.levy,
    classical.zakharov,
    classical.dixon_price,
    classical.styblinski_tang,
    classical.alpine,
    classical.salomon,
    classical.largest_coordinate,
    classical.sum_and_product,
    classical.qing,
    classical.brown,
    classical.happy_cat,
    classical.sum_of_powers,
    classical.schaffer_chain,
)
_OWN: tuple[Builder, ...] = (
    basins.equal_basins,
    basins.equal_basins_rotated,
    basins.tilted_wells,
    basins.tilted_wells_rotated,
    basins.few_unequal_basins,
    basins.deceptive_funnel,
    basins.far_basin,
    basins.rippled_funnel,
    basins.planted_phases,
    basins.barren_cosines,
    basins.hidden_needle,
    warped.stairs,
    warped.coordinate_stairs,
    warped.banana,
    warped.exponential_walls,
    warped.saturating_bowl,
    warped.rippled_quadratic,
    warped.few_active_directions,
    warped.wide_spectrum,
    warped.quartic_bowl,
    warped.cusps,
    warped.cut_bowl,
    warped.coupled_blocks,
    warped.warped_axes,
)


def _named(prefix: str, builders: tuple[Builder, ...]) -> dict[str, Builder]:
    return {f"{prefix}_{builder.__name__}": builder for builder in builders}


_BUILDERS = {
    **_named("bbob", _BBOB),
    **_named("classical", _CLASSICAL),
    **_named("own", _OWN),
}


def digest(text: str) -> int:
    """An integer from the SHA-256 of a text, the same on every machine.

    Example:
        >>> digest("abc") % 16**4 == 0x15AD
        True
    """
    return int.from_bytes(hashlib.sha256(text.encode()).digest())


TESTBED = tuple(_BUILDERS)
"""Names of all functions: ``bbob_``, ``classical_`` and ``own_``."""

DEVELOPMENT = tuple(name for name in TESTBED if digest(name) % 2 == 0)
"""The functions that methods may be developed on."""

REPORTING = tuple(name for name in TESTBED if digest(name) % 2 == 1)
"""The functions that run for the results page only."""


def draw_function(name: str, dim: int, instance: int) -> TestFunction:
    """Draw a function of the test-bed.

    Args:
        name: One of ``TESTBED``.
        dim: Number of coordinates, >= 2.
        instance: Seed of its minimiser, rotations and whatever else is random in it.

    Example:
        >>> function = draw_function("bbob_rastrigin", 5, instance=7)
        >>> float(function(function.optimum)), function.sigma0
        (0.0, 2.0)
    """
    if dim < 2:
        raise ValueError(f"dim = {dim!r}: the functions of the test-bed need at least 2.")
    sketch = _BUILDERS[name](dim, np.random.default_rng([instance, digest(name) % 2**32]))
    return TestFunction(
        name=name,
        dim=dim,
        lower=sketch.lower,
        upper=sketch.upper,
        optimum=sketch.optimum,
        minimum=sketch.minimum,
        smooth=False,
        _value=sketch.value,
        _gradient=None,
        step_share=sketch.step_share,
    )
