"""Results whose fields can be read like the items of a dictionary, as scipy's can."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar


class Items:
    """Gives a result item access to its fields: ``result["x"]`` is ``result.x``.

    Attributes:
        _fields: Names of the fields, in their order.

    Example:
        >>> class Pair(Items):
        ...     _fields = ("x", "fun")
        ...     x, fun = 1.0, 2.0
        >>> pair = Pair()
        >>> pair["fun"], dict(pair), "nit" in pair, pair.get("nit", 0)
        (2.0, {'x': 1.0, 'fun': 2.0}, False, 0)
    """

    _fields: ClassVar[tuple[str, ...]]

    def __getitem__(self, name: str) -> Any:
        if name not in self._fields:
            raise KeyError(f"a result has no field {name!r}; it has {', '.join(self._fields)}.")
        return getattr(self, name)

    def __contains__(self, name: object) -> bool:
        return name in self._fields

    def __iter__(self) -> Iterator[str]:
        return iter(self._fields)

    def keys(self) -> tuple[str, ...]:
        """Names of the fields."""
        return self._fields

    def get(self, name: str, default: Any = None) -> Any:
        """A field, or a default where there is none of that name.

        Args:
            name: The field.
            default: What is returned otherwise.
        """
        return getattr(self, name) if name in self._fields else default
