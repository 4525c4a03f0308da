"""What primitives deliver while a loss is evaluated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Delivery:
    """What one call of ``run`` delivered.

    Attributes:
        pubs: What was run.
        values: The expectation values, flattened and joined over the pubs; None for a sampler.
    """

    pubs: Sequence[Any]
    values: Array | None
