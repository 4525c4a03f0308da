"""A directive that shows what a command says of itself: ``.. arcmaes-help:: bench run``."""

from __future__ import annotations

import contextlib
import io
import os
from typing import ClassVar

from docutils import nodes
from docutils.parsers.rst import Directive
from sphinx.application import Sphinx

from qiskit_arcmaes.bench.cli import main


class CommandHelp(Directive):
    """The help of ``arcmaes WORDS``, from the program itself."""

    optional_arguments = 1
    final_argument_whitespace = True
    option_spec: ClassVar[dict[str, object]] = {}

    def run(self) -> list[nodes.Node]:
        """Ask the command for its help."""
        words = self.arguments[0].split() if self.arguments else []
        os.environ["COLUMNS"] = "88"
        said = io.StringIO()
        with contextlib.redirect_stdout(said), contextlib.suppress(SystemExit):
            main([*words, "--help"])
        text = f"$ arcmaes {' '.join([*words, '--help'])}\n{said.getvalue()}"
        block = nodes.literal_block(text, text)
        block["language"] = "console"
        return [block]


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the directive."""
    app.add_directive("arcmaes-help", CommandHelp)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
