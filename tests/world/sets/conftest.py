"""A set that is made once, and copies of it to be spoiled."""

import shutil
from pathlib import Path

import pytest

from pixelproof.world.sets import make_set
from world.sets.samples import SMALL


@pytest.fixture(scope="session")
def made(tmp_path_factory):
    directory = tmp_path_factory.mktemp("made") / "set"
    make_set(SMALL, 5, directory, workers=1)
    return directory


@pytest.fixture
def copy(made, tmp_path):
    return Path(shutil.copytree(made, tmp_path / "set"))
