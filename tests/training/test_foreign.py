"""Reading drawings of others. Their files are not ours to keep, so small ones of the same form are written here."""

import gzip
import json

import numpy as np
import pytest
from PIL import Image

from pixelproof.contract import PixelProofError
from training.drawing import foreign
from training.drawing.foreign import TRAINED, UNSEEN, Figure, is_validation, read_figures
from training.drawing.labels import NOTHING

CORPORA = {corpus.asset: corpus for corpus in (*TRAINED, *UNSEEN)}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(foreign, "asset_path", lambda asset: tmp_path)
    return tmp_path


def tile(path, colour, size=16):
    path.parent.mkdir(parents=True, exist_ok=True)
    rgba = np.zeros((size, size, 4), np.uint8)
    rgba[4:12, 4:12] = (*colour, 255)
    Image.fromarray(rgba).save(path)


def names(asset):
    return {(figure.name, figure.subject) for figure in read_figures((CORPORA[asset],))}


def test_tiles_are_named_by_their_path(folder):
    tile(folder / "item/weapon/long_sword1.png", (9, 9, 9))
    tile(folder / "item/weapon/whip.png", (8, 8, 8))
    tile(folder / "mon/undead/ghost.png", (7, 7, 7))  # unclear
    assert names("crawl-tiles") == {("long_sword1", "sword"), ("whip", NOTHING)}


def test_the_same_picture_counts_once(folder):
    tile(folder / "heart.png", (9, 0, 0))
    tile(folder / "other.png", (9, 0, 0))
    assert names("minetest-textures") == {("heart", "heart")}


def test_sheets_of_animations_and_empty_pictures_are_left_out(folder):
    tile(folder / "default_stick.png", (1, 2, 3), size=128)
    Image.fromarray(np.zeros((16, 16, 4), np.uint8)).save(folder / "default_paper.png")
    assert names("minetest-textures") == set()


def test_icons_are_cells(folder):
    (folder / "heart-sharp.svg").write_text('<svg viewBox="0 0 24 24"><path d="M2 2h4v4H2z"/></svg>')
    (figure,) = read_figures((CORPORA["pixelarticons"],))
    assert (figure.name, figure.subject, figure.ink) == ("heart-sharp", "heart", True)
    assert (figure.rgba[..., 3] > 0).sum() == 16


def test_sketches_are_shades_of_ink(folder):
    drawing = np.zeros((28, 28))
    drawing[3, 4], drawing[5, 6] = 1, 0.5
    with gzip.open(folder / "sea turtle.ndjson.gz", "wt") as file:
        file.write(json.dumps(drawing.ravel().tolist()) + "\n")
    (figure,) = read_figures((CORPORA["quick-draw"],))
    assert (figure.name, figure.subject) == ("sea turtle 0", "turtle")
    assert figure.rgba[3, 4].tolist() == [0, 0, 0, 255] and figure.rgba[5, 6, 3] == 128


def test_missing_assets_are_named_together(tmp_path, monkeypatch):
    monkeypatch.setenv("PIXELPROOF_CACHE", str(tmp_path))
    with pytest.raises(
        PixelProofError, match="pixelproof data assets get crawl-tiles minetest-textures quick-draw unifont"
    ):
        read_figures(TRAINED)


def test_versions_of_a_drawing_stay_together(folder):
    for number in range(5):
        tile(folder / f"item/weapon/rapier{number}.png", (number, 9, 9))
    figures = read_figures((CORPORA["crawl-tiles"],))
    assert len(figures) == 5 and len({figure.group for figure in figures}) == 1
    assert len({is_validation(figure) for figure in figures}) == 1


def test_a_seventh_is_kept_for_validation():
    figures = [Figure("s", str(n), "cat", np.zeros((1, 1, 4), np.uint8), f"s/{n}") for n in range(2000)]
    assert 0.1 < np.mean([is_validation(figure) for figure in figures]) < 0.19


def test_no_source_is_on_both_sides():
    assert not {corpus.asset for corpus in TRAINED} & {corpus.asset for corpus in UNSEEN}
