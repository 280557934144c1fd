"""Worlds as sources: exact truth, fair labels, expressions that fit one thing, and a cache that cannot lie."""

from collections import Counter
from itertools import islice

import numpy as np
import pytest
from scipy.stats import chisquare

from pixelproof.benches.arena.sources import open_source
from pixelproof.benches.arena.sources._labels import _ALIKE
from pixelproof.contract import PixelProofError
from pixelproof.pixels import VOID

pytest.importorskip("mujoco")
pytest.importorskip("embreex")
SIDE = 96


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        folder = tmp_path_factory.mktemp("cache")
        patch.setenv("PIXELPROOF_CACHE", str(folder))
        yield folder


@pytest.fixture(scope="module")
def source(cache):
    return open_source("world", size=SIDE)


@pytest.fixture(scope="module")
def cases(source):
    return list(islice(source.cases(5), 3))


def scene_of(source, case):
    from pixelproof.world.solid import Scene

    return Scene.from_json(source.scenes.facts(case.details["seed"], case.details["index"]).json)


@pytest.mark.slow
def test_kinds_are_balanced_and_an_index_does_not_tell_them():
    from pixelproof.benches.sources._solid import scene_kind

    kinds = ("tabletop", "room", "shelf")
    drawn = [[scene_kind(kinds, "arena/world", seed, index) for index in range(300)] for seed in range(20)]
    assert all(set(row[place : place + 3]) == set(kinds) for row in drawn for place in range(0, 300, 3))
    for place in range(3):
        counts = [sum(row[place::3].count(kind) for row in drawn) for kind in kinds]
        assert chisquare(counts).pvalue > 1e-4, "2,000 draws each"
    orders = Counter(tuple(row[place : place + 3]) for row in drawn for place in range(0, 300, 3))
    assert len(orders) == 6 and chisquare(list(orders.values())).pvalue > 1e-4
    assert len({tuple(row) for row in drawn}) == 20, "seeds differ"


@pytest.mark.slow
def test_every_kind_comes_and_cases_are_the_same_again(source, cases):
    assert {case.tags["scene"] for case in cases} == {"tabletop", "room", "shelf"}
    assert all(scene_of(source, case).kind == case.tags["scene"] for case in cases)
    assert list(islice(open_source("world", size=SIDE).cases(5), 3)) == cases
    assert len({case.content for case in cases}) == 3
    assert next(source.cases(6)).content != cases[0].content


@pytest.mark.slow
def test_labels_are_what_a_fresh_picture_shows(source, cases):
    from pixelproof.world.language import view_of
    from pixelproof.world.solid.render import render

    for case in cases:
        scene, frame = scene_of(source, case), source.load(case)
        fresh = render(scene, SIDE, layers=("rgb", "ids"))
        assert (frame.photo == fresh.rgb).all() and frame.shape == (SIDE, SIDE)
        assert VOID not in frame.labels
        nouns = {entity.id: entity.noun for entity in view_of(scene).entities}
        for number, thing in enumerate(scene.things, 1):
            label = "background" if thing.fixed else nouns[thing.id]
            seen = fresh.ids == number
            assert (frame.labels[seen] == case.palette.index(label)).all(), thing.id
        assert {case.palette.labels[label] for label in np.unique(frame.labels)} <= set(nouns.values()) | {"background"}


@pytest.mark.slow
def test_objects_have_a_number_each_and_the_background_none(source, cases):
    assert source.has_instances and source.stuff == {"background"}
    for case in cases[:2]:
        frame = source.load(case)
        assert ((frame.instances > 0) == (frame.labels > 0)).all()
        for number in np.unique(frame.instances[frame.instances > 0]):
            assert len(np.unique(frame.labels[frame.instances == number])) == 1


@pytest.mark.slow
def test_labels_offered_are_there_or_surely_not(source, cases):
    for case in cases:
        scene = scene_of(source, case)
        drawn = source.scenes.facts(case.details["seed"], case.details["index"])
        present, labels = {noun for noun in drawn.nouns if noun}, set(case.palette.labels)
        absent = labels - present - {"background"}
        assert case.palette.labels[0] == "background" and present < labels <= set(source.vocabulary)
        assert len(absent) >= 2 and 8 <= len(labels) <= 12
        assert len(present) <= len(scene.movable)
        for group in _ALIKE:
            assert not (present & set(group) and absent & set(group)), (
                "an absent label could be meant for what is there"
            )
        if scene.kind != "room":
            assert not absent & {"table", "bookcase", "cabinet"}


@pytest.mark.slow
def test_depth_and_normals_are_those_of_the_scene(cache, source, cases):
    from pixelproof.world.solid.render import render

    for task, layer in (("depth", "depth"), ("normals", "normals")):
        dense = open_source("world", task=task, size=SIDE)
        case = next(dense.cases(5))
        frame, fresh = dense.load(case), getattr(render(scene_of(source, cases[0]), SIDE, layers=(layer,)), layer)
        again = dense.load(case)
        if task == "depth":
            assert np.array_equal(frame.depth, fresh) and np.array_equal(again.depth, fresh) and frame.normals is None
        else:
            cosine = np.clip((frame.normals.astype(float) * fresh).sum(-1), -1, 1)
            assert np.degrees(np.arccos(cosine)).max() < 0.1
            assert np.abs(np.linalg.norm(frame.normals, axis=-1) - 1).max() < 1e-5
            assert np.array_equal(frame.normals, again.normals)
        assert frame.labels is not None and case.content != cases[0].content


@pytest.mark.slow
def test_expressions_fit_one_thing_by_the_word_of_the_checker(cache, source):
    from oracles.language import check
    from pixelproof.world.language import Sentence, view_of
    from pixelproof.world.solid.render import render

    referring = open_source("world", task="referring", size=SIDE)
    assert referring.vocabulary == ("everything else", "target")
    cases = list(islice(referring.cases(5), 6))
    assert len({case.key for case in cases}) == 6 and len({case.cluster for case in cases}) < 6
    for case in cases:
        drawn, scene = referring.scenes.facts(5, case.details["index"]), scene_of(referring, case)
        seen = view_of(scene, dict(zip([thing.id for thing in scene.things], drawn.visible, strict=True)))
        thing = scene.things[case.details["number"] - 1]
        assert not thing.fixed
        assert check(seen, Sentence("expression", case.tags["form"], case.expression, about=(thing.id,))) == []
        ids = render(scene, SIDE, layers=("ids",)).ids
        assert ((referring.load(case).labels == 1) == (ids == case.details["number"])).all()


@pytest.mark.slow
@pytest.mark.parametrize("harm", [b"", b"nonsense", None], ids=["empty", "nonsense", "flipped"])
def test_what_is_damaged_in_the_cache_is_made_again(cache, source, cases, harm):
    case = cases[0]
    good = source.load(case)
    files = [path for path in cache.rglob("000000.*") if path.is_file()]
    assert {path.suffix for path in files} >= {".json", ".rgb", ".ids"}
    for path in files:
        data = bytearray(path.read_bytes() or b"empty")
        data[len(data) // 2] ^= 64
        path.write_bytes(bytes(data) if harm is None else harm)
    again = open_source("world", size=SIDE).load(case)
    assert np.array_equal(again.photo, good.photo) and np.array_equal(again.labels, good.labels)


@pytest.mark.slow
def test_no_room_for_a_cache_stops_nothing(cases, monkeypatch, tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    monkeypatch.setenv("PIXELPROOF_CACHE", str(blocked))
    source = open_source("world", size=SIDE)
    case = next(source.cases(5))
    assert case == cases[0] and source.load(case).photo.shape == (SIDE, SIDE, 3)


def test_a_case_of_other_software_is_refused(source, cases):
    from dataclasses import replace

    with pytest.raises(PixelProofError, match="differs from the one in the run"):
        source.load(replace(cases[0], content="0" * 64))


def test_the_world_takes_no_folder_and_knows_its_splits(tmp_path):
    with pytest.raises(PixelProofError, match="generates its images"):
        open_source("world", tmp_path)
    with pytest.raises(PixelProofError, match="no split 'tset'"):
        open_source("world", split="tset")


def test_flat_scenes_have_exact_masks_and_expressions_for_one_shape(cache):
    source = open_source("flat", size=SIDE)
    case = next(source.cases(2))
    frame, drawn = source.load(case), source.scenes.facts(2, 0)
    assert {case.palette.labels[label] for label in np.unique(frame.labels)} == {"background", *drawn.nouns}
    assert set(drawn.nouns) <= set(case.palette.labels) <= set(source.vocabulary)
    ids = source.scenes.layers(2, 0, ("ids",))["ids"]
    for object_id, noun in enumerate(drawn.nouns, 1):
        colours = frame.photo[ids == object_id]
        assert case.palette.labels[frame.labels[ids == object_id][0]] == noun
        assert np.abs(colours - np.median(colours, axis=0)).mean() < 20, "a shape has one colour, but for its edges"
    meant = list(islice(open_source("flat", None, "referring", size=SIDE).cases(2), 3))
    assert len({case.expression for case in meant}) == 3
    for case in meant:
        words = case.expression.split()[1:]
        assert words[-1] in drawn.nouns and (len(words) == 2 or drawn.nouns.count(words[-1]) == 1)
    with pytest.raises(PixelProofError, match="Flat scenes have no depth"):
        open_source("flat", task="depth")


@pytest.mark.slow
def test_collages_of_our_own_things(cache):
    source = open_source("collage", size=SIDE)
    case = next(source.cases(2))
    frame, drawn = source.load(case), source.scenes.facts(2, 0)
    assert set(drawn.nouns) <= set(case.palette.labels) <= set(source.vocabulary)
    assert {case.palette.labels[label] for label in np.unique(frame.labels)} == {"background", *drawn.nouns}
    assert np.array_equal(open_source("collage", size=SIDE).load(case).photo, frame.photo)


@pytest.mark.slow
def test_collages_of_a_folder_follow_its_files(cache, tmp_path):
    from PIL import Image

    for name, colour in (("red disc", (200, 0, 0)), ("disc", (0, 0, 200)), ("green bar", (0, 160, 0))):
        y, x = np.mgrid[-20:20, -20:20]
        inside = (abs(x) < 8) if "bar" in name else x**2 + y**2 < 300
        rgba = np.dstack([np.full((40, 40, 3), colour, np.uint8), np.where(inside, 255, 0).astype(np.uint8)])
        Image.fromarray(rgba).save(tmp_path / f"{name}.png")
    source = open_source("collage", tmp_path, size=SIDE)
    assert source.vocabulary == ("background", "disc", "green bar", "red disc")
    case = next(case for case in source.cases(1) if len(source.scenes.facts(1, case.details["index"]).nouns) == 3)
    frame = source.load(case)
    assert case.root == tmp_path and set(case.palette.labels) == set(source.vocabulary)
    for label, channel in (("red disc", 0), ("green bar", 1), ("disc", 2)):
        mask = frame.labels == case.palette.index(label)
        assert frame.photo[mask].mean(axis=0).argmax() == channel
    meant = {case.expression for case in islice(open_source("collage", tmp_path, "referring", size=SIDE).cases(1), 4)}
    assert meant == {"the green bar", "the red disc"}, "a disc could be the red one"
    (tmp_path / "green bar.png").unlink()
    Image.fromarray(np.full((9, 9, 4), 255, np.uint8) * np.eye(9, dtype=np.uint8)[..., None]).save(tmp_path / "x.png")
    with pytest.raises(PixelProofError):
        open_source("collage", tmp_path, size=SIDE).load(case)
    with pytest.raises(PixelProofError, match="Collages have no depth"):
        open_source("collage", task="depth")
