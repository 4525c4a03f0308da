"""What was run, and what would be run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field


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

    @property
    def state(self) -> dict[str, int]:
        """The counts as plain data."""
        return asdict(self)

    @classmethod
    def from_state(cls, state: Mapping[str, int]) -> Ledger:
        """Rebuild a ledger from its ``state``."""
        return cls(**{name: int(value) for name, value in state.items()})


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


@dataclass
class Recording:
    """What a primitive was asked to run while it was recording; nothing of it was run.

    Attributes:
        calls: The cost of each call of ``run``, in order. Empty means that the primitive was
            never asked: the algorithm uses another one.
        pubs: The pubs of all calls, in order.
        check_shots: Shots that the check of an unknown primitive's seed will add to the first
            real job; 0 when there is nothing to check.

    Example:
        >>> recording = Recording(calls=[Cost(points=3, circuits=6, shots=600)])
        >>> recording.jobs, recording.points, recording.bases, recording.shots
        (1, 3, 2.0, 600)
    """

    calls: list[Cost] = field(default_factory=list)
    pubs: list[object] = field(default_factory=list)
    check_shots: int = 0

    @property
    def jobs(self) -> int:
        """How often ``run`` was called."""
        return len(self.calls)

    @property
    def points(self) -> int:
        """Parameter sets asked for."""
        return self.total.points

    @property
    def circuits(self) -> int:
        """Circuits that would have run."""
        return self.total.circuits

    @property
    def shots(self) -> int:
        """Shots that would have been charged."""
        return self.total.shots

    @property
    def bases(self) -> float:
        """Measurement bases a point, on average; 0 when nothing was asked."""
        return self.circuits / self.points if self.points else 0.0

    @property
    def total(self) -> Cost:
        """The sum of all calls."""
        return sum(self.calls, Cost())
