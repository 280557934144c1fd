"""Runs of one group, opened."""

from pixelproof.report import open_groups


def open_views(paths, bench=None):
    (group,) = open_groups(paths, bench)
    return group.views
