"""How numbers and names are written in reports."""

from __future__ import annotations

import html
import math
import re

_RAISED = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")


def short(value: float | None, digits: int = 2) -> str:
    """A number for a table: two digits, powers of ten where it is small or large.

    Args:
        value: Any number; None and NaN become a dash.
        digits: Significant digits, >= 1.

    Example:
        >>> short(1.234e-5), short(0.1234), short(72.1, 3), short(0.0), short(None)
        ('1.2·10⁻⁵', '0.12', '72.1', '0', '—')
    """
    if value is None or math.isnan(value):
        return "—"
    if value == 0:
        return "0"
    if math.isinf(value):
        return "∞" if value > 0 else "-∞"
    mantissa, _, exponent = f"{value:.{digits - 1}e}".partition("e")
    power = int(exponent)
    if -2 <= power < max(digits, 3):
        return f"{float(f'{mantissa}e{power}'):.{max(digits - 1 - power, 0)}f}"
    return f"{mantissa}·{ten_to(power)}"


def ten_to(power: int) -> str:
    """A power of ten.

    Example:
        >>> ten_to(-5)
        '10⁻⁵'
    """
    return f"10{str(power).translate(_RAISED)}"


def shots(count: float) -> str:
    """A number of shots: a power of ten where it is one.

    Example:
        >>> shots(10**7), shots(5000), shots(2500), shots(1)
        ('10⁷', '5·10³', '2500', '1')
    """
    if count < 10:
        return f"{count:g}"
    power = math.floor(math.log10(count) + 1e-12)
    factor = count / 10**power
    if factor != int(factor):
        return f"{count:g}" if count < 1e6 else short(count, 3)
    return ten_to(power) if factor == 1 else f"{int(factor)}·{ten_to(power)}"


def shots_in_names(count: int) -> str:
    """A number of shots in the name of a file: short, and no two alike.

    Example:
        >>> shots_in_names(10**7), shots_in_names(20_000), shots_in_names(15_000)
        ('1e7', '2e4', '15000')
    """
    return re.sub("(?<=^[1-9])0+$", lambda zeros: f"e{len(zeros[0])}", str(count))


def escaped(text: object) -> str:
    r"""Text that means nothing to Markdown and HTML, with powers of ten as people write them.

    Example:
        >>> escaped("<script> | [a](b), 3*10^5")
        '&lt;script&gt; \\| \\[a\\](b), 3·10⁵'
    """
    plain = html.escape(" ".join(str(text).split()), quote=False).replace("*10^", "·10^")
    plain = re.sub(r"\b10\^(\d+)", lambda power: ten_to(int(power[1])), plain)
    return "".join("\\" + letter if letter in "|[]`*" else letter for letter in plain)
