import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qiskit_arcmaes.rotations import Paulis, analyse, make_form, mean_loss
from qiskit_arcmaes.rotations.blocks import find_stabilisers, make_blocks
from qiskit_arcmaes.rotations.cones import parameter_classes
from qiskit_arcmaes.rotations.eigenvalues import joint_signs
from qiskit_arcmaes.rotations.rows import rows_of
from tests.circuits.exact import apply, by_form

OBSERVABLE = {"XYI": 1.0, "ZZI": 0.5, "IZX": -0.3, "IIZ": 0.2, "YIY": 0.4}


STRINGS = st.text("IXYZ", min_size=3, max_size=3)
FEW = st.text("IZ", min_size=3, max_size=3) | st.sampled_from(["XXI", "IYY", "XIY"])


@st.composite
def forms(draw, strings=STRINGS):
    """Rotations about random strings on three qubits, with three parameters, often shared."""
    labels = draw(st.lists(strings, min_size=1, max_size=9))
    weights = [
        draw(st.sampled_from([(1, 0, 0), (0, 1, 0), (0, 2, 1), (0.5, 0, 0)])) for _ in labels
    ]
    return make_form(
        labels, weights, offsets=[0.3 * k for k in range(len(labels))], observable=OBSERVABLE
    )


@settings(deadline=None)
@given(forms())
def test_blocks_are_the_same_circuit(form):
    blocks = make_blocks(form)
    points = np.random.default_rng(1).uniform(-4, 4, (3, 3))
    np.testing.assert_allclose(by_form(blocks.form, points), by_form(form, points), atol=1e-12)
    for first, last in zip(blocks.starts[:-1], blocks.starts[1:], strict=True):
        members = blocks.form.paulis[first:last]
        assert not members.anticommutes(members).any()


@settings(deadline=None)
@given(forms(FEW))
def test_idle_rotations_change_nothing_and_stabilisers_hold(form):
    blocks = make_blocks(form)
    found = find_stabilisers(blocks)
    moving = make_form(
        blocks.form.paulis.labels(),
        np.eye(form.num_rotations),
        observable=OBSERVABLE | {"ZII": 1.0, "IZI": 1.0, "ZIZ": 1.0, "ZZZ": 1.0, "IZZ": 1.0},
    )
    rng = np.random.default_rng(2)
    points = rng.uniform(-4, 4, (3, form.num_rotations))
    moved = np.where(found.idle, rng.uniform(-4, 4, points.shape), points)
    np.testing.assert_allclose(by_form(moving, points), by_form(moving, moved), atol=1e-12)
    for string in found.after_block[-1]:
        label = "".join("Z" if string >> q & 1 else "I" for q in (2, 1, 0))
        stabilised = make_form(
            moving.paulis.labels(), np.eye(form.num_rotations), observable={label: 1.0}
        )
        np.testing.assert_allclose(by_form(stabilised, points), 1.0, atol=1e-12)


@pytest.mark.parametrize("labels", [["XX", "YY", "ZZ"], ["ZI", "IZ", "ZZ"], ["XX", "XX"]])
def test_joint_signs_are_the_joint_eigenvalues(labels):
    paulis = Paulis.from_labels(labels)
    signs = [1, -1, 1][: len(labels)]
    found = joint_signs(rows_of(paulis, signs), [], 2)
    eye = np.eye(4, dtype=complex)
    matrices = [s * apply(paulis.x[k], paulis.z[k], eye).T for k, s in enumerate(signs)]
    weights = np.array([1.0, 2.7, 7.1])[: len(labels)]
    exact = np.linalg.eigvalsh(sum(w * m for w, m in zip(weights, matrices, strict=True)))
    np.testing.assert_allclose(np.unique(found.all() @ weights), np.unique(exact.round(12)))


def test_a_mean_is_exact_where_it_says_so():
    form = make_form(
        ["IX", "YI", "ZZ"],
        [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
        observable={"II": 0.4, "ZZ": 1.0, "XI": 2.0, "IZ": -1.0},
    )
    grid = 2 * np.pi * np.arange(4) / 4
    points = np.stack(np.meshgrid(grid, grid, grid), axis=-1).reshape(-1, 3)
    mean = mean_loss(form)
    assert mean.exact
    assert mean.value == pytest.approx(0.4 + by_form(form, points).sum(axis=1).mean())


def test_a_mean_of_shared_parameters_is_not_called_exact():
    form = make_form(["X", "X"], [[1.0], [1.0]], observable={"Z": 1.0})
    assert not mean_loss(form).exact


def test_a_mean_needs_terms():
    with pytest.raises(ValueError, match="form has no terms"):
        mean_loss(make_form(["X"], [[1.0]]))


@given(
    st.integers(1, 12).flatmap(
        lambda t: st.lists(st.lists(st.booleans(), min_size=t, max_size=t), min_size=1, max_size=8)
    )
)
def test_classes_share_no_term_and_lose_no_parameter(rows):
    cones = np.array(rows, dtype=bool)
    classes = parameter_classes(cones)
    for members in classes:
        assert cones[members].sum(axis=0).max() <= 1
    found = sorted(index for members in classes for index in members.tolist())
    assert found == np.flatnonzero(cones.any(axis=1)).tolist()


def test_a_term_that_a_symmetry_makes_zero_is_in_no_cone():
    form = make_form(["XX", "ZZ"], [[1, 0], [0, 1]], observable={"IX": 1.0, "IZ": 1.0})
    np.testing.assert_array_equal(analyse(form).cones, [[False, True], [False, False]])


def test_a_parameter_whose_rotations_cancel_is_in_no_cone():
    form = make_form(["X", "X"], [[1.0], [-1.0]], observable={"Z": 1.0})
    analysis = analyse(form)
    assert not analysis.cones.any()
    assert analysis.spectra[0].values == ()
    assert analysis.classes == ()
