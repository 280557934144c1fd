"""Fixtures that several files of these tests use."""

import pytest

from tools.agents import picture, png


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    """A picture with a red disc and a blue square."""
    path = tmp_path_factory.mktemp("media") / "disc.png"
    path.write_bytes(png(picture()))
    return path
