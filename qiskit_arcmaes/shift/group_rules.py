"""Which pairs are shifted in one circuit, and which terms tell what of which angle."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from qiskit_arcmaes.oracles import MeasuredCircuit
from qiskit_arcmaes.rotations import parameter_classes
from qiskit_arcmaes.shift.rules import SlopeRules

Array = NDArray[np.float64]
Indices = NDArray[np.int_]


@dataclass(frozen=True, eq=False)
class GroupRules:
    """Pairs of points that shift several angles at once, each read out in its own light cone.

    A slot is a pair of circuits, the angles of a class shifted up and down. Angles of one class
    share no term, so that each term of the observable sees the shift of one angle only.

    Attributes:
        steps: Shift of each angle in each slot, in radians, shape (slots, d).
        offsets: Middle of each slot's points relative to the centre, shape (slots, d).
        slot: The slot of each pair of the rules, shape (p,).
        part: The part of the slot's readout that belongs to each pair, shape (p,).
        angle: Which angle each pair shifts, shape (p,).
        weights: Weight of each half difference in its slope, shape (p,).
        nearest: The first pair of each angle, shape (d,).
        bends: 1 - cos(shift) of that pair, shape (d,).
        classes: The class of each slot, shape (slots,).
        parts: Partition of the terms for each slot, then that of the centre by cones, then that of
            the whole observable, shape (slots + 2, terms).
        in_cone: Which parts of the centre's partition each angle can change, shape (d, parts).
        prior: Sum of squared coefficients of each angle's cone in each group, shape (d, groups).
        reach: Sum of absolute coefficients of each angle's cone in each group, shape (d, groups):
            what one shot can be at most.
        total_prior: Sum of squared coefficients of each group, shape (groups,).
        constant: The coefficient of the identity.
    """

    steps: Array
    offsets: Array
    slot: Indices
    part: Indices
    angle: Indices
    weights: Array
    nearest: Indices
    bends: Array
    classes: Indices
    parts: Indices
    in_cone: NDArray[np.bool_]
    prior: Array
    reach: Array
    total_prior: Array
    constant: float

    @property
    def slots(self) -> int:
        """Number of slots; each is two circuits per group."""
        return len(self.steps)

    @property
    def dim(self) -> int:
        """Number of angles."""
        return len(self.prior)


def make_group_rules(circuit: MeasuredCircuit, live: Indices, rules: SlopeRules) -> GroupRules:
    """Divide the pairs of shift rules over circuits.

    Args:
        circuit: Cones and groups of the terms.
        live: The coordinates that are angles of the rules, shape (d,).
        rules: The shift rules; no pair twice.

    Example:
        >>> from qiskit_arcmaes.rotations import listed
        >>> from qiskit_arcmaes.shift.rules import single_rules
        >>> from qiskit_arcmaes.shift.spectral_params import RuleParams
        >>> cones = np.array([[True, False], [False, True]])
        >>> circuit = MeasuredCircuit(cones, np.array([1.0, 2.0]), np.array([0, 0]), 0.5)
        >>> rules = single_rules((listed([1.0]),) * 2, RuleParams())
        >>> make_group_rules(circuit, np.arange(2), rules).steps.round(3).tolist()
        [[1.571, 1.571]]
    """
    cones = circuit.cones[live]
    first = np.searchsorted(rules.angle, np.arange(rules.dim))
    order = np.arange(len(rules.angle)) - first[rules.angle]  # of a pair among its angle's
    home = np.empty(rules.dim, dtype=int)
    place = np.empty(rules.dim, dtype=int)
    for index, members in enumerate(parameter_classes(cones)):
        home[members], place[members] = index, np.arange(len(members))
    keys = np.stack([home[rules.angle], order], axis=1)
    slots, slot = np.unique(keys, axis=0, return_inverse=True)
    slot = slot.ravel()
    steps = np.zeros((len(slots), rules.dim))
    steps[slot, rules.angle] = rules.shifts
    offsets = np.zeros_like(steps)
    offsets[slot, rules.angle] = rules.offsets
    parts = np.full((len(slots) + 2, cones.shape[1]), -1)
    for pair, angle in enumerate(rules.angle):
        parts[slot[pair], cones[angle]] = place[angle]
    seen, atoms = np.unique(cones, axis=1, return_inverse=True)
    parts[-2], parts[-1] = atoms.ravel(), 0
    squares = circuit.coefficients**2
    member = np.eye(circuit.num_groups)[circuit.groups]
    return GroupRules(
        steps=steps,
        offsets=offsets,
        slot=slot,
        part=place[rules.angle],
        angle=rules.angle,
        weights=rules.weights,
        nearest=first,
        bends=1 - np.cos(rules.shifts[first]),
        classes=slots[:, 0],
        parts=parts,
        in_cone=seen,
        prior=cones * squares @ member,
        reach=cones * np.abs(circuit.coefficients) @ member,
        total_prior=squares @ member,
        constant=circuit.constant,
    )
