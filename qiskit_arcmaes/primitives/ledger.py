"""What was run, and what it took."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass
from typing import Protocol


@dataclass
class Ledger:
    """Everything a primitive has really run; ``max_shots`` of the optimizers is about it.

    Only jobs that delivered are charged. Attempts that failed, timed out or came back incomplete
    are counted in ``failures``, because nobody but the service knows what they ran.

    Attributes:
        jobs: Jobs that delivered.
        circuits: Circuits run, one for each point and measurement basis.
        shots: All shots: points x measurement bases x shots, summed over everything run.
        failures: Attempts that did not deliver.

    Example:
        >>> ledger = Ledger()
        >>> ledger.charge(circuits=6, shots=600)
        >>> ledger
        Ledger(jobs=1, circuits=6, shots=600, failures=0)
        >>> Ledger.from_state(ledger.state) == ledger
        True
    """

    jobs: int = 0
    circuits: int = 0
    shots: int = 0
    failures: int = 0

    def charge(self, circuits: int, shots: int) -> None:
        """Enter one job.

        Args:
            circuits: How many circuits it ran.
            shots: How many shots they took together.
        """
        self.jobs += 1
        self.circuits += int(circuits)
        self.shots += int(shots)

    def fail(self) -> None:
        """Enter an attempt that did not deliver."""
        self.failures += 1

    @property
    def state(self) -> dict[str, int]:
        """The counts as plain data."""
        return asdict(self)

    @classmethod
    def from_state(cls, state: Mapping[str, int]) -> Ledger:
        """Rebuild a ledger from its ``state``."""
        return cls(**{name: int(value) for name, value in state.items()})


class Account(Protocol):
    """What an engine charges for one call of a primitive."""

    def charge(self, circuits: int, shots: int) -> None:
        """Enter one job."""
        ...

    def fail(self) -> None:
        """Enter an attempt that did not deliver."""
        ...

    def away(self) -> AbstractContextManager[None]:
        """The context in which something outside, such as a service, is waited for."""
        ...


@dataclass(frozen=True)
class Cost:
    """What a batch takes.

    Attributes:
        points: Parameter sets, summed over the pubs.
        circuits: Points times measurement bases, summed over the pubs.
        shots: Points times measurement bases times shots, summed over the pubs.

    Example:
        >>> Cost(points=3, circuits=6, shots=600) + Cost(points=1, circuits=2, shots=200)
        Cost(points=4, circuits=8, shots=800)
    """

    points: int = 0
    circuits: int = 0
    shots: int = 0

    def __add__(self, other: Cost) -> Cost:
        return Cost(
            self.points + other.points, self.circuits + other.circuits, self.shots + other.shots
        )
