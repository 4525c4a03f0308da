"""Why a circuit has no rotation form."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Reason(Enum):
    """Why a circuit could not be read."""

    NONLINEAR_ANGLE = "an angle is not linear in the parameters"
    NOT_UNITARY = "an instruction is not a gate, or acts on a qubit that was measured"
    NO_DEFINITION = "a gate can not be written in Clifford gates and rotations"
    TOO_LARGE = "the circuit or the observable is larger than the limits"


@dataclass(frozen=True)
class NotKnown:
    """What ``read`` returns where a circuit has no rotation form; it counts as False.

    Attributes:
        reason: The kind of obstacle.
        detail: The instruction, angle or number that is the obstacle.

    Example:
        >>> answer = NotKnown(Reason.NONLINEAR_ANGLE, "rx(t**2)")
        >>> bool(answer), str(answer)
        (False, 'an angle is not linear in the parameters: rx(t**2)')
    """

    reason: Reason
    detail: str

    def __bool__(self) -> bool:
        return False

    def __str__(self) -> str:
        return f"{self.reason.value}: {self.detail}"


class UnreadableError(Exception):
    """Raised inside this package where reading can not go on; ``read`` returns its answer."""

    def __init__(self, reason: Reason, detail: str) -> None:
        super().__init__(detail)
        self.answer = NotKnown(reason, detail)


@dataclass(frozen=True)
class ReadingLimits:
    """How large a circuit may be; each bound keeps reading within seconds.

    Attributes:
        rotations: Most rotations. Light cones take time that grows with their square: with 100
            qubits, 10,000 rotations take about 7 s.
        unitary_qubits: Most qubits of a matrix or a state vector inside a circuit: its gates grow
            with 4 to the power of it.
        terms: Most terms of an observable after projectors are expanded, each into a power of 2.
    """

    rotations: int = 10_000
    unitary_qubits: int = 6
    terms: int = 50_000
