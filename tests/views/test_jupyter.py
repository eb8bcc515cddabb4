"""What Jupyter shows below a cell."""

from tests.notebooks import executed


def test_every_cell_shows_its_figure(tmp_path):
    ours = "ha.plot([[1, 0], [0.4, 0.6]]);"
    cells = [f"import hopattn as ha\n{ours}", ours, "import matplotlib.pyplot as plt\nplt.plot([1, 2]);"]
    shown = [["image/png" in output.data for output in outputs] for outputs in executed(cells, tmp_path)]
    assert shown == [[True]] * 3
