"""A circuit and an observable: the loss that VQE and QAOA minimise, without noise."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from qiskit import QuantumCircuit
from qiskit.quantum_info import SparsePauliOp
from scipy.sparse import vstack

from qiskit_arcmaes.circuits import read
from qiskit_arcmaes.problems.grouping import measurement_groups
from qiskit_arcmaes.problems.simulator import Program, sparse_matrix
from qiskit_arcmaes.problems.translation import build_program
from qiskit_arcmaes.rotations import RotationForm, analyse

Array = NDArray[np.float64]

_AMPLITUDES_AT_ONCE = 1 << 13
"""States are made in chunks of about this many amplitudes, which stay in the processor's cache."""


@dataclass(frozen=True, eq=False)
class Model:
    """A loss that can be computed exactly.

    All energies are expectations of ``operator``; add ``shift`` to quote total ones.

    Attributes:
        name: What it is called.
        description: What it is, in a line.
        operator: The observable whose expectation is minimised.
        shift: The constant left out of ``operator`` (nuclear repulsion, frozen electrons).
        ansatz: The parameterised circuit; points have the order of ``ansatz.parameters``.
        start_range: Where random starts lie, shape (d, 2): lower and upper end of each parameter;
            the same number twice where the start is given (Hartree-Fock, a ramp).
        limits: Bounds that an optimizer is given for every parameter; None for none.

    Example:
        >>> import numpy as np
        >>> from qiskit_arcmaes.problems import get_problem
        >>> problem = get_problem("h2")
        >>> problem.energy(np.zeros((3, 4))).round(4)
        array([-1.0637, -1.0637, -1.0637])
        >>> problem.variances(np.zeros(4)).round(4)
        array([0.0327])
    """

    name: str
    description: str
    operator: SparsePauliOp
    shift: float
    ansatz: QuantumCircuit
    start_range: Array
    limits: tuple[float, float] | None = None

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}({self.name!r}, qubits={self.num_qubits}, dim={self.dim}, "
            f"groups={self.groups})"
        )

    @property
    def num_qubits(self) -> int:
        """Number of qubits."""
        return int(self.operator.num_qubits)

    @property
    def dim(self) -> int:
        """Number of parameters."""
        return int(self.ansatz.num_parameters)

    @property
    def groups(self) -> int:
        """Number of qubit-wise commuting groups: measurement bases that one energy needs."""
        return len(self._group_operators)

    @cached_property
    def periods(self) -> Array:
        """The period of the energy in each parameter, shape (d,); infinite where it has none."""
        form = read(self.ansatz, self.operator)
        if not isinstance(form, RotationForm):
            raise ValueError(f"the circuit of the problem {self.name!r} cannot be read: {form}.")
        return analyse(form).periods

    @property
    def bounds(self) -> list[tuple[float, float]]:
        """One period around 0 for each parameter, as ``Optimizer.minimize`` takes them."""
        halves = np.where(np.isfinite(self.periods), self.periods, 2 * np.pi) / 2
        return [(-half, half) for half in halves.tolist()]

    @property
    def informed(self) -> bool:
        """Whether the start is given and not drawn."""
        return bool(np.all(self.start_range[:, 0] == self.start_range[:, 1]))

    @cached_property
    def single_rotations(self) -> bool:
        """Whether every parameter turns one Pauli rotation once: the energy is a sine of each."""
        slopes = self._program.angle_slopes
        return bool(np.all((slopes != 0).sum(axis=0) == 1) and np.isin(slopes, (-1, 0, 1)).all())

    def start(self, rng: np.random.Generator) -> Array:
        """Draw a random start, shape (d,), uniform in ``start_range``."""
        return rng.uniform(self.start_range[:, 0], self.start_range[:, 1])

    def states(self, points: ArrayLike) -> NDArray[Any]:
        """Return the exact states, shape (n, 2**qubits), real where the circuit stays real."""
        return np.concatenate([self._program.states(chunk).T for chunk in self._chunks(points)])

    def energy(self, points: ArrayLike) -> Array:
        """Return the exact energies, shape (n,), of points of shape (n, d) or (d,)."""
        return np.concatenate(
            [self._program.energies(chunk, self._matrix) for chunk in self._chunks(points)]
        )

    def energy_and_gradient(self, points: ArrayLike) -> tuple[Array, Array]:
        """Return the exact energies, shape (n,), and their gradients, shape (n, d)."""
        results = [self._program.gradients(chunk, self._matrix) for chunk in self._chunks(points)]
        energies, gradients = zip(*results, strict=True)
        return np.concatenate(energies), np.concatenate(gradients)

    def variances(self, points: ArrayLike) -> Array:
        """Return the exact single-shot variances of the energy estimate, shape (n,).

        With N shots in each of the qubit-wise commuting groups the estimated energy has this
        variance divided by N: the sum over the groups of Var(H_group).
        """
        return np.asarray(self.group_variances(points).sum(axis=1))

    def group_variances(self, points: ArrayLike) -> Array:
        """Return Var(H_group) of every group, shape (n, groups)."""
        return np.concatenate([self._group_variances(chunk) for chunk in self._chunks(points)])

    def _group_variances(self, points: Array) -> Array:
        states = self._program.states(points)
        images = (self._group_matrix @ states).reshape(self.groups, *states.shape)
        means = np.einsum("kn,gkn->gn", states.conj(), images).real
        squares = np.einsum("gkn,gkn->gn", images.conj(), images).real
        return np.asarray(np.maximum(squares - means**2, 0).T)

    def _chunks(self, points: ArrayLike) -> Iterator[Array]:
        rows = np.atleast_2d(np.asarray(points, dtype=float))
        if rows.ndim != 2 or rows.shape[1] != self.dim:
            raise ValueError(
                f"points must have shape (n, {self.dim}) for the problem {self.name!r}, "
                f"not {np.shape(points)}."
            )
        size = max(1, _AMPLITUDES_AT_ONCE >> self.num_qubits)
        for first in range(0, max(1, len(rows)), size):
            yield rows[first : first + size]

    @cached_property
    def _program(self) -> Program:
        return build_program(self.ansatz)

    @cached_property
    def _matrix(self) -> Any:
        return sparse_matrix(self.operator)

    @cached_property
    def _group_operators(self) -> list[SparsePauliOp]:
        return measurement_groups(self.operator)

    @cached_property
    def _group_matrix(self) -> Any:
        """All groups' matrices, one below the other."""
        return vstack([sparse_matrix(group) for group in self._group_operators], format="csr")
