"""Whether two runs are one and the same."""

import numpy as np


def same(one, two):
    """Bit for bit: the point, the numbers of the result, and every column of the history."""
    np.testing.assert_array_equal(one.x, two.x)
    for name in ("fun", "fun_std", "shots", "jobs", "nfev", "nit", "stop"):
        assert getattr(one, name) == getattr(two, name), name
    assert one.history.columns == two.history.columns
    for name in one.history.columns:
        np.testing.assert_array_equal(one.history[name], two.history[name])
