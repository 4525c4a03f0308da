"""The measurements of a start that the gradient model is fitted to."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Gradients:
    """Measured gradients.

    Attributes:
        centres: Where, shape (k, d).
        values: The gradients, shape (k, d).
        variances: Variance of each slope of a gradient, shape (k,).
        biased: How many gradients, the first ones, have a bias that the others lack.
        bias_variance: Variance of that bias, > 0.
    """

    centres: Array
    values: Array
    variances: Array
    biased: int = 0
    bias_variance: float = 1.0


@dataclass(frozen=True)
class GradientRecord:
    """Gradients, curvatures along the axes, and the bias of the shift.

    Attributes:
        gradients: All gradients that were kept.
        curvature_sum: Sum of the curvatures along the axes, weighted by shots, shape (d,).
        curvature_shots: Sum of the weights; 0 where no curvature was measured.
        bias_sum: Sum of the slopes minus those at the smaller shift, over the tests, shape (d,).
        bias_count: Number of these tests.
    """

    gradients: Gradients
    curvature_sum: Array
    curvature_shots: float
    bias_sum: Array
    bias_count: int

    @property
    def curvatures(self) -> Array:
        """Mean curvatures along the axes, shape (d,)."""
        return self.curvature_sum / self.curvature_shots

    def with_gradient(self, centre: Array, gradient: Array, variance: float) -> GradientRecord:
        """Add a gradient, each of whose slopes has the given variance."""
        data = self.gradients
        added = replace(
            data,
            centres=np.concatenate([data.centres, centre[None]]),
            values=np.concatenate([data.values, gradient[None]]),
            variances=np.append(data.variances, variance),
        )
        return replace(self, gradients=added)

    def with_curvatures(self, curvatures: Array, shots: float) -> GradientRecord:
        """Add curvatures measured with a number of shots per point; none if one is NaN."""
        if not np.isfinite(curvatures).all():
            return self
        return replace(
            self,
            curvature_sum=self.curvature_sum + shots * curvatures,
            curvature_shots=self.curvature_shots + shots,
        )

    def with_test(self, wide: Array, narrow: Array) -> GradientRecord:
        """Add slopes at the present shift and at the smaller one, from one test."""
        total = self.bias_sum + wide - narrow
        return replace(self, bias_sum=total, bias_count=self.bias_count + 1)

    def recent(self, share: float) -> GradientRecord:
        """Keep a share of the gradients, the last ones."""
        data = self.gradients
        first = int(len(data.centres) * (1 - share))
        kept = Gradients(data.centres[first:], data.values[first:], data.variances[first:])
        return replace(self, gradients=kept)

    def as_biased(self, variance: float) -> GradientRecord:
        """Mark all gradients so far as biased, with a variance of the bias."""
        data = replace(self.gradients, biased=len(self.gradients.centres), bias_variance=variance)
        return replace(self, gradients=data)


def empty_record(dim: int) -> GradientRecord:
    """The record of a start before its first step.

    Example:
        >>> empty_record(2).with_gradient(np.zeros(2), np.ones(2), 0.1).gradients.values.tolist()
        [[1.0, 1.0]]
    """
    none = Gradients(np.empty((0, dim)), np.empty((0, dim)), np.empty(0))
    return GradientRecord(none, np.zeros(dim), 0.0, np.zeros(dim), 0)
