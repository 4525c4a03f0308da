"""What a quantum benchmark problem is: a model whose best energies are known."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import ArrayLike, NDArray

from qiskit_arcmaes.problems.model import Model


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Problem(Model):
    """A loss for VQE or QAOA whose truth is known.

    Attributes:
        ground_energy: The lowest eigenvalue of ``operator``.
        best_energy: The lowest energy that was found for ``ansatz``, without noise.
        best_parameters: A point that has ``best_energy``, shape (d,).

    Example:
        >>> import numpy as np
        >>> from qiskit_arcmaes.problems import get_problem
        >>> problem = get_problem("h2")
        >>> problem
        Problem('h2', qubits=2, dim=4, groups=2)
        >>> start = problem.start(np.random.default_rng(7))
        >>> bool(problem.energy(start)[0] > problem.best_energy)
        True
        >>> round(problem.best_energy + problem.shift, 6)
        -1.137306
    """

    ground_energy: float
    best_energy: float
    best_parameters: NDArray[np.float64]

    @classmethod
    def from_model(
        cls, model: Model, ground_energy: float, best_energy: float, best_parameters: ArrayLike
    ) -> Problem:
        """Return the problem that a model becomes when its best energies are known."""
        return cls(
            **{field.name: getattr(model, field.name) for field in fields(model)},
            ground_energy=ground_energy,
            best_energy=best_energy,
            best_parameters=np.array(best_parameters, dtype=float),
        )
