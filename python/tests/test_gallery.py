"""Every script of the gallery runs and makes a picture."""
import pathlib
import subprocess
import sys

import pytest

SCRIPTS = sorted((pathlib.Path(__file__).parents[1] / "gallery").glob("*.py"))


@pytest.mark.long
@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_gallery(script, tmp_path):
    pytest.importorskip("matplotlib")
    subprocess.run([sys.executable, script, tmp_path], check=True)
    assert (tmp_path / f"{script.stem}.png").stat().st_size > 5000
