"""Which designs a fit uses: the newest, and the most precise others with pairs near it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from qiskit_arcmaes.surrogate.basis import QuadraticBasis
from qiskit_arcmaes.surrogate.design import Design, SamplingDistribution
from qiskit_arcmaes.surrogate.normal_equations import LocalDesign, NormalEquations, SumsCache
from qiskit_arcmaes.surrogate.params import RegressionParams

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Component:
    """One component of a design, with its variances in the fit.

    Attributes:
        index: Index of the design.
        symmetric: Which component.
        local: The design in the present coordinates.
        equations: Normal equations of its features and values.
        variance: Variance of a value that the noise causes.
        lack_of_fit: Variance of a value beyond the noise that the quadratic does not explain;
            before a fit, that of the last one.
        freedom: Degrees of freedom of the residuals.
        residual: Variance of the residuals.
    """

    index: int
    symmetric: bool
    local: LocalDesign
    equations: NormalEquations
    variance: float
    lack_of_fit: float = 0.0
    freedom: float = 0.0
    residual: float = 0.0


def near_components(
    designs: Sequence[Design],
    distribution: SamplingDistribution,
    basis: QuadraticBasis,
    origin: float,
    params: RegressionParams,
    cache: SumsCache,
) -> Iterator[Component]:
    """Both components of the newest design, then of the most precise others, while rows are left.

    Args:
        designs: All designs, oldest first, at least one.
        distribution: The present sampling distribution.
        basis: The quadratic's basis.
        origin: Subtracted from the values of the symmetric components.
        params: Limits on distance and number of rows.
        cache: Sums that earlier fits made.
    """
    newest = len(designs) - 1
    rows = max(
        params.rows_per_coefficient * basis.count, params.rows_per_pair * len(designs[-1].offsets)
    )
    inverse = np.asarray(np.linalg.inv(distribution.scale))
    for index in [newest, *_by_precision(designs, params.recency)]:
        if rows < 0:
            return
        local = _localised(designs[index], distribution.centre, inverse, params.nearness)
        if index == newest:
            local = replace(local, near=np.full_like(local.near, True))
        elif not _enough(local.near, params):
            continue
        components = components_of(local, index, basis, origin, params, cache)
        yield from components
        rows -= sum(each.equations.count for each in components)


def components_of(
    local: LocalDesign,
    index: int,
    basis: QuadraticBasis,
    origin: float,
    params: RegressionParams,
    cache: SumsCache,
) -> tuple[Component, Component]:
    """Both components of a design, of its near pairs: antisymmetric, symmetric.

    Args:
        local: The design in the present coordinates.
        index: Its index.
        basis: The quadratic's basis.
        origin: Subtracted from the values of the symmetric component.
        params: Parameters of the fit.
        cache: Sums that earlier fits made.
    """
    odd, even = local.equations(basis, cache, params.summed_rows)
    design = local.design
    even = even.shifted(float(np.median(design.symmetric)) - origin)
    return (
        Component(index, False, local, odd, design.variance, design.lack_of_fit),
        Component(index, True, local, even, design.variance, design.symmetric_lack_of_fit),
    )


def _by_precision(designs: Sequence[Design], recency: float) -> list[int]:
    """Indices of all designs but the newest, the most precise ones first."""

    def imprecision(index: int) -> float:
        design = designs[index]
        return (design.variance + design.lack_of_fit) * (1 - recency * index / len(designs))

    return sorted(range(len(designs) - 1), key=imprecision)


def _localised(design: Design, centre: Array, inverse: Array, nearness: float) -> LocalDesign:
    """A design in the present coordinates; near are pairs of which both points are."""
    middles, offsets = (design.middles - centre) @ inverse.T, design.offsets @ inverse.T
    above, below = middles + offsets, middles - offsets
    near = np.maximum(np.mean(above**2, axis=1), np.mean(below**2, axis=1)) < nearness
    return LocalDesign(design, inverse, middles, offsets, near)


def _enough(near: NDArray[np.bool_], params: RegressionParams) -> bool:
    return bool(near.sum() >= max(params.fewest_near, params.near_share * len(near)))


def used_designs(
    designs: Sequence[Design], components: Sequence[Component], dropped_after: int
) -> list[Design]:
    """Update the designs after a fit.

    Args:
        designs: All designs, oldest first.
        components: Components of those that the fit has used.
        dropped_after: Fits in a row without use after which a design is dropped.

    Returns:
        The designs with their lack of fit, without those that were not used for long.
    """
    found = {(each.index, each.symmetric): each.lack_of_fit for each in components}
    updated = [
        replace(
            design,
            fits_since_use=0,
            lack_of_fit=found[index, False],
            symmetric_lack_of_fit=found[index, True],
        )
        if (index, False) in found
        else replace(design, fits_since_use=design.fits_since_use + 1)
        for index, design in enumerate(designs)
    ]
    return [design for design in updated if design.fits_since_use < dropped_after]
