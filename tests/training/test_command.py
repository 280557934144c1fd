"""The trainer as its user meets it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

CHECKOUT = Path(__file__).parents[2]
WITHOUT_TORCH = (
    "import sys, runpy; sys.modules['torch'] = None; runpy.run_module('training.drawing', run_name='__main__')"
)


def ask(*words, code=None, **environment):
    command = [sys.executable, *(("-c", code) if code else ("-m", "training.drawing")), *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, cwd=CHECKOUT, env={**os.environ, **environment})


@pytest.mark.parametrize("words", [(), ("train",), ("evaluate",)])
def test_help_says_what_is_needed(words):
    said = ask(*words, "--help")
    assert said.returncode == 0 and "Usage:" in said.stdout
    if words == ("train",):
        assert "assets get crawl-tiles" in " ".join(said.stdout.split()) and "--seed" in said.stdout


def test_without_torch_it_names_the_command(tmp_path):
    said = ask("train", "--out", tmp_path / "net.npz", code=WITHOUT_TORCH)
    assert said.returncode == 3 and said.stderr.strip() == "Training needs torch: run pip install 'pixelproof[train]'."


def test_without_drawings_it_names_the_command(tmp_path):
    said = ask("evaluate", PIXELPROOF_CACHE=str(tmp_path))
    assert said.returncode == 3
    assert said.stderr.startswith("Drawings of others are missing: run pixelproof data assets get crawl-tiles ")
    assert " unifont pixelarticons " in said.stderr and said.stderr.endswith(" noto-color-emoji symbola.\n")


def test_importing_the_trainer_imports_no_torch():
    assert ask(code="import sys, training.drawing.run; print('torch' in sys.modules)").stdout.strip() == "False"
