"""The notebook to begin with, run by a kernel as Jupyter runs it."""

import os
from base64 import b64decode
from io import BytesIO

import pytest
from PIL import Image

from tests.processes import ROOT

pytestmark = pytest.mark.slow
WITHOUT_SEMICOLON = (
    'ha.plot(bank, "attention", run="river")',
    'ha.plot(bank, "attention", run="river", ax=plt.subplots()[1])',
)
"""Cells behind those of the notebook, whose last line gives what was drawn."""


@pytest.fixture(scope="module")
def cells(tmp_path_factory):
    """The cells of Python after their run; a cell that fails is an error."""
    why = "is not installed (the extra 'test' brings it)"
    nbclient = pytest.importorskip("nbclient", reason=f"nbclient {why}")
    pytest.importorskip("ipykernel", reason=f"ipykernel {why}")
    import nbformat

    folder = tmp_path_factory.mktemp("notebook")
    notebook = nbformat.read(ROOT / "docs/start/starter.ipynb", as_version=4)
    assert not any(cell.get("outputs") for cell in notebook.cells), "it is committed without its outputs"
    notebook.cells += [nbformat.v4.new_code_cell(source) for source in WITHOUT_SEMICOLON]
    client = nbclient.NotebookClient(notebook, resources={"metadata": {"path": folder}})
    client.execute(env=os.environ | {"PYTHONPATH": str(ROOT), "IPYTHONDIR": str(folder / "ipython")})
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def images(cell):
    return [output for output in cell.outputs if "image/png" in output.data]


def test_each_cell_that_draws_shows_one_image_also_the_user_s_own(cells):
    drawing = [cell for cell in cells if "plot(" in cell.source]
    ours = [cell for cell in drawing if "ha.plot(" in cell.source]
    assert (len(ours), len(drawing)) == (4, 5)
    for cell in drawing:
        (output,) = images(cell)
        assert cell.outputs == [output] or cell.source in WITHOUT_SEMICOLON
        darkest, lightest = Image.open(BytesIO(b64decode(output.data["image/png"]))).convert("L").getextrema()
        assert darkest < 100 < lightest, "nothing is drawn"


def test_every_other_cell_that_ends_with_a_thing_shows_it(cells):
    message = [cell.outputs[-1].data for cell in cells if "plot(" not in cell.source]
    assert ["text/html" in data for data in message] == [True, True, False, True]
    assert message[2]["text/plain"] == "('converged', 0)"
