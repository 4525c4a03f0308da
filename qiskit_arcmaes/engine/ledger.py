"""What a run may use, and what it has used."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """What a run may use; None is no limit.

    Attributes:
        shots: The budget.
        iterations: Most iterations of the method.
        jobs: Most jobs, the last estimate included.
        seconds: Most wall-clock time.
    """

    shots: int
    iterations: int | None = None
    jobs: int | None = None
    seconds: float | None = None


@dataclass
class RunLedger:
    """What a run has used so far.

    Attributes:
        spent: All shots.
        jobs: Batches evaluated.
        points: Points evaluated.
        failures: Values that were NaN or infinite.
        seconds: Wall-clock time up to the last save.
        shot_variance: Variance of one shot as it was last seen; NaN where it is not known.
    """

    spent: int = 0
    jobs: int = 0
    points: int = 0
    failures: int = 0
    seconds: float = 0.0
    shot_variance: float = math.nan
