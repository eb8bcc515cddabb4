"""The notebook to begin with, run by a kernel as Jupyter runs it."""

import os
from base64 import b64decode
from io import BytesIO

import pytest
from PIL import Image

from tests.processes import ROOT

pytestmark = pytest.mark.slow


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
    client = nbclient.NotebookClient(notebook, resources={"metadata": {"path": folder}})
    client.execute(env=os.environ | {"PYTHONPATH": str(ROOT), "IPYTHONDIR": str(folder / "ipython")})
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def test_each_cell_that_draws_shows_one_image_also_the_user_s_own(cells):
    drawing = [cell for cell in cells if "plot(" in cell.source]
    ours = [cell for cell in drawing if "ha.plot(" in cell.source]
    assert (len(ours), len(drawing)) == (2, 3)
    for cell in drawing:
        (output,) = cell.outputs
        darkest, lightest = Image.open(BytesIO(b64decode(output.data["image/png"]))).convert("L").getextrema()
        assert darkest < 100 < lightest, "nothing is drawn"


def test_every_other_cell_that_ends_with_a_thing_shows_it(cells):
    message = [cell.outputs[-1].data for cell in cells if "plot(" not in cell.source]
    assert ["text/html" in data for data in message] == [True, True, False, True]
    assert message[2]["text/plain"] == "('converged', 0)"
