"""The page about the world names every kind, and its commands are real."""

import re
import shlex
from pathlib import Path

import click

from pixelproof.cli._world import world_group
from pixelproof.world.sets import KINDS

DOCS = Path(__file__).parents[2] / "docs" / "world"
TEXT = (DOCS / "README.md").read_text("utf-8")


def test_every_kind_is_in_the_table():
    rows = [line for line in TEXT.splitlines() if line.startswith("| `")]
    named = {word for row in rows for word in re.findall(r"`([a-z-]+)`", row.split("|")[1])}
    assert set(KINDS) <= named


def test_pictures_and_pages_are_there():
    targets = re.findall(r"\]\(([^)#]+)", TEXT)
    assert len(targets) >= 9
    assert [target for target in targets if not (DOCS / target).exists()] == []


def test_commands_parse():
    lines = re.findall(r"^pixelproof world (.+?)(?:\s{2,}.*)?$", TEXT, re.MULTILINE)
    assert len(lines) >= 13
    for line in lines:
        name, *words = shlex.split(line)
        command = world_group.commands[name]
        command.make_context(name, words, resilient_parsing=False)  # raises for what is no option
        assert isinstance(command, click.Command)
