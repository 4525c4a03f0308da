"""What stands behind a shot-controlled primitive: the parts that really run pubs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from qiskit_arcmaes.oracles import GroupEstimate
from qiskit_arcmaes.primitives.group_task import GroupTask
from qiskit_arcmaes.primitives.ledger import Account, Cost

Array = NDArray[np.float64]
Pub = TypeVar("Pub")


@dataclass(frozen=True)
class PubTask(Generic[Pub]):
    """A pub and the shots it gets.

    Attributes:
        pub: An ``EstimatorPub`` or a ``SamplerPub``.
        shots: Shots for each point and measurement basis.
    """

    pub: Pub
    shots: int


@dataclass(frozen=True)
class Outcome:
    """What running some tasks gave.

    Attributes:
        results: A pub result for every task, in order.
        variances: The variance of every estimated value, flattened and joined over the tasks, or
            None where it is unknown.
    """

    results: list[Any]
    variances: Array | None = None


class Engine(Protocol):
    """Runs tasks, charges what they took, and tells beforehand what they will take.

    Attributes:
        reports_variances: Whether outcomes come with variances that can be trusted.
        min_shots: The fewest shots at which these variances are known.
        seed_check_shots: Shots that the next call of ``run`` takes on top, once, to check the seed.
    """

    reports_variances: bool
    min_shots: int

    @property
    def seed_check_shots(self) -> int:
        """Shots that the check of the seed still has to take."""
        ...

    def cost(self, tasks: Sequence[PubTask[Any]]) -> Cost:
        """Tell what ``run`` will charge for these tasks."""
        ...

    def run(self, tasks: Sequence[PubTask[Any]], ledger: Account) -> Outcome:
        """Run the tasks and charge them."""
        ...

    @property
    def state(self) -> dict[str, Any]:
        """What must be saved to go on, as plain data."""
        ...

    @state.setter
    def state(self, state: Mapping[str, Any]) -> None: ...


class StandIn:
    """Takes the place of an engine, and passes on all but ``run``, which a subclass has.

    Args:
        engine: The engine.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self.reports_variances, self.min_shots = engine.reports_variances, engine.min_shots

    @property
    def seed_check_shots(self) -> int:
        """Shots that the check of the seed still has to take."""
        return self._engine.seed_check_shots

    def cost(self, tasks: Sequence[PubTask[Any]]) -> Cost:
        """Tell what the engine would charge for these tasks."""
        return self._engine.cost(tasks)

    @property
    def state(self) -> dict[str, Any]:
        """The engine's."""
        return self._engine.state

    @state.setter
    def state(self, state: Mapping[str, Any]) -> None:
        self._engine.state = state


class GroupEngine(Protocol):
    """An engine that measures single groups of an observable with shots of their own.

    Attributes:
        equal_shots: Whether all measurements of a job have the same shots, so that more shots are
            repeated measurements.
    """

    equal_shots: bool

    def group_cost(self, task: GroupTask) -> Cost:
        """Tell what ``measure`` will charge for a task."""
        ...

    def measure(self, task: GroupTask, ledger: Account) -> GroupEstimate:
        """Run a task as one job and charge it."""
        ...


def generator_state(rng: np.random.Generator) -> dict[str, Any]:
    """The state of a generator as plain data."""
    return dict(rng.bit_generator.state)


def restore_generator(rng: np.random.Generator, state: Mapping[str, Any]) -> None:
    """Set a generator back to a saved state.

    Args:
        rng: The generator, of the same kind as the saved one.
        state: What ``generator_state`` returned.
    """
    kind = type(rng.bit_generator).__name__
    if state["bit_generator"] != kind:
        raise ValueError(
            f"seed makes a {kind} generator, but the saved state is of a "
            f"{state['bit_generator']}; build the primitive with the seed it had."
        )
    rng.bit_generator.state = dict(state)
