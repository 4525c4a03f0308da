"""Checks of arguments: each returns the value in its plain form, or says what is wrong with it."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from typing import Any

import numpy as np

LARGEST_INTEGER = 2**53  # beyond it a float cannot count in ones
LARGEST_FLOAT = 1e100  # its square times any budget is still finite
SMALLEST_SCALE = 1e-100  # its square is not zero, and one over that is finite


def integer(name: str, value: Any, least: int, most: int = LARGEST_INTEGER) -> int:
    """Take an integer between two limits; floats without a fraction count as integers.

    Args:
        name: The argument's name, for the message.
        value: What was given.
        least: The smallest value allowed.
        most: The largest one.

    Example:
        >>> integer("shots", 1e3, 1)
        1000
        >>> integer("shots", 0, 1)
        Traceback (most recent call last):
        ...
        ValueError: shots must be an integer >= 1, not 0.
    """
    whole = isinstance(value, int | np.integer) or (
        isinstance(value, float | np.floating) and value.is_integer()
    )
    if isinstance(value, bool) or not whole or value < least:
        raise ValueError(f"{name} must be an integer >= {least}, not {short(value)}.")
    if value > most:
        raise ValueError(f"{name} must be at most {most}, not {short(value)}.")
    return int(value)


def number(name: str, value: Any, *, allow_zero: bool = False) -> float:
    """Take a finite number > 0, or >= 0.

    Args:
        name: The argument's name, for the message.
        value: What was given.
        allow_zero: Whether 0 is allowed.

    Example:
        >>> number("sigma0", 0.5)
        0.5
        >>> number("sigma0", 0)
        Traceback (most recent call last):
        ...
        ValueError: sigma0 must be a finite number > 0, not 0.
    """
    real = isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)
    try:
        plain = float(value) if real else math.nan
    except OverflowError:
        plain = math.inf
    if not math.isfinite(plain) or plain < 0 or (plain == 0 and not allow_zero):
        least = ">= 0" if allow_zero else "> 0"
        raise ValueError(f"{name} must be a finite number {least}, not {short(value)}.")
    if plain > LARGEST_FLOAT:
        raise ValueError(f"{name} must be at most {LARGEST_FLOAT:g}, not {short(value)}.")
    return plain


def scale(name: str, value: Any, *, allow_zero: bool = False) -> float:
    """Take a number as ``number`` does, whose square must not vanish unless it does.

    Args:
        name: The argument's name, for the message.
        value: What was given.
        allow_zero: Whether 0 is allowed.

    Example:
        >>> scale("sigma0", 1e-300)
        Traceback (most recent call last):
        ...
        ValueError: sigma0 must be at least 1e-100, not 1e-300.
    """
    plain = number(name, value, allow_zero=allow_zero)
    if 0 < plain < SMALLEST_SCALE:
        raise ValueError(f"{name} must be at least {SMALLEST_SCALE:g}, not {short(value)}.")
    return plain


def real(name: str, value: Any) -> float:
    """Take a finite number of any sign.

    Args:
        name: The argument's name, for the message.
        value: What was given.

    Example:
        >>> real("target", -1.5)
        -1.5
    """
    negative = isinstance(value, int | float | np.integer | np.floating) and value < 0
    try:
        size = number(name, -value if negative else value, allow_zero=True)
    except ValueError:
        raise ValueError(f"{name} must be a finite number, not {short(value)}.") from None
    return -size if negative else size


def count_or_share(name: str, value: Any) -> int | float:
    """Take an integer >= 1, or a share between 0 and 1.

    Args:
        name: The argument's name, for the message.
        value: What was given.

    Example:
        >>> count_or_share("final_shots", 1e3), count_or_share("final_shots", 0.2)
        (1000, 0.2)
        >>> count_or_share("final_shots", 1.5)
        Traceback (most recent call last):
        ...
        ValueError: final_shots must be an integer >= 1 or a share between 0 and 1, not 1.5.
    """
    if isinstance(value, float | np.floating) and 0 < value < 1:
        return float(value)
    try:
        return integer(name, value, 1)
    except ValueError:
        raise ValueError(
            f"{name} must be an integer >= 1 or a share between 0 and 1, not {short(value)}."
        ) from None


def one_of(name: str, value: Any, choices: Sequence[Any]) -> Any:
    """Take one of several values.

    Args:
        name: The argument's name, for the message.
        value: What was given.
        choices: The values allowed.

    Example:
        >>> one_of("method", "adam", ["ar", "cma"])
        Traceback (most recent call last):
        ...
        ValueError: method = 'adam' is unknown; take one of 'ar', 'cma'.
    """
    if not any(
        value is choice or (type(value) is type(choice) and value == choice) for choice in choices
    ):
        allowed = ", ".join(map(repr, choices))
        raise ValueError(f"{name} = {short(value)} is unknown; take one of {allowed}.")
    return value


def function(name: str, value: Any) -> Any:
    """Take None or a callable.

    Args:
        name: The argument's name, for the message.
        value: What was given.

    Example:
        >>> function("callback", 5)
        Traceback (most recent call last):
        ...
        TypeError: callback must be a function or None, not 5.
    """
    if value is not None and not callable(value):
        raise TypeError(f"{name} must be a function or None, not {short(value)}.")
    return value


def path(name: str, value: Any) -> Any:
    """Take None or the path of a file.

    Args:
        name: The argument's name, for the message.
        value: What was given.

    Example:
        >>> path("checkpoint", 5)
        Traceback (most recent call last):
        ...
        TypeError: checkpoint must be the path of a file or None, not 5.
    """
    if value is not None and not isinstance(value, str | os.PathLike):
        raise TypeError(f"{name} must be the path of a file or None, not {short(value)}.")
    return value


def generator(seed: Any) -> np.random.Generator:
    """Make the one generator of a run from a seed.

    Args:
        seed: Anything ``numpy.random.default_rng`` takes.

    Example:
        >>> generator(-1)
        Traceback (most recent call last):
        ...
        ValueError: seed must be None, an integer >= 0 or a numpy Generator, not -1.
    """
    try:
        if isinstance(seed, bool):
            raise TypeError(seed)
        return np.random.default_rng(seed)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"seed must be None, an integer >= 0 or a numpy Generator, not {short(seed)}."
        ) from error


def short(value: Any) -> str:
    """Show a value in a message: at most 80 characters of it.

    Args:
        value: Anything; Python itself refuses to print integers of thousands of digits.

    Example:
        >>> len(short(list(range(100))))
        80
    """
    try:
        text = repr(value)
    except ValueError:
        return "a number of thousands of digits"
    return text if len(text) <= 80 else f"{text[:77]}..."
