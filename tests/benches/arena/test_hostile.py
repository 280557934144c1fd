"""Files of every bad kind: each has a sentence, and none stops a run."""

import io
import json
import struct
import zlib

import numpy as np
import pytest
from click.testing import CliRunner
from PIL import Image, ImageCms

from benches.arena.folders import PALETTE, answer, make, mask
from pixelproof.benches.arena import Arena
from pixelproof.cli._app import program
from pixelproof.contract import Answer, Artefact, PixelProofError, Source
from pixelproof.harness import Plan, Settings, run
from pixelproof.metrics import SegmentationCounts, pixelarena
from pixelproof.pixels import encode_png

PAINTED = PALETTE.paint(mask(0))


@pytest.fixture(autouse=True)
def own_cache(shared_cache, monkeypatch):
    monkeypatch.setenv("PIXELPROOF_CACHE", str(shared_cache))


def saved(picture, form="PNG", **settings):
    buffer = io.BytesIO()
    picture = picture if isinstance(picture, Image.Image) else Image.fromarray(picture)
    picture.save(buffer, form, **settings)
    return buffer.getvalue()


def bomb(side=60_000):
    """A PNG of a few kilobytes that would be gigabytes of pixels."""
    head = struct.pack(">IIBBBBB", side, side, 8, 0, 0, 0, 0)
    body = zlib.compress(b"\0" * 1_000_000)
    chunks = [(b"IHDR", head), (b"IDAT", body), (b"IEND", b"")]
    packed = [struct.pack(">I", len(d)) + k + d + struct.pack(">I", zlib.crc32(k + d)) for k, d in chunks]
    return b"\x89PNG\r\n\x1a\n" + b"".join(packed)


def rotated():
    exif = Image.Exif()
    exif[0x0112] = 6
    return saved(np.rot90(PAINTED), "PNG", exif=exif)


GOOD = {
    "palette": saved(Image.fromarray(PAINTED).quantize(8, dither=Image.Dither.NONE)),
    "alpha": saved(Image.fromarray(PAINTED).convert("RGBA")),
    "rotated by EXIF": rotated(),
    "JPEG named PNG": saved(PAINTED, "JPEG", quality=98, subsampling=0),
    "CMYK": saved(Image.fromarray(PAINTED).convert("CMYK"), "JPEG"),
    "WebP": saved(PAINTED, "WEBP", lossless=True),
    "larger": saved(Image.fromarray(PAINTED).resize((192, 192), Image.Resampling.NEAREST)),
}
POOR = {
    "16-bit grey": saved(Image.fromarray(mask(0).astype(np.uint16) * 257)),
    "grey": saved(Image.fromarray(PAINTED).convert("L")),
}
BAD = {
    "truncated": (saved(PAINTED)[:300], "truncated"),
    "zero bytes": (b"", "empty"),
    "a bomb": (bomb(), "too-large"),
    "text": (b"I'm sorry, I can't draw that.", "not-an-image"),
    "TIFF": (saved(PAINTED, "TIFF"), "unsupported-format"),
}


def one(tmp_path, data):
    options = make(tmp_path, 2)
    answer(tmp_path, 0, data)
    answer(tmp_path, 1, PALETTE.paint(mask(1)))
    return run(
        Plan(Arena(**options), Source("folder")), "recorded", settings=Settings(out=tmp_path / "run", calibrate=0)
    )


@pytest.mark.slow
@pytest.mark.parametrize("kind", GOOD)
def test_odd_files_are_read_as_a_viewer_shows_them(tmp_path, kind):
    done = one(tmp_path, GOOD[kind])
    assert done.complete and done.summary["metrics"]["robust.f1"]["value"] > 0.98


@pytest.mark.slow
@pytest.mark.parametrize("kind", POOR)
def test_files_that_lost_their_colours_are_scored_as_what_they_show(tmp_path, kind):
    done = one(tmp_path, POOR[kind])
    assert done.complete and done.summary["counts"]["completed"] == 2
    assert done.summary["metrics"]["robust.f1"]["value"] < 1


@pytest.mark.slow
@pytest.mark.parametrize("kind", BAD)
def test_bad_answers_are_the_models_fault_by_name(tmp_path, kind):
    data, name = BAD[kind]
    done = one(tmp_path, data)
    counts = done.summary["counts"]
    assert counts["completed"] == 2 and counts["model_faults"] == 1 and done.summary["failures"] == {name: 1}
    assert done.summary["metrics"]["pixelarena.f1"]["excluding_faults"] == 1.0


REFERENCES = {
    "unknown ids": (saved(np.full((96, 96), 9, np.uint8)), "9"),
    "foreign colours": (saved(np.full((96, 96, 3), 99, np.uint8)), "99"),
    "truncated": (saved(PAINTED)[:300], ""),
    "zero bytes": (b"", ""),
    "a bomb": (bomb(), ""),
    "transparent": (saved(Image.new("RGBA", (96, 96), (0, 0, 0, 0))), "transparent"),
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", REFERENCES)
def test_a_bad_reference_is_named_and_the_others_are_scored(tmp_path, kind):
    data, word = REFERENCES[kind]
    options = make(tmp_path, 3)
    (tmp_path / "masks" / "case1.png").write_bytes(data)
    for index in range(3):
        answer(tmp_path, index, PALETTE.paint(mask(index)))
    settings = Settings(out=tmp_path / "run", calibrate=None if kind == "truncated" else 0)  # floors meet it, too
    done = run(Plan(Arena(**options), Source("folder")), "recorded", settings=settings)
    assert done.summary["counts"] | {"planned": 3, "completed": 2, "unscored": 1} == done.summary["counts"]
    assert done.summary["failures"] == {"bad-reference": 1}
    assert done.summary["metrics"]["pixelarena.f1"]["value"] == 1.0
    told = done.failure_examples()["bad-reference"]
    assert "case1" in told and word in told


@pytest.mark.slow
def test_names_that_do_not_match(tmp_path):
    options = make(tmp_path, 2)
    answer(tmp_path, 0, PAINTED, "picture-of-case0.png")
    answer(tmp_path, 1, PALETTE.paint(mask(1)))
    done = run(
        Plan(Arena(**options), Source("folder")), "recorded", settings=Settings(out=tmp_path / "run", calibrate=0)
    )
    assert done.summary["counts"]["errored"] == 1 and not done.complete
    assert "case0.png" in done.failure_examples()["missing-file"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("content", "word"),
    [
        ('{"a": [0, 0, 0], "b": [0, 0, 0]}', "same colour"),
        ('{"a": [0, 0, 0], "a": [1, 1, 1]}', "twice"),
        ('{"a": [0, 0, 256]}', "0 to 255"),
        ('{"a": [0, 0]}', "three whole numbers"),
        ('{"a": "red"}', "three whole numbers"),
        ("[1, 2]", "JSON object"),
        ("{}", "1 to 65,534"),
        ("{", "not JSON"),
        (json.dumps({f"l{i}": [i % 256, i // 256, 0] for i in range(65_535)}), "1 to 65,534"),
    ],
)
def test_palettes_that_cannot_be_decoded(tmp_path, content, word):
    options = make(tmp_path, 1)
    (tmp_path / "palette.json").write_text(content)
    with pytest.raises(PixelProofError, match=word):
        list(Arena(**options).items(Source("folder"), 0, None))


@pytest.mark.slow
def test_the_command_line_scores_a_folder_with_some_bad_files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    make(tmp_path, 4)
    for index in range(3):
        answer(tmp_path, index, PALETTE.paint(mask(index)))
    answer(tmp_path, 3, b"")
    words = ["score", "arena", "--reference", "masks", "--generated", "answers", "--palette", "palette.json"]
    told = CliRunner().invoke(program, [*words, "--out", "run", "--json"], standalone_mode=False)
    assert told.exception is None, told.output
    summary = json.loads(told.stdout)
    assert {"pixelarena.f1", "pixelarena.miou", "pixelarena.dice", "robust.miou", "robust.f1"} <= set(
        summary["metrics"]
    )
    assert summary["metrics"]["pixelarena.f1"]["excluding_faults"] == 1.0
    shown = CliRunner().invoke(program, ["show", "run", "--all"], standalone_mode=False)
    assert "By class" in shown.stdout and "left bar" in shown.stdout and "case2" in shown.stdout
    assert "Failure empty: 1" in shown.stdout


@pytest.mark.slow
def test_compiled_loops_and_numpy_give_the_same_numbers(tmp_path):
    from pixelproof.pixels import numpy_alone

    bench = Arena(**make(tmp_path, 1))
    (item,) = bench.items(Source("folder"), 0, None)
    noisy = np.clip(PAINTED.astype(int) + np.random.default_rng(0).integers(-40, 40, PAINTED.shape), 0, 255)
    given = Answer(images=(encode_png(noisy.astype(np.uint8)),))
    fast = bench.score(item, given, {})
    with numpy_alone():
        assert bench.score(item, given, {}).metrics == fast.metrics


def clear_background():
    rgba = np.dstack([PAINTED, np.where(mask(0) == 0, 0, 255).astype(np.uint8)])
    return saved(Image.fromarray(rgba))


def wide_gamut():
    profile = bytearray(ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes())
    count = struct.unpack(">I", profile[128:132])[0]
    tags = {profile[132 + 12 * i : 136 + 12 * i].decode(): 132 + 12 * i for i in range(count)}
    red, green = (profile[tags[name] + 4 : tags[name] + 12] for name in ("rXYZ", "gXYZ"))
    profile[tags["rXYZ"] + 4 : tags["rXYZ"] + 12], profile[tags["gXYZ"] + 4 : tags["gXYZ"] + 12] = green, red
    return saved(PAINTED, icc_profile=bytes(profile))


@pytest.mark.parametrize("data", [clear_background(), wide_gamut(), rotated()], ids=["alpha", "profile", "turn"])
def test_the_published_protocol_takes_the_pixels_as_they_are_stored(tmp_path, data):
    bench = Arena(**make(tmp_path, 1))
    (item,) = bench.items(Source("folder"), 0, None)
    result = bench.score(item, Answer(images=(Artefact(data),)), {})
    plain = np.asarray(Image.open(io.BytesIO(data)).convert("RGB"))
    labels = ((plain[:, :, None].astype(int) - PALETTE.array.astype(int)) ** 2).sum(-1).argmin(-1).astype(np.uint8)
    expected = pixelarena(SegmentationCounts.of(labels, mask(0), len(PALETTE)))
    assert result.metrics["pixelarena.f1"] == pytest.approx(expected["f1"])
    assert "as they are stored" in result.notes["file"]


def test_an_index_map_that_is_taken_for_a_painting_gets_a_hint(tmp_path):
    bench = Arena(**make(tmp_path, 1))
    (item,) = bench.items(Source("folder"), 0, None)
    assert "--form labels" in bench.score(item, Answer(images=(encode_png(mask(0)),)), {}).notes["form"]
    assert "form" not in bench.score(item, Answer(images=(encode_png(PAINTED),)), {}).notes
