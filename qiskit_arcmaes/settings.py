"""Everything that can be said about a run besides the loss and the start, in one place."""

from __future__ import annotations

import inspect
import os
import re
import textwrap
from collections.abc import Callable
from dataclasses import MISSING, dataclass, fields
from typing import Any, Literal, TypedDict, TypeVar

import numpy as np
from numpy.typing import NDArray

from qiskit_arcmaes import validation

Array = NDArray[np.float64]
Callback = Callable[[int, Array, float, float, int], Any]
F = TypeVar("F", bound=Callable[..., Any])

LARGEST_POPULATION = 10**6


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What the user said about a run; checked when it is made.

    Attributes:
        max_shots: Budget, an integer >= 1. Every shot counts: points x measurement bases x shots,
            re-evaluations, the measurement of the noise, the last estimate of the
            recommendation. Never exceeded.
        method: ``frugal``, ``ar``, ``ar-paper``, ``ar-literal``, ``cma``, ``three-stage``, ``uh``,
            ``lra`` or ``psa``.
        shots: The first M, >= 1 (for ``cma``, ``lra`` and ``psa`` the fixed one). Default: 1; where
            jobs cost time whatever their shots, as on a primitive, so many that a thousand
            generations would use up the budget (``frugal`` plans its jobs itself).
        min_shots: The least M, >= 1; default: the first M on a primitive, else 1. Where a primitive
            samples a noisy ``backend`` it is at least 2, because one shot shows no variance. Losses
            of counts or of several expectation values that are of no known algorithm get 16, as far
            as the budget pays 300 evaluations per parameter.
        overhead: What a new circuit costs, in shots, >= 0: ``frugal`` and ``ar`` choose M for gain
            per (overhead + M). It is not charged. Default: what the oracle says, 100 around the
            primitives of qiskit-ibm-runtime, else 0.
        sigma0: First step size, > 0, in the units of x. Default: 0.1 of the widest range of the
            bounds, else 0.1·2π. For ``frugal`` on a circuit that it can read: the trust radius, no
            first step is longer; by default the first step follows from the noise.
        bounds: One (lower, upper) pair per coordinate, None in a pair for no bound; or a
            ``scipy.optimize.Bounds``. Points are repaired onto the bounds before they are
            evaluated.
        periodic: Which coordinates are periodic. Default: those whose bounds are 2π apart. They
            are searched freely and wrapped into their bounds. False, True, d booleans or d periods.
        restarts: Random restarts, >= 0, only for ``frugal`` and ``ar``: that many at the most, as
            far as the budget pays for them. Default: the method decides; ``frugal`` makes none from
            an informed start, ``ar`` none with ``sigma0`` or where a coordinate is not periodic.
        popsize: Population size lambda, 2 to 10⁶; default 4 + floor(3 ln d); for ``ar`` under noise
            6 d, as far as the budget pays a hundred generations.
        tau: Standard deviation of one shot, if known, >= 0; it is then not measured.
        seed: Anything ``numpy.random.default_rng`` takes.
        vectorized: Whether a plain callable takes (n, d) arrays; None finds out.
        callback: Called after each job as ``callback(nfev, x, fun, std, shots)``: points
            evaluated, the present recommendation, the loss there as the method estimates it (else
            the mean of the job's values) with its standard error, all shots spent. Stops the run by
            returning True or raising StopIteration.
        maxiter: Most iterations (generations, designs, steps), >= 1.
        max_jobs: Most jobs, >= 2, the last estimate of the recommendation included. Planned for:
            unless ``shots`` or ``min_shots`` say otherwise, every job gets the shots with which
            that many jobs use up the budget, and the last estimate takes what is left.
        final_shots: Kept for the last estimate of the recommendation, which gives ``fun`` and its
            standard error: a number of shots, >= 1, all measurement bases included, or a share of
            ``max_shots``, between 0 and 1. Default: a tenth, which raises the error of the point
            by a ninth at most (it falls as 1/shots) and leaves the standard error of ``fun`` 3.2
            times that of the whole budget (it falls as 1/sqrt(shots)). What else is left of the
            budget when the method has ended goes into it too.
        target: Loss that is good enough, any finite number. The run ends once the value after a job
            (that of ``callback``) and twice its standard error lie below it; the message says
            whether the last estimate confirms it.
        target_std: Standard error of ``fun`` that is good enough, > 0. The last estimate takes the
            shots that this needs in place of ``final_shots``: by the variances that the oracle
            reports or by ``tau``, else ``final_shots`` first and then what is missing. At most half
            of the budget is kept for it. And the run ends once the method gains less: when, from a
            tenth of the budget on, the values of the second and of the last quarter of the shots
            have at most this standard error and differ by less on average.
        max_seconds: Most wall-clock time, > 0, that of earlier sessions included; checked between
            jobs. With a checkpoint no last estimate is measured then: the run can be resumed.
        checkpoint: File to save the run in, after the first job, now and then, and at the end.
        checkpoint_seconds: Time between saves, >= 0; 0 saves after every job.
        resume: Go on from ``checkpoint`` where that file exists, bit for bit as the uninterrupted
            run would have; the other arguments must be the same as then.
        progress: Show the run while it goes on, in a terminal (needs rich) or in a notebook;
            elsewhere as a line on standard error every half minute and at the end.
        on_interrupt: What Ctrl-C does. ``return`` (default, because the shots are paid for): the
            run is saved where it has a checkpoint, no further job is run, and the result so far
            comes back. ``raise``: it is saved, and KeyboardInterrupt is raised with the result so
            far as its ``result``, so that a loop over runs ends too.
    """

    max_shots: int
    method: str = "frugal"
    shots: int | None = None
    min_shots: int | None = None
    overhead: float | None = None
    sigma0: float | None = None
    bounds: Any = None
    periodic: Any = None
    restarts: int | None = None
    popsize: int | None = None
    tau: float | None = None
    seed: Any = None
    vectorized: bool | None = None
    callback: Callback | None = None
    maxiter: int | None = None
    max_jobs: int | None = None
    final_shots: float | None = None
    target: float | None = None
    target_std: float | None = None
    max_seconds: float | None = None
    checkpoint: str | os.PathLike[str] | None = None
    checkpoint_seconds: float = 30.0
    resume: bool = False
    progress: bool = False
    on_interrupt: Literal["return", "raise"] = "return"

    def __post_init__(self) -> None:
        for name, least in _INTEGERS.items():
            value = getattr(self, name)
            if value is not None or name == "max_shots":
                most = LARGEST_POPULATION if name == "popsize" else validation.LARGEST_INTEGER
                self._set(name, validation.integer(name, value, least, most))
        for name in _NUMBERS:
            value = getattr(self, name)
            if value is not None or name in _NEVER_NONE:
                zero = name in _MAY_BE_ZERO
                check = validation.scale if name in _SCALES else validation.number
                self._set(name, check(name, value, allow_zero=zero))
        if self.final_shots is not None:
            self._set("final_shots", validation.count_or_share("final_shots", self.final_shots))
        if self.target is not None:
            self._set("target", validation.real("target", self.target))
        for name, choices in _CHOICES.items():
            validation.one_of(name, getattr(self, name), choices)
        validation.function("callback", self.callback)
        validation.path("checkpoint", self.checkpoint)
        validation.generator(self.seed)

    def _set(self, name: str, value: Any) -> None:
        """Replace a field by its checked form; the class is frozen for everyone else."""
        object.__setattr__(self, name, value)

    @property
    def unusual(self) -> dict[str, Any]:
        """The settings that differ from their defaults."""
        return {
            field.name: getattr(self, field.name)
            for field in fields(self)
            if field.default is MISSING or _differs(getattr(self, field.name), field.default)
        }


def _differs(value: Any, default: Any) -> bool:
    """Whether a value is not the default; arrays have no single answer to ``==``."""
    return type(value) is not type(default) or (value is not default and value != default)


_INTEGERS = {
    "max_shots": 1,
    "shots": 1,
    "min_shots": 1,
    "restarts": 0,
    "popsize": 2,
    "maxiter": 1,
    "max_jobs": 2,
}
_NUMBERS = ("overhead", "sigma0", "tau", "target_std", "max_seconds", "checkpoint_seconds")
_SCALES = ("sigma0", "tau", "target_std")
_NEVER_NONE = ("checkpoint_seconds",)
_MAY_BE_ZERO = ("overhead", "tau", "checkpoint_seconds")
_CHOICES: dict[str, tuple[Any, ...]] = {
    "vectorized": (None, True, False),
    "resume": (True, False),
    "progress": (True, False),
    "on_interrupt": ("return", "raise"),
}


class Options(TypedDict, total=False):
    """The fields of ``Settings`` that may be left out, for editors and type checkers."""

    shots: int | None
    min_shots: int | None
    overhead: float | None
    sigma0: float | None
    bounds: Any
    periodic: Any
    restarts: int | None
    popsize: int | None
    tau: float | None
    seed: Any
    vectorized: bool | None
    callback: Callback | None
    maxiter: int | None
    max_jobs: int | None
    final_shots: float | None
    target: float | None
    target_std: float | None
    max_seconds: float | None
    checkpoint: str | os.PathLike[str] | None
    checkpoint_seconds: float
    resume: bool
    progress: bool
    on_interrupt: Literal["return", "raise"]


def shows_options(function: F) -> F:
    """Show all ``Options`` in the signature of a function that takes ``**options``.

    Args:
        function: Its last parameter is ``**options``.

    Example:
        >>> @shows_options
        ... def run(x0, **options): ...
        >>> "max_jobs" in inspect.signature(run).parameters
        True
    """
    signature = inspect.signature(function)
    own = [p for p in signature.parameters.values() if p.kind is not p.VAR_KEYWORD]
    given = {parameter.name for parameter in own}
    shown = [
        inspect.Parameter(
            field.name, inspect.Parameter.KEYWORD_ONLY, default=field.default, annotation=field.type
        )
        for field in fields(Settings)
        if field.name in Options.__annotations__ and field.name not in given
    ]
    vars(function)["__signature__"] = signature.replace(parameters=own + shown)
    return function


def documents_options(kind: F) -> F:
    """Replace the line ``**options: ...`` of a docstring by the description of every option.

    Args:
        kind: A function or a class whose docstring has that line among its arguments.

    Example:
        >>> @documents_options
        ... def run(x0, **options):
        ...     '''Run.
        ...
        ...     Args:
        ...         x0: Start.
        ...         **options: See ``Settings``.
        ...     '''
        >>> "max_jobs: Most jobs" in run.__doc__
        True
    """
    text = inspect.getdoc(kind) or ""
    described = re.findall(
        r"^    (\w+): (.*(?:\n        .*)*)", inspect.getdoc(Settings) or "", re.M
    )
    lines = [
        f"    {name}: {description}"
        for name, description in described
        if name in Options.__annotations__ and not re.search(rf"^    {name}: ", text, re.M)
    ]
    shown = re.sub(
        r"^    \*\*options: .*(?:\n        .*)*", lambda _: "\n".join(lines), text, flags=re.M
    )
    kind.__doc__ = textwrap.indent(shown, "    ").lstrip()
    return kind


def inherit_arguments(text: str | None, base: str | None) -> str:
    """Put the arguments section of a base class's docstring into that of a class without one.

    Args:
        text: The docstring of the class.
        base: That of the base class.

    Example:
        >>> base = "Base." + chr(10) * 2 + "    Args:" + chr(10) + "        x: A point." + chr(10)
        >>> print(inherit_arguments("Plain.", base))
        Plain.
        <BLANKLINE>
            Args:
                x: A point.
    """
    own, described = inspect.cleandoc(text or ""), inspect.cleandoc(base or "")
    section = re.search(r"^Args:\n(?:    .*\n?|\n)*", described, re.M)
    if section is None or re.search(r"^Args:", own, re.M):
        return text or ""
    head, *rest = re.split(r"^(?=(?:References|Example):)", own, maxsplit=1, flags=re.M)
    parts = [head.strip(), section.group().strip(), *rest]
    return textwrap.indent("\n\n".join(parts), "    ").lstrip()
