"""Links that leave a folder are refused wherever folders of others are read; links within it are followed."""

import numpy as np
import pytest
from PIL import Image

from pixelproof.benches.arena.sources import open_source
from pixelproof.benches.pixelart._dataset import _files
from pixelproof.benches.sources import FileEntry, FolderSource
from pixelproof.contract import PixelProofError
from pixelproof.pixels import Palette
from pixelproof.store import leaves_folder, require_inside, write_json
from pixelproof.world.collage import Photographs

LEAVING = "paths and links that leave a folder of answers, photographs, masks or scenes"


@pytest.fixture
def places(tmp_path):
    """A folder, and files outside."""
    inside, outside = tmp_path / "inside", tmp_path / "outside"
    (inside / "sub").mkdir(parents=True)
    outside.mkdir()
    image = Image.fromarray(np.full((64, 64, 3), 90, np.uint8))
    image.save(outside / "a.png")
    image.save(inside / "sub" / "b.png")
    return inside, outside


def test_where_links_lead(places):
    inside, outside = places
    (inside / "file.png").symlink_to(outside / "a.png")
    (inside / "folder").symlink_to(outside)
    (inside / "chain.png").symlink_to(inside / "file.png")
    (inside / "loop.png").symlink_to(inside / "loop.png")
    (inside / "good.png").symlink_to(inside / "sub" / "b.png")
    (outside.parent / "way").symlink_to(inside)
    for name in ("file.png", "folder/a.png", "chain.png", "loop.png", "../outside/a.png", str(outside / "a.png")):
        assert leaves_folder(inside / name, inside), name
        with pytest.raises(PixelProofError, match="leaves"):
            require_inside(inside / name, inside)
    for name in ("good.png", "sub/b.png", "sub/../good.png", "absent.png"):
        assert not leaves_folder(inside / name, inside), name
    assert not leaves_folder(outside.parent / "way" / "good.png", outside.parent / "way")


@pytest.mark.attack(LEAVING)
@pytest.mark.parametrize("whole", [False, True])
def test_photographs(places, whole):
    inside, outside = places
    Photographs(inside)
    (inside / "linked").symlink_to(outside) if whole else (inside / "linked.png").symlink_to(outside / "a.png")
    if whole:  # a listing does not follow links to folders
        assert all("linked" not in str(path) for path in inside.rglob("*.png"))
    else:
        with pytest.raises(PixelProofError, match="leaves"):
            Photographs(inside)


@pytest.mark.attack(LEAVING)
@pytest.mark.parametrize("name", ["masks", "photos", "masks/a.png", "photos/a.png"])
def test_masks_and_their_photographs(places, name):
    inside, outside = places
    palette = Palette(("ground", "cat"), ((0, 0, 0), (255, 0, 0)))
    for kind in ("masks", "photos"):
        for folder in (inside, outside):
            (folder / kind).mkdir()
            Image.fromarray(np.zeros((8, 8, 3), np.uint8)).save(folder / kind / "a.png")
    write_json(inside / "palette.json", palette.to_json())
    assert len(open_source("folder", inside)) == 1
    path = inside / name
    if path.is_dir():
        (path / "a.png").unlink()
        path.rmdir()
    else:
        path.unlink()
    path.symlink_to(outside / name)
    with pytest.raises(PixelProofError, match="leaves"):
        open_source("folder", inside)


def test_data_sets_of_drawings(places):
    inside, outside = places
    (outside / "rows.jsonl").write_text("{}\n")
    (inside / "rows.jsonl").symlink_to(outside / "rows.jsonl")
    with pytest.raises(PixelProofError, match="leaves"):
        _files(inside)


@pytest.mark.attack(LEAVING)
@pytest.mark.parametrize("name", ["photos/../../outside/a.png", "photos/../../../etc/passwd"])
def test_names_in_an_annotation_file(places, name):
    """A data set names its own files, and could name any other, which a model behind a service would receive."""
    inside, _ = places
    with pytest.raises(PixelProofError, match="leaves"):
        FolderSource("coco", inside, (FileEntry("a", {"photo": name}),))
