"""What is particular to the executor primitives of qiskit-ibm-runtime.

They may spread shots over randomizations and add calibration circuits, and they tell in the
program of a job what they really run.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from qiskit.circuit import CircuitInstruction, Gate, QuantumCircuit
from qiskit.transpiler import generate_preset_pass_manager

from qiskit_arcmaes.primitives.ledger import Cost
from qiskit_arcmaes.primitives.transpiling import Limits

# On a simulator that takes every gate, the executor primitives fail on gates of three qubits and on
# gates with both free and fixed angles, and lose free angles of controlled gates. They run these:
_GATES = frozenset(
    (
        *("csx", "cx", "cy", "cz", "ecr", "h", "id", "p", "rx", "rxx", "ry", "ryy", "rz", "rzx"),
        *("rzz", "s", "sdg", "swap", "sx", "sxdg", "t", "tdg", "u1", "x", "y", "z"),
    )
)
# What a circuit of a job costs beside its shots, in shots. A job takes about two seconds of the
# device whatever it holds, a shot about 250 microseconds: a job costs as much as 8000 shots, and
# the jobs of an optimizer hold some 80 circuits.
OVERHEAD = 100.0
_MOST_RANDOMIZATIONS = 32
_SHOTS_EACH = 64


def _takes(step: CircuitInstruction) -> bool:
    return not isinstance(step.operation, Gate) or (step.is_standard_gate() and step.name in _GATES)


def _replace(circuit: QuantumCircuit) -> QuantumCircuit:
    return generate_preset_pass_manager(0, basis_gates=sorted(_GATES)).run(circuit)


EXECUTOR_LIMITS = Limits(_takes, _replace)


def is_runtime(primitive: Any) -> bool:
    """Whether a primitive is one of qiskit-ibm-runtime, of whatever kind."""
    return type(primitive).__module__.partition(".")[0] == "qiskit_ibm_runtime"


def is_executor(primitive: Any) -> bool:
    """Whether a primitive is one of the executor primitives."""
    return type(primitive).__module__.startswith("qiskit_ibm_runtime.executor_")


def planned_cost(primitive: Any, pubs: Sequence[Any], points: int) -> Cost:
    """What an executor primitive would run for pubs that carry their precision or shots."""
    package = type(primitive).__module__.rpartition(".")[0]
    prepare = importlib.import_module(f"{package}.prepare").prepare
    program, _ = prepare(pubs, primitive.options, None, True, backend=primitive.backend())
    return program_cost(program, points)


def program_cost(program: Any, points: int) -> Cost:
    """Circuits and shots of a quantum program, calibration included."""
    circuits = sum(item.size() for item in program.items)
    return Cost(points, circuits, circuits * program.shots)


def rounding_unit(primitive: Any) -> int | None:
    """The number of shots of whose multiples a twirled job consists, where the user has set it.

    The user may set the number of randomizations or the shots of each; the runtime then rounds the
    shots of a job up.
    """
    twirling = primitive.options.twirling
    numbers = [twirling.num_randomizations, twirling.shots_per_randomization]
    chosen = [number for number in numbers if number != "auto"]
    return int(chosen[0]) if len(chosen) == 1 else None


def bound_cost(first: Cost, second: Cost, unit: int, shots: int) -> Cost:
    """An upper bound of what a job takes that is rounded up, on a straight line over its shots.

    Args:
        first: What it takes at ``unit`` shots.
        second: What it takes at twice as many.
        unit: Its shots are rounded up to a multiple of this.
        shots: The shots asked for.

    Example:
        >>> bound_cost(Cost(1, 32, 32), Cost(1, 32, 64), unit=32, shots=33).shots
        64
    """
    step = second.shots - first.shots
    fixed = first.shots - step - (-step * (unit - 1) // unit)
    return Cost(first.points, first.circuits, fixed + -(-step // unit) * shots)


@contextmanager
def whole_shots(primitive: Any, shots: int) -> Iterator[None]:
    """Make the randomizations of a twirled job add up to exactly ``shots``.

    Left to itself ("auto") the runtime takes one randomization for every 64 shots, 32 at most, and
    rounds the shots up. Here it gets the largest number up to that one that divides the shots.
    Numbers that the user has set are left alone.
    """
    names = ("num_randomizations", "shots_per_randomization")
    if not is_executor(primitive) or any(
        getattr(primitive.options.twirling, name) != "auto" for name in names
    ):
        yield
        return
    twirling = primitive.options.twirling
    most = min(-(-shots // _SHOTS_EACH), _MOST_RANDOMIZATIONS)
    parts = max(n for n in range(1, most + 1) if shots % n == 0)
    twirling.num_randomizations, twirling.shots_per_randomization = parts, shots // parts
    try:
        yield
    finally:
        for name in names:
            setattr(twirling, name, "auto")
