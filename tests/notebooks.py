"""Notebooks run by a kernel of their own, as Jupyter runs them."""

import os

import pytest

from tests.processes import ROOT


def executed(cells, folder):
    """The outputs of each cell of Python, in a notebook that runs in this folder; a cell that fails is an error."""
    why = "is not installed (the extra 'test' brings it)"
    nbclient = pytest.importorskip("nbclient", reason=f"nbclient {why}")
    pytest.importorskip("ipykernel", reason=f"ipykernel {why}")
    from nbformat import v4

    notebook = v4.new_notebook(cells=[v4.new_code_cell(cell) for cell in cells])
    client = nbclient.NotebookClient(notebook, resources={"metadata": {"path": folder}})
    client.execute(env=os.environ | {"PYTHONPATH": str(ROOT), "IPYTHONDIR": str(folder / "ipython")})
    return [cell.outputs for cell in notebook.cells]
