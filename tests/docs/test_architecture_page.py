"""The page on architecture has the layers of the import contracts, in their order."""

import re
import tomllib

from .pages import DOCS, ROOT

PAGE = (DOCS / "project" / "architecture.md").read_text()
PACKAGE = ROOT / "qiskit_arcmaes"
CONTRACTS = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"][
    "contracts"
]


def words(text):
    return re.findall(r"`(\w+)`", text)


def contract(name):
    (found,) = [each for each in CONTRACTS if each["id"] == name]
    return found


def layers():
    """The layers of the tree from the top down, each a list of modules."""
    return [re.split(r"\s*[|:]\s*", layer) for layer in contract("tree")["layers"]]


def rows():
    """The table of layers on the page: the modules of each row."""
    (table,) = re.findall(
        r"^\| modules \| hold \|\n\|---\|---\|\n((?:\|.*\n)+)", PAGE, re.MULTILINE
    )
    return [words(line.split("|")[1]) for line in table.splitlines()]


def place(module):
    (row,) = [number for number, modules in enumerate(rows()) if module in modules]
    return row


def test_the_page_names_every_layer_once():
    on_page = [module for row in rows() for module in row]
    assert len(on_page) == len(set(on_page))
    assert {module for layer in layers() for module in layer} <= set(on_page)


def test_the_page_has_the_layers_in_the_order_of_the_contract():
    ordered = [place(module) for layer in layers() for module in layer]
    assert ordered == sorted(ordered)


def test_a_row_of_the_page_is_a_layer():
    """Modules that may not import each other share a row; others have rows of their own."""
    for layer in layers():
        assert {place(module) for module in layer} == {place(layer[0])}
    assert len({place(layer[0]) for layer in layers()}) == len(layers())


def test_the_page_names_nothing_that_is_not_there():
    for module in (module for row in rows() for module in row):
        assert (PACKAGE / module).is_dir() or (PACKAGE / f"{module}.py").is_file(), module


def test_the_page_names_what_imports_qiskit():
    (sentence,) = re.findall(r"Only (.*?) import Qiskit\.", PAGE)
    loads = re.compile(r"^\s*(?:from|import) qiskit(?:_aer|_algorithms|_ibm_runtime)?[ .]", re.M)
    found = {
        path.relative_to(PACKAGE).parts[0].removesuffix(".py")
        for path in PACKAGE.rglob("*.py")
        if loads.search(path.read_text())
    }
    assert set(words(sentence)) == found
