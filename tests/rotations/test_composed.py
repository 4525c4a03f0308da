"""A rotation form in other coordinates."""

import numpy as np
from scipy.sparse import csr_array

from qiskit_arcmaes.rotations import analyse, make_form


def test_angles_in_other_coordinates():
    rng = np.random.default_rng(4)
    matrix, offset, y = rng.normal(size=(3, 2)), rng.normal(size=3), rng.normal(size=(5, 2))
    form = make_form(["X", "Z", "Y", "X"], rng.normal(size=(4, 3)), offsets=rng.normal(size=4))
    composed = form.composed(csr_array(matrix), offset)
    assert composed.num_parameters == 2
    assert np.allclose(composed.angles(y), form.angles(y @ matrix.T + offset), atol=1e-12)


def test_a_coordinate_that_cancels_has_no_frequency():
    form = make_form(["X"], [[1.0, 1.0]], observable={"Z": 1.0})
    composed = form.composed(csr_array([[1.0, 2.0], [-1.0, 0.0]]), np.zeros(2))
    assert composed.rotations_of(0).size == 0
    assert [spectrum.values for spectrum in analyse(composed).spectra] == [(), (2.0,)]
