import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from qiskit.quantum_info import Pauli, PauliList

from qiskit_arcmaes.rotations.paulis import (
    Paulis,
    Span,
    integer_rows,
    parity,
    row_integers,
    swap_halves,
)
from qiskit_arcmaes.rotations.rows import multiply, rows_of, sign_of, surviving

labels = st.integers(1, 70).flatmap(
    lambda n: st.lists(st.text("IXYZ", min_size=n, max_size=n), min_size=1, max_size=5)
)


@given(labels)
def test_labels_come_back(strings):
    assert Paulis.from_labels(strings).labels() == strings


@given(labels)
def test_anticommutation_is_that_of_qiskit(strings):
    paulis, reference = Paulis.from_labels(strings), PauliList(strings)
    expected = np.array([reference.anticommutes(Pauli(label)) for label in strings])
    np.testing.assert_array_equal(paulis.anticommutes(paulis), expected)
    words = paulis.words()
    packed = parity(words[:, None] & swap_halves(words)[None])
    np.testing.assert_array_equal(packed, expected)


@given(labels)
def test_integers_come_back_as_rows(strings):
    x = Paulis.from_labels(strings).x
    np.testing.assert_array_equal(integer_rows(row_integers(x), x.shape[1]), x)


@given(st.lists(st.text("IXYZ", min_size=3, max_size=3), min_size=2, max_size=2))
def test_products_are_those_of_qiskit(strings):
    left, right = rows_of(Paulis.from_labels(strings), [1, -1])
    product = Pauli(strings[0]).dot(-Pauli(strings[1]))
    bits = 1 << np.arange(3)
    x, z, phase = multiply(left, right)
    assert (x, z) == (int(bits @ product.x), int(bits @ product.z))
    # Qiskit's phase counts powers of -i, and each Y of the label as 1
    assert (phase - (x & z).bit_count()) % 4 == -product.phase % 4


def test_signs_of_rows_come_back():
    rows = rows_of(Paulis.from_labels(["XYZ", "YYI", "ZZZ"]), [1, -1, -1])
    assert [sign_of(row) for row in rows] == [1, -1, -1]


@given(st.lists(st.integers(0, 255), max_size=6), st.integers(0, 255))
def test_a_span_holds_exactly_the_sums_of_its_vectors(vectors, probe):
    sums = {0}
    for vector in vectors:
        sums |= {vector ^ other for other in sums}
    span = Span(vectors)
    assert (span.reduce(probe) == 0) == (probe in sums)
    assert 2 ** len(span) == len(sums)


@given(st.lists(st.integers(1, 63), max_size=4), st.integers(0, 63))
def test_surviving_strings_are_all_those_of_the_group_that_commute(generators, x):
    def group(vectors):
        sums = {0}
        for vector in vectors:
            sums |= {vector ^ other for other in sums}
        return sums

    commuting = {s for s in group(generators) if not (s & x).bit_count() & 1}
    assert group(surviving(generators, x)) == commuting
