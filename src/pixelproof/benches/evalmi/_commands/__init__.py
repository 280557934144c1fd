"""`pixelproof judge`: scores of images, measured against people, votes turned into scores, models ranked by a judge."""

from __future__ import annotations

import click

from ._board import board_command
from ._meta import meta_command
from ._rank import rank_command
from ._score import score_command
from ._votes import example_command, mos_command, pairs_command

__all__ = ["judge_group"]


@click.group("judge", short_help="Judge images; measure scores against people; rank models.")
def judge_group() -> None:
    """Score images with a judge, measure scores against people, turn votes into scores, and rank models by a judge."""


for _command in (score_command, meta_command, board_command, rank_command, mos_command, pairs_command, example_command):
    judge_group.add_command(_command)
