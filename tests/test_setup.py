"""The first use of a fresh clone: each slow step says first what it does."""

import subprocess
from pathlib import Path

ROOT = Path(__file__).parent.parent


def test_every_slow_step_of_the_set_up_is_announced(tmp_path):
    command = ["make", "--dry-run", "demo", "test", "lint", "site", f"VENV={tmp_path / 'venv'}"]
    lines = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()
    slow = [i for i, line in enumerate(lines) if "sh .ci/" in line]
    assert len(slow) == 6
    assert all(lines[i - 1].startswith("echo >&2 ") for i in slow)


def test_drawing_figures_is_announced_on_standard_error(hopattn):
    code, out, err = hopattn("figures", "neuron", "--out", "drawn")
    assert (code, out) == (0, "drawn/neuron.svg\n")
    assert err.startswith("drawing into drawn …\n")
