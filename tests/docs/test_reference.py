"""The API reference has every public name, and every public name has a runnable example."""

import doctest
import importlib
import inspect
import re

import pytest

from .pages import DOCS, blocks

MODULES = (
    "qiskit_arcmaes",
    "qiskit_arcmaes.optimizers",
    "qiskit_arcmaes.primitives",
    "qiskit_arcmaes.problems",
)
CONTRACT = "qiskit_arcmaes.method"  # no __all__: every name without an underscore is public


def public_names(module):
    return [
        name
        for name, value in vars(importlib.import_module(module)).items()
        if not name.startswith("_") and getattr(value, "__module__", None) == module
    ]


PUBLIC = [
    *((module, name) for module in MODULES for name in importlib.import_module(module).__all__),
    *((CONTRACT, name) for name in public_names(CONTRACT)),
]
REFERENCE = sorted((DOCS / "api").glob("*.md"))
_ENTRY = re.compile(r"^\.\. (?:auto|py:)(?:class|function|data|exception):: ([\w.]+)", re.MULTILINE)
ENTRIES = [entry for page in REFERENCE for entry in _ENTRY.findall(page.read_text())]
MODULE_ENTRIES = [
    importlib.import_module(name)
    for page in REFERENCE
    for name in re.findall(r"^\.\. automodule:: (\S+)$", page.read_text(), re.MULTILINE)
]


def resolve(entry):
    module, _, name = entry.rpartition(".")
    return getattr(importlib.import_module(module), name)


def whole_documented_modules():
    return {
        id(value)
        for module in MODULE_ENTRIES
        for value in vars(module).values()
        if getattr(value, "__module__", None) == module.__name__
    }


def own_docstring(value):
    return (vars(value).get("__doc__") if inspect.isclass(value) else value.__doc__) or ""


@pytest.mark.parametrize(("module", "name"), PUBLIC)
def test_every_public_name_is_in_the_reference(module, name):
    value = getattr(importlib.import_module(module), name)
    documented = {id(resolve(entry)) for entry in ENTRIES} | whole_documented_modules()
    assert id(value) in documented, f"add {module}.{name} to a page of docs/api"


@pytest.mark.parametrize(("module", "name"), PUBLIC)
def test_every_public_name_has_a_runnable_example(module, name):
    """In its own docstring, or on a page of the reference: both are run by other tests."""
    value = getattr(importlib.import_module(module), name)
    found = []
    if inspect.isclass(value) or inspect.isfunction(value):
        found = doctest.DocTestParser().get_examples(own_docstring(value))
    on_pages = [each.source for page in REFERENCE for b in blocks(page) for each in b.session()]
    shown = found or [code for code in on_pages if re.search(rf"\b{name}\b", code)]
    assert shown, f"{module}.{name} has no example"


def test_the_reference_names_nothing_twice():
    assert len(ENTRIES) == len(set(ENTRIES))
