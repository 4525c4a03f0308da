"""Seeds of wrapped primitives: found out, refused where they repeat the noise, or drawn anew.

An integer as seed makes most primitives return the same noise in every call. Measured
variances are then zero and evaluating again teaches nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from qiskit.primitives import StatevectorEstimator, StatevectorSampler

from qiskit_arcmaes.primitives.errors import RepeatedNoiseError

_KNOWN = ("qiskit", "qiskit_aer", "qiskit_ibm_runtime")
_PLACES = (
    "seed",
    "_seed",
    "options.seed_simulator",
    "options.seed",
    "options.run_options.seed_simulator",
    "options.backend_options.seed_simulator",
    "options.simulator.seed_simulator",
)
_BACKEND_PLACES = ("options.seed_simulator", "_options.seed_simulator")


def backend_of(primitive: Any) -> Any:
    """The backend of a primitive, or None when it has none."""
    backend = getattr(primitive, "backend", None)
    if callable(backend) and not hasattr(backend, "target"):
        backend = backend()
    return backend if backend is not None else getattr(primitive, "_backend", None)


def refuse_fixed_seed(primitive: Any) -> None:
    """Raise when a primitive carries an integer as seed in one of the known places."""
    backend = backend_of(primitive)
    places = [(place, primitive, place) for place in _PLACES]
    places += [(f"the backend's {place}", backend, place) for place in _BACKEND_PLACES]
    for name, owner, place in places:
        value = _look_up(owner, place)
        if isinstance(value, int | np.integer) and not isinstance(value, bool):
            raise RepeatedNoiseError(
                f"{type(primitive).__name__} has {name.removeprefix('_')} = {value!r}, and a whole "
                f"number makes it return the same noise in every call; {_way_out(primitive)}"
            )


def repeated_noise(primitive: Any) -> RepeatedNoiseError:
    """The error for a primitive that was seen to return the same noise twice."""
    return RepeatedNoiseError(
        f"{type(primitive).__name__} returned exactly the same noise in two calls, so it is "
        f"seeded with a fixed number; {_way_out(primitive)}"
    )


def is_known(primitive: Any) -> bool:
    """Whether a look at a primitive's attributes says everything about its seed."""
    return all(
        part is None or type(part).__module__.split(".")[0] in _KNOWN
        for part in (primitive, backend_of(primitive))
    )


def make_reseeder(primitive: Any, rng: np.random.Generator) -> tuple[Any, Callable[[], None]]:
    """Let a primitive draw a new seed from a generator for each job.

    The generator itself stays here: a job may go on in a thread of its own after Ctrl-C, when the
    generator has been set back for the resumed run.

    Args:
        primitive: A primitive whose seed can be set.
        rng: Where the seed of each job comes from.

    Returns:
        The primitive to use, and what has to be called before each job.
    """
    if type(primitive) is StatevectorEstimator:
        return _with_generators(
            StatevectorEstimator(default_precision=primitive.default_precision), rng
        )
    if type(primitive) is StatevectorSampler:
        return _with_generators(StatevectorSampler(default_shots=primitive.default_shots), rng)
    options: Any = getattr(primitive, "options", None)
    if type(primitive).__module__.startswith("qiskit_aer"):
        if hasattr(primitive, "_seed"):  # Aer's sampler has no public way to change its seed
            return primitive, lambda: setattr(primitive, "_seed", _draw(rng))
        return primitive, lambda: options.run_options.update(seed_simulator=_draw(rng))
    for owner in (getattr(options, "simulator", None), options):
        if hasattr(owner, "seed_simulator"):
            return primitive, _setter(owner, rng)
    raise ValueError(
        f"seed cannot be passed on to a {type(primitive).__name__}; leave seed out and seed the "
        "primitive itself with something that goes on between calls."
    )


def _with_generators(primitive: Any, rng: np.random.Generator) -> tuple[Any, Callable[[], None]]:
    """A primitive with a generator for each job: a number would repeat the noise at every point."""
    return primitive, lambda: setattr(primitive, "_seed", np.random.default_rng(_draw(rng)))


def _setter(owner: Any, rng: np.random.Generator) -> Callable[[], None]:
    return lambda: setattr(owner, "seed_simulator", _draw(rng))


def _draw(rng: np.random.Generator) -> int:
    return int(rng.integers(1, 2**31 - 1))


def _look_up(owner: Any, place: str) -> Any:
    for name in place.split("."):
        owner = owner.get(name) if isinstance(owner, dict) else getattr(owner, name, None)
    return owner


def _way_out(primitive: Any) -> str:
    if isinstance(primitive, StatevectorEstimator | StatevectorSampler):
        return (
            "pass it a generator, seed=numpy.random.default_rng(...), or leave it unseeded and "
            "pass seed= to the shot-controlled primitive around it."
        )
    return (
        "leave it unseeded; for runs that repeat pass seed= to the shot-controlled primitive "
        "around it, which then draws a new seed for every job."
    )
