"""How the documentation is built: ``make docs``, every warning an error."""

from __future__ import annotations

import importlib.metadata
import json
import sys
from pathlib import Path

from sphinx.application import Sphinx

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "_ext"))

project = "qiskit-arcmaes"
author = "The qiskit-arcmaes developers"
project_copyright = f"2026, {author}"
release = importlib.metadata.version("qiskit-arcmaes").partition("+")[0]  # without the commit
version = release
language = "en"

extensions = [
    "arcmaes_help",
    "mathml",
    "myst_nb",
    "qiskit_sphinx_theme",
    "reno.sphinxext",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx.ext.viewcode",
    "sphinx_copybutton",
]
exclude_patterns = ["_build", "**.ipynb_checkpoints"]

html_theme = "qiskit-ecosystem"
html_math_renderer = "mathml"
html_title = f"{project} {release}"

# Notebooks are shown with the outputs they were committed with; `make tutorials` runs them.
nb_execution_mode = "off"
myst_enable_extensions = ["amsmath", "colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3

# The page of an object says what its docstring says, in the order of the source.
autodoc_typehints = "signature"
autodoc_type_aliases = {"ArrayLike": "ArrayLike"}
python_use_unqualified_type_names = True
maximum_signature_line_length = 88
autodoc_member_order = "bysource"
autodoc_default_options = {"members": True, "show-inheritance": True}
napoleon_google_docstring = True
napoleon_numpy_docstring = False
napoleon_use_ivar = True

copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

INDEX = """# Tutorials

Notebooks, shown with the outputs of a real run; `make tutorials` runs them all again.

```{{toctree}}
:maxdepth: 1

{}
```
"""


def copy_tutorials() -> None:
    """Sphinx reads only what lies below this folder; the notebooks lie beside it."""
    target = HERE / "tutorials"
    target.mkdir(exist_ok=True)
    sources = {path.name: path for path in (HERE.parent / "tutorials").glob("*.ipynb")}
    for stale in target.glob("*.ipynb"):
        if stale.name not in sources:
            stale.unlink()
    for name, source in sources.items():
        notebook = json.loads(source.read_text())
        notebook["metadata"]["language_info"]["pygments_lexer"] = "ipython3"  # knows "!command"
        text, copy = json.dumps(notebook), target / name
        if not copy.exists() or copy.read_text() != text:
            copy.write_text(text)
    listed = "\n".join(sorted(path.removesuffix(".ipynb") for path in sources))
    (target / "index.md").write_text(INDEX.format(listed))


copy_tutorials()


def keep_colons(
    app: Sphinx, what: str, name: str, value: object, options: object, lines: list[str]
) -> None:
    """Keep napoleon from reading "Text: more text" of a property as "type: description"."""
    if what == "property":
        lines.insert(0, "\\ ")  # an escaped space, which shows nothing


def setup(app: Sphinx) -> None:
    """Run before napoleon, which has the priority 500."""
    app.connect("autodoc-process-docstring", keep_colons, priority=400)
