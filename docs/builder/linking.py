"""Inline code that names a public function or a command becomes a link to its page."""

import re
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform

from docs.builder import api, commands

_NAME = re.compile(r"ha\.(\w+)(?:\.(\w+))?")
_COMMAND = re.compile(r"hopattn ([a-z]+)\b")
_COMMANDS = commands.names()


class LinkedCode(SphinxTransform):  # type: ignore[misc]  # Sphinx is not part of a usual set-up
    """`ha.Memory(keys)` leads to the page of `Memory`, `hopattn run bank` to the section of `hopattn run`."""

    default_priority = 210

    def apply(self, **_: Any) -> None:
        for node in list(self.document.findall(nodes.literal)):
            if isinstance(node.parent, nodes.title | nodes.reference | addnodes.pending_xref):
                continue
            reference = self._reference(node.astext())
            if reference is not None:
                node.replace_self(reference)
                reference += node

    def _reference(self, code: str) -> addnodes.pending_xref | None:
        name, command = _NAME.match(code), _COMMAND.match(code)
        if name and name[1] in api.NAMES:
            target = {"refdomain": "py", "reftype": "obj", "reftarget": f"hopattn.{name[1]}"}
        elif name and name[1] in api.ROOMS:
            target = {
                "refdomain": "py",
                "reftype": "obj",
                "reftarget": ".".join(["hopattn", *filter(None, name.groups())]),
            }
        elif command and command[1] in _COMMANDS and self.env.docname != "reference/commands":
            page = {"refdomain": "doc", "reftype": "myst", "reftarget": "reference/commands"}
            target = {**page, "reftargetid": f"hopattn-{command[1]}"}
        else:
            return None
        return addnodes.pending_xref(code, refexplicit=True, refdoc=self.env.docname, refwarn=True, **target)


def setup(app: Sphinx) -> dict[str, bool]:
    """Add the transform to Sphinx."""
    app.add_transform(LinkedCode)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
