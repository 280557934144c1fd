"""The bench as a whole, on folders of small masks."""

import json
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from benches.arena.folders import PALETTE, answer, make, mask, photo
from pixelproof.benches.arena import Arena
from pixelproof.contract import Answer, Artefact, Fault, Item, PixelProofError, Source
from pixelproof.harness import Plan, Settings, compare, run
from pixelproof.pixels import ImageChannel, Palette, _answers, _decoding, encode_labels, encode_png
from pixelproof.store import _parquet

FOLDER = Source("folder")


@pytest.fixture(autouse=True)
def own_cache(shared_cache, monkeypatch):
    monkeypatch.setenv("PIXELPROOF_CACHE", str(shared_cache))


def items(options, **more):
    bench = Arena(**{**options, **more})
    return bench, list(bench.items(FOLDER, 0, None))


def scored(bench, item, picture):
    file = picture if isinstance(picture, Artefact) else encode_png(picture)
    return bench.score(item, Answer(images=(file,)), {})


@pytest.mark.slow
def test_the_truth_is_one_under_both_protocols_and_a_copy_is_the_floor(tmp_path):
    options = make(tmp_path)
    for name in ("generated",):
        options.pop(name)
    bench = Arena(**options)
    for control, value in (("ceiling-truth", 1.0), ("floor-copy", None)):
        done = run(Plan(bench, FOLDER), f"control/{control}", settings=Settings(out=tmp_path / control))
        assert done.complete
        for name in ("robust.miou", "robust.f1", "robust.boundary_f", "robust.boundary_iou", "pixelarena.f1"):
            metric = done.summary["metrics"][name]
            if value is None:
                assert metric["calibrated"]["value"] <= 1e-9
            else:
                assert metric["value"] == 1.0 and metric["calibrated"]["value"] >= 1.0 - 1e-9


def test_the_published_vector(tmp_path):
    three = Palette(("a", "b", "c"), ((255, 0, 0), (0, 255, 0), (0, 0, 255)))
    (tmp_path / "masks").mkdir()
    (tmp_path / "masks" / "v.png").write_bytes(encode_png(three.paint(np.array([[0, 0], [1, 1]], np.uint8))).data)
    (tmp_path / "palette.json").write_text(json.dumps(three.to_json()))
    options = {"reference": str(tmp_path / "masks"), "palette": str(tmp_path / "palette.json"), "decoder": "nearest"}
    bench, (item,) = items(options)
    numbers = scored(bench, item, three.paint(np.array([[0, 0], [1, 2]], np.uint8))).metrics
    assert numbers["pixelarena.f1"] == numbers["pixelarena.dice"] == pytest.approx(5 / 9)
    assert numbers["pixelarena.miou"] == pytest.approx(0.5)
    assert numbers["robust.f1"] == pytest.approx(5 / 9, abs=1e-5)
    assert numbers["robust.iou"] == pytest.approx(0.5, abs=1e-5)
    assert numbers["robust.invented"] == 0.25
    assert numbers["robust.accuracy"] == pytest.approx(0.75)


def published(picture, reference, colours):
    """PixelArena's protocol, written plainly: nearest colour, F1 and IoU over classes in either, first of ties."""
    away = ((picture[:, :, None].astype(int) - colours.astype(int)) ** 2).sum(-1)
    labels = away.argmin(-1)
    f1, iou = [], []
    for label in range(len(colours)):
        p, r = labels == label, reference == label
        if p.any() or r.any():
            f1.append(2 * (p & r).sum() / (p.sum() + r.sum()))
            iou.append((p & r).sum() / (p | r).sum())
    return np.mean(f1), np.mean(iou)


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(picture=arrays.arrays(np.uint8, (96, 96, 3), elements=st.integers(0, 255), fill=st.integers(0, 255)))
def test_the_published_protocol_is_met_to_the_bit(tmp_path_factory, picture):
    bench, found = items(_shared(tmp_path_factory))
    f1, iou = published(picture, mask(0), PALETTE.array)
    numbers = scored(bench, found[0], picture).metrics
    assert numbers["pixelarena.f1"] == pytest.approx(f1, abs=1e-12)
    assert numbers["pixelarena.miou"] == pytest.approx(iou, abs=1e-12)


_MADE = {}


def _shared(factory):
    if not _MADE:
        _MADE.update(make(factory.mktemp("shared"), 1))
    return _MADE


@pytest.mark.slow
@pytest.mark.parametrize("painted", [False, True])
def test_references_are_index_or_painted_and_other_colours_do_not_confuse_them(tmp_path, painted):
    options = make(tmp_path, painted=painted)
    for colours in ("own", "designed", "permuted", "fresh", "renamed"):
        bench, found = items(options, colours=colours, colours_seed=3)
        case, frame, _ = bench.frame_of(found[1])
        assert np.array_equal(frame.labels, mask(1))
        assert (case.palette.colours == PALETTE.colours) == (colours in ("own", "renamed"))
        assert scored(bench, found[1], case.palette.paint(mask(1))).metrics["pixelarena.f1"] == 1.0


def test_a_renamed_label_is_shown_and_its_scores_stand_under_its_own_name(tmp_path):
    bench, found = items(make(tmp_path), colours="renamed")
    text = bench.prompt(found[0]).text
    shown = found[0].inputs["names"]
    assert set(shown).isdisjoint(PALETTE.labels) and all(name in text for name in shown)
    assert set(bench.parts(FOLDER)["class"]) == set(PALETTE.labels)


def test_a_label_map_needs_no_colours_and_says_so(tmp_path):
    bench, found = items(make(tmp_path))
    result = scored(bench, found[0], encode_labels(mask(0), PALETTE))
    assert result.metrics["pixelarena.f1"] == 1.0 and "no colours" in result.notes["form"]
    assert "audit.off_palette" not in result.metrics
    plain, found = items(make(tmp_path), form="labels")
    assert scored(plain, found[0], encode_png(mask(0))).metrics["robust.f1"] == 1.0
    wrong = scored(plain, found[0], encode_png(np.full((96, 96), 77, np.uint8)))
    assert wrong.failure.fault is Fault.MODEL and wrong.failure.name == "bad-labels" and "77" in wrong.failure.detail


def test_labels_that_mean_nothing_are_left_out_by_the_robust_protocol_alone(tmp_path):
    bench, found = items(make(tmp_path), void="background")
    picture = PALETTE.paint(np.where(mask(0) == 0, 1, mask(0)).astype(np.uint8))
    numbers = scored(bench, found[0], picture).metrics
    assert numbers["robust.recall"] == numbers["robust.accuracy"] == 1.0
    assert numbers["pixelarena.f1"] < 0.8


@pytest.mark.slow
def test_right_shape_wrong_place_is_told_from_wrong(tmp_path):
    bench, found = items(make(tmp_path))
    mirrored = scored(bench, found[0], PALETTE.paint(mask(0)[:, ::-1]))
    assert mirrored.metrics["registration.mirrored"] + mirrored.metrics["registration.swapped"] >= 1
    wrong = scored(bench, found[0], PALETTE.array[np.random.default_rng(0).integers(0, 5, (96, 96))])
    assert wrong.metrics["registration.mirrored"] == wrong.metrics["registration.shifted"] == 0


@pytest.mark.slow
def test_the_evidence_is_photo_truth_answer_errors_and_overlay(tmp_path):
    bench, found = items(make(tmp_path), gallery=1)
    evidence = scored(bench, found[0], PALETTE.paint(mask(1))).evidence
    assert list(evidence) == ["photo", "truth", "decoded", "errors", "overlay"]
    assert scored(bench, found[1], PALETTE.paint(mask(1))).evidence == {}
    lean, found = items(make(tmp_path), detail="lean")
    result = scored(lean, found[0], PALETTE.paint(mask(1)))
    assert result.evidence == {} and "robust.boundary_f" not in result.metrics
    full, found = items(make(tmp_path))
    same = scored(full, found[0], PALETTE.paint(mask(1))).metrics
    assert {name: same[name] for name in result.metrics} == dict(result.metrics)


def test_no_picture_is_the_models_fault(tmp_path):
    bench, found = items(make(tmp_path))
    result = bench.score(found[0], Answer("I cannot paint that."), {})
    assert result.failure.fault is Fault.MODEL and result.failure.name == "no-image"
    assert "I cannot paint that." in result.failure.detail


@pytest.mark.slow
def test_a_declared_legend_counts_where_it_is_asked_for(tmp_path):
    bench, found = items(make(tmp_path), legend="declared")
    other = Palette(PALETTE.labels, tuple((255 - r, 255 - g, 255 - b) for r, g, b in PALETTE.colours))
    text = "Here it is.\n" + "\n".join(f"{label}: {list(colour)}" for label, colour in other.to_json().items())
    declared_picture = (encode_png(other.paint(mask(0))),)
    declared = bench.score(found[0], Answer(text, images=declared_picture), {})
    assert declared.metrics["robust.f1"] == 1.0 and declared.metrics["pixelarena.f1"] < 0.5
    assert "5 of 5 labels" in declared.notes["legend"]
    renamed, other_names = items(make(tmp_path), legend="declared", colours="renamed")
    said = "\n".join(f"{a}: {list(b)}" for a, b in zip(other_names[0].inputs["names"], other.colours, strict=True))
    assert renamed.score(other_names[0], Answer(said, images=declared_picture), {}).metrics["robust.f1"] == 1.0
    silent = bench.score(found[0], Answer(images=(encode_png(PALETTE.paint(mask(0))),)), {})
    assert silent.metrics["robust.f1"] == 1.0 and "none was declared" in silent.notes["legend"]


@pytest.mark.slow
def test_pooled_scores_of_classes(tmp_path):
    options = make(tmp_path, 3)
    for index in range(3):
        answer(tmp_path, index, PALETTE.paint(np.where(mask(index) == 4, 0, mask(index)).astype(np.uint8)))
    done = run(Plan(Arena(**options, decoder="nearest"), FOLDER), "recorded", settings=Settings(out=tmp_path / "run"))
    classes = done.summary["groups"]["class"]
    assert classes["dot"]["iou"]["value"] == 0 and classes["disc"]["iou"]["value"] == 1
    dots = sum(int((mask(index) == 4).sum()) for index in range(3))
    ground = sum(int((mask(index) == 0).sum()) for index in range(3))
    assert classes["background"]["precision"]["value"] == pytest.approx(ground / (ground + dots))
    expected = (0 + 1 + 1 + 1 + ground / (ground + dots)) / 5
    assert done.summary["metrics"]["robust.miou"]["value"] == pytest.approx(expected)


@pytest.mark.slow
def test_samples_of_a_folder(tmp_path):
    options = make(tmp_path, 2)
    for index in range(2):
        answer(tmp_path, index, PALETTE.paint(mask(index)), f"case{index}.0.png")
        answer(tmp_path, index, PALETTE.paint(mask(index)[:, ::-1]), f"case{index}.1.png")
    done = run(Plan(Arena(**options), FOLDER, samples=2), "recorded", settings=Settings(out=tmp_path / "run"))
    told = done.summary["sampling"]["pixelarena.f1"]
    assert told["best"]["2"]["value"] == 1.0 > told["best"]["1"]["value"]


@pytest.mark.slow
def test_a_second_run_of_a_process_reads_the_folders_as_they_are_now(tmp_path):
    """Answers in another format, references that were added and replaced, and another palette."""
    options = make(tmp_path, 2, photos=False)

    def counts(name):
        done = run(Plan(Arena(**options), FOLDER), "recorded", settings=Settings(out=tmp_path / name, calibrate=0))
        told = done.summary["counts"]
        return told["planned"], told["completed"], done.summary["metrics"]["robust.f1"]["value"], done.card["remarks"]

    for index in range(2):
        answer(tmp_path, index, PALETTE.paint(mask(index)))
    assert counts("first")[:3] == (2, 2, 1.0)
    for index in range(2):
        (tmp_path / "answers" / f"case{index}.png").unlink()
        answer(tmp_path, index, PALETTE.paint(mask(index)), f"case{index}.bmp", format="BMP")
    assert counts("other format")[:3] == (2, 2, 1.0)
    (tmp_path / "masks" / "case2.png").write_bytes(encode_png(PALETTE.paint(mask(2))).data)
    answer(tmp_path, 2, PALETTE.paint(mask(2)))
    planned, completed, score, remarks = counts("one more")
    assert (planned, completed, score) == (3, 3, 1.0) and not any("answer no reference" in text for text in remarks)
    turned = Palette(PALETTE.labels, (*PALETTE.colours[1:], PALETTE.colours[0]))
    (tmp_path / "palette.json").write_text(json.dumps(turned.to_json()))
    for index in range(3):
        (tmp_path / "masks" / f"case{index}.png").write_bytes(encode_png(turned.paint(mask(index))).data)
        answer(tmp_path, index, turned.paint(mask(index)), f"case{index}.{'png' if index == 2 else 'bmp'}")
    assert counts("other palette")[:3] == (3, 3, 1.0)


def test_what_cannot_be_meant_is_refused(tmp_path):
    options = make(tmp_path)
    with pytest.raises(PixelProofError, match="--generated needs --reference"):
        Arena(generated=options["generated"])
    with pytest.raises(PixelProofError, match="no label 'sky'"):
        items(options, void="sky")
    bench, found = items(make(tmp_path / "dark", photos=False))
    with pytest.raises(PixelProofError, match="pass --photos"):
        bench.prompt(found[0])


def test_items_do_not_depend_on_where_their_files_lie(tmp_path):
    from pixelproof.store import digest

    one, other = (items(make(tmp_path / name))[1][0] for name in ("here", "there"))
    assert digest((one.inputs, one.truth)) == digest((other.inputs, other.truth))
    changed = make(tmp_path / "changed")
    (tmp_path / "changed" / "masks" / "case0.png").write_bytes(encode_png(PALETTE.paint(mask(7))).data)
    third = items(changed)[1][0]
    assert digest((one.inputs, one.truth)) != digest((third.inputs, third.truth))


def test_an_item_without_its_file_is_an_instruments_fault(tmp_path):
    bench, found = items(make(tmp_path))
    (tmp_path / "masks" / "case0.png").unlink()
    result = scored(bench, found[0], PALETTE.paint(mask(0)))
    assert result.failure.fault is Fault.INSTRUMENT and result.failure.name == "bad-reference"


def test_the_prompt_shows_the_photo_and_the_palette(tmp_path):
    bench, found = items(make(tmp_path))
    prompt = bench.prompt(found[0])
    pictures = [part for part in prompt.parts if isinstance(part, Artefact)]
    assert prompt.wants == "image" and len(pictures) == 2
    assert all(f"{label}: {list(colour)}" in prompt.text for label, colour in PALETTE.to_json().items())
    assert bench.for_model("images/gpt-image-1").profile == "gpt-image"
    assert replace(bench, profile="plain").for_model("images/gpt-image-1").profile == "plain"


def test_the_photo_scores_as_a_copy(tmp_path):
    bench, found = items(make(tmp_path))
    assert scored(bench, found[0], photo(0)).metrics["audit.copied"] > 0.5
    assert isinstance(found[0], Item)


@pytest.mark.slow
def test_runs_are_paired_by_the_names_of_pictures_and_not_by_their_places(tmp_path):
    options = make(tmp_path, 4)
    for index in range(4):
        answer(tmp_path, index, PALETTE.paint(mask(index)[:, ::-1] if index % 2 else mask(index)))
    run(Plan(Arena(**options), FOLDER), "recorded", settings=Settings(out=tmp_path / "a"))
    fewer = tmp_path / "fewer"
    fewer.mkdir()
    for index in (1, 2, 3):
        (fewer / f"case{index}.png").write_bytes((tmp_path / "masks" / f"case{index}.png").read_bytes())
    run(Plan(Arena(**{**options, "reference": str(fewer)}), FOLDER), "recorded", settings=Settings(out=tmp_path / "b"))
    told = compare(tmp_path / "a", tmp_path / "b", metrics=["pixelarena"])
    assert (told.common_items, told.only_a, told.only_b) == (3, 1, 0)
    assert all(difference.difference.value == 0 for difference in told.differences)


@pytest.mark.slow
def test_runs_with_other_classes_are_not_compared(tmp_path):
    options = make(tmp_path, 2)
    for index in range(2):
        answer(tmp_path, index, PALETTE.paint(mask(index)))
    run(Plan(Arena(**options), FOLDER), "recorded", settings=Settings(out=tmp_path / "a"))
    more = {**PALETTE.to_json(), "sky": [9, 99, 199]}
    (tmp_path / "more.json").write_text(json.dumps(more))
    other = Arena(**{**options, "palette": str(tmp_path / "more.json")})
    run(Plan(other, FOLDER), "recorded", settings=Settings(out=tmp_path / "b"))
    with pytest.raises(PixelProofError, match="other classes"):
        compare(tmp_path / "a", tmp_path / "b")
    assert compare(tmp_path / "a", tmp_path / "b", metrics=["pixelarena"]).common_items == 2


def test_a_wording_of_another_task_is_refused():
    with pytest.raises(PixelProofError, match="published-faces"):
        Arena(wording="published-faces", task="depth")


def test_without_a_folder_of_answers_there_is_nothing_to_score(tmp_path):
    options = make(tmp_path)
    options.pop("generated")
    with pytest.raises(PixelProofError, match="--generated DIR"):
        run(Plan(Arena(**options), FOLDER), "recorded", settings=Settings(out=tmp_path / "run"))


@pytest.mark.parametrize("detail", ["full", "lean"])
def test_an_answer_is_decoded_once(tmp_path, monkeypatch, detail):
    bench, (item, *_) = items(make(tmp_path), detail=detail)
    calls = Counter()

    def counted(module, name):
        function = getattr(module, name)

        def wrapper(*args, **more):
            calls[name] += 1
            return function(*args, **more)

        monkeypatch.setattr(module, name, wrapper)

    bench.frame_of(item)
    counted(_decoding, "cells_of")  # once per nearest-colour decoding
    counted(_answers, "read_layers")
    soft = ImageChannel().send(PALETTE.paint(mask(0)))
    assert scored(bench, item, soft).failure is None
    assert calls == {"cells_of": 1, "read_layers": 1}


@pytest.mark.slow
def test_a_run_of_faults_alone_has_a_summary(tmp_path):
    options = make(tmp_path)
    del options["generated"]
    done = run(
        Plan(Arena(**options), FOLDER), lambda prompt: "I cannot do that", settings=Settings(out=tmp_path / "run")
    )
    metric = done.summary["metrics"]["robust.f1"]
    assert done.complete and metric["faults"] == 1 and metric["value"] == metric["floor"]


def test_a_summary_does_not_verify_all_results_once_per_metric(tmp_path, monkeypatch):
    options = make(tmp_path, 2, photos=False)
    for index in range(2):
        answer(tmp_path, index, PALETTE.paint(mask(index)))
    verified, verify = Counter(), _parquet.verify
    monkeypatch.setattr(_parquet, "verify", lambda path: verified.update([path.name]) or verify(path))
    bench = Arena(**options, detail="lean")
    run(Plan(bench, FOLDER), "recorded", settings=Settings(out=tmp_path / "run", calibrate=0, workers=1))
    assert 0 < verified["results.parquet"] < len(bench.metrics) / 2
