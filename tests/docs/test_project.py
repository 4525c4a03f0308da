"""What the ecosystem asks, and that the versions and names said in several places agree."""

import importlib.metadata
import re
import tomllib

import pytest
from qiskit.primitives import BaseEstimatorV2, BaseSamplerV2

from qiskit_arcmaes import ShotEstimator, ShotSampler

from .pages import DOCS, ROOT

yaml = pytest.importorskip("yaml")

CONFIGURATION = tomllib.loads((ROOT / "pyproject.toml").read_text())
PROJECT = CONFIGURATION["project"]
CITATION = yaml.safe_load((ROOT / "CITATION.cff").read_text())


def test_licence():
    assert PROJECT["license"] == CITATION["license"] == "Apache-2.0"
    assert "Apache License" in (ROOT / "LICENSE").read_text()
    assert importlib.metadata.metadata("qiskit-arcmaes")["License-Expression"] == "Apache-2.0"


def test_the_version_comes_from_the_tag_with_a_fallback():
    assert PROJECT["dynamic"] == ["version"]
    assert CONFIGURATION["tool"]["setuptools_scm"]["fallback_version"] == CITATION["version"]


def test_citation_names_the_paper():
    (paper,) = CITATION["references"]
    assert paper["doi"] in (ROOT / "README.md").read_text()
    assert paper["doi"] in (DOCS / "project" / "cite.md").read_text()
    assert len(paper["authors"]) == 4


def test_both_optimizers_are_in_the_citation_and_on_the_page():
    page = (DOCS / "project" / "cite.md").read_text()
    for text in (CITATION["message"], page):
        assert "ShotFrugal" in text
        assert "AR-CMA-ES" in text


def test_light_dependencies():
    names = [re.split(r"[<>=]", line)[0] for line in PROJECT["dependencies"]]
    assert names == ["numpy", "scipy", "qiskit", "qiskit-aer", "qiskit-algorithms"]
    assert "qiskit>=2.0,<3" in PROJECT["dependencies"]


def test_primitives_are_of_the_second_version():
    assert issubclass(ShotEstimator, BaseEstimatorV2)
    assert issubclass(ShotSampler, BaseSamplerV2)


@pytest.mark.parametrize("extra", PROJECT["optional-dependencies"])
def test_every_extra_is_on_the_page_on_installing(extra):
    assert f"| `{extra}` |" in (DOCS / "install.md").read_text()


def test_code_of_conduct():
    assert "https://qisk.it/coc" in (ROOT / "CODE_OF_CONDUCT.md").read_text()


def test_release_notes_can_be_read():
    known = {"prelude", "features", "upgrade", "deprecations", "fixes", "issues"}
    notes = list((ROOT / "releasenotes" / "notes").glob("*.yaml"))
    assert notes
    for note in notes:
        assert set(yaml.safe_load(note.read_text())) <= known, note.name


def test_files_that_pages_name_exist():
    """Paths in backticks: of tests, scripts, notes."""
    folders = "bench|tests|tools|docs|releasenotes|qiskit_arcmaes"
    path = re.compile(rf"`((?:{folders})/[\w./-]+)`")
    pages = [*ROOT.glob("*.md"), *(p for p in DOCS.rglob("*.md") if "_build" not in p.parts)]
    for page in pages:
        for name in path.findall(page.read_text()):
            assert (ROOT / name).exists(), f"{page.name} names {name}"


def test_tests_that_pages_name_exist():
    known = "\n".join(p.read_text() for p in (ROOT / "tests").rglob("test_*.py"))
    for page in DOCS.rglob("*.md"):
        for name in re.findall(r"`(test_\w+)`", page.read_text()):
            assert f"def {name}(" in known, f"{page.name} names {name}"


def test_the_page_on_citing_has_the_version():
    page = (DOCS / "project" / "cite.md").read_text()
    assert f"version = {{{CITATION['version']}}}" in page
