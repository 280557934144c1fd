"""Bombs, torn files, wrong files and random damage: a named error or a whole picture, never anything else."""

import io
import os
import pickle
import struct
import subprocess
import sys
import threading
import warnings
import zlib
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, ImageFile

from pixelproof.contract import Artefact, PixelProofError
from pixelproof.pixels import ImageError, read_image

from .samples import chunk, photo, png, sample_files, save

FILES = sample_files()


def name_of(source: bytes | Artefact | Path, **limits: int) -> str:
    with pytest.raises(ImageError) as caught:
        read_image(source, **limits)
    assert str(caught.value).endswith(".")
    return caught.value.name


def test_names_of_what_is_no_usable_picture(tmp_path):
    assert name_of(b"") == "empty"
    assert name_of(b"As a language model I cannot draw.") == "not-an-image"
    assert name_of(b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n") == "unsupported-format"
    assert name_of(save(Image.fromarray(photo()), "TIFF")) == "unsupported-format"
    assert name_of(FILES["png"], max_bytes=len(FILES["png"]) - 1) == "too-large"
    assert name_of(FILES["png"], max_pixels=37 * 53 - 1) == "too-large"
    assert read_image(FILES["png"], max_pixels=37 * 53, max_bytes=len(FILES["png"])).shape == (37, 53, 3)
    (tmp_path / "a.png").write_bytes(FILES["png"])
    assert name_of(tmp_path / "a.png", max_bytes=100) == "too-large"
    np.testing.assert_array_equal(read_image(tmp_path / "a.png"), read_image(Artefact(FILES["png"])))
    with pytest.raises(PixelProofError, match=r"Cannot read .*nowhere.png \(No such file"):
        read_image(tmp_path / "nowhere.png")


def test_a_picture_without_pixels_is_empty():
    header = bytearray(FILES["gif"])
    header[6:10] = bytes(4)
    frame = header.index(b",", 13 + 768)
    header[frame + 5 : frame + 9] = bytes(4)
    assert name_of(bytes(header)) == "empty"


def test_run_length_coded_bmp_is_refused():
    data = bytearray(FILES["bmp-palette"])
    data[30] = 1
    assert name_of(bytes(data)) == "unsupported-format"


def test_errors_survive_pickling():
    error = pickle.loads(pickle.dumps(ImageError("truncated", "It ends early.")))
    assert (error.name, str(error)) == ("truncated", "It ends early.")


@pytest.mark.slow
@pytest.mark.parametrize("name", FILES)
def test_a_cut_file_is_refused_or_complete(name):
    data, whole = FILES[name], read_image(FILES[name])
    for length in {*range(0, len(data), 13), *range(len(data) - 40, len(data))}:
        try:
            picture = read_image(data[:length])
        except ImageError as error:
            assert error.name in ("truncated", "not-an-image", "empty")
        else:
            np.testing.assert_array_equal(picture, whole, err_msg=f"{name} cut to {length} bytes")


def test_a_long_jpeg_cut_at_buffer_boundaries_is_refused():
    noise = np.random.default_rng(1).integers(0, 256, (500, 500, 3), dtype=np.uint8)
    for progressive in (False, True):
        data = save(Image.fromarray(noise), "JPEG", quality=95, progressive=progressive)
        for length in (len(data) // 2, 65536, 2 * 65536, len(data) - 100):
            assert name_of(data[:length]) == "truncated"


def test_a_process_wide_wish_for_half_pictures_is_refused(monkeypatch):
    monkeypatch.setattr(ImageFile, "LOAD_TRUNCATED_IMAGES", True)
    with pytest.raises(PixelProofError, match="LOAD_TRUNCATED_IMAGES"):
        read_image(FILES["jpeg"])


@pytest.mark.parametrize("position", [0.3, 0.6, 0.9])
def test_one_wrong_pixel_of_a_png_is_noticed(position):
    rows = b"".join(b"\0" + row.tobytes() for row in photo())
    data = bytearray(png(53, 37, data=zlib.compress(rows, level=0)))
    np.testing.assert_array_equal(read_image(bytes(data)), photo())
    data[int(position * len(data))] ^= 1  # stored, not compressed: only the checksum tells
    assert name_of(bytes(data)) == "truncated"


def damage(data: bytes, flips: list[tuple[float, int]], keep: float) -> bytes:
    torn = bytearray(data[: int(len(data) * keep)])
    for position, bits in flips:
        if torn:
            torn[int(position * len(torn)) % len(torn)] ^= bits
    return bytes(torn)


def read_or_refuse(data: bytes) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Pillow remarks on broken tags
        warnings.simplefilter("error", Image.DecompressionBombWarning)
        try:
            picture = read_image(data, max_pixels=1_000_000)
        except ImageError as error:
            assert error.name in ("not-an-image", "truncated", "too-large", "unsupported-format", "empty")
        else:
            assert picture.dtype == np.uint8 and picture.ndim == 3 and picture.shape[2] == 3 and picture.size


# Half of the flips fall into the first bytes, where the fields are that decoders trust.
positions = st.one_of(st.floats(0, 0.999), st.floats(0, 0.05))
flips = st.lists(st.tuples(positions, st.integers(1, 255)), min_size=1, max_size=8)
keeps = st.one_of(st.just(1.0), st.floats(0, 1))


@pytest.mark.slow
@settings(deadline=None, max_examples=300)
@given(st.sampled_from(sorted(FILES)), flips, keeps)
def test_damaged_files(name, flips, keep):
    read_or_refuse(damage(FILES[name], flips, keep))


@pytest.mark.soak
@pytest.mark.attack("damaged images", lost="nothing: read in full or refused")
def test_damaged_files_at_length(record_property):
    rng = np.random.default_rng()
    tries = 5_000 * int(os.environ.get("PIXELPROOF_SOAK", "1"))
    record_property("tries", tries)
    for _ in range(tries):
        name = sorted(FILES)[rng.integers(len(FILES))]
        reach = rng.choice([0.02, 0.2, 1.0])
        flips = [(rng.random() * reach, int(rng.integers(1, 256))) for _ in range(rng.integers(1, 30))]
        read_or_refuse(damage(FILES[name], flips, 1.0 if rng.random() < 0.8 else rng.random()))


@settings(deadline=None)
@given(st.binary(max_size=200), st.sampled_from([b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"GIF89a", b"BM", b""]))
def test_random_bytes(data, magic):
    read_or_refuse(magic + data)


@settings(deadline=None)
@given(
    st.binary(max_size=400), st.sampled_from([b"iCCP", b"eXIf", b"tRNS", b"zTXt", b"iTXt", b"gAMA", b"acTL", b"fcTL"])
)
def test_random_chunks(body, kind):
    prefix = b"p\0\0" if kind == b"iCCP" else b""
    read_or_refuse(png(4, 3, chunk(kind, prefix + body)))
    read_or_refuse(png(4, 3, chunk(kind, prefix + zlib.compress(body))))


def bombs() -> dict[str, bytes]:
    """Small files that ask for gigabytes."""
    squeeze = zlib.compressobj(9)
    rows = b"".join(squeeze.compress(bytes(20_000 // 8 + 1)) for _ in range(20_000)) + squeeze.flush()
    zeros = zlib.compressobj(9)
    hundred_mb = b"".join(zeros.compress(bytes(2**20)) for _ in range(100)) + zeros.flush()
    jpeg = bytearray(FILES["jpeg"])
    frame = jpeg.index(b"\xff\xc0")
    jpeg[frame + 5 : frame + 9] = struct.pack(">HH", 60_000, 60_000)
    bmp = bytearray(FILES["bmp"])
    bmp[18:26] = struct.pack("<ii", 100_000, 100_000)
    screen, frame_only = bytearray(FILES["gif-animated"]), bytearray(FILES["gif-animated"])
    screen[6:10] = struct.pack("<HH", 60_000, 60_000)
    at = frame_only.index(b",", 13 + 768)
    frame_only[at + 5 : at + 9] = struct.pack("<HH", 12_000, 12_000)  # below the size that Pillow refuses by itself
    lossless = bytearray(save(Image.fromarray(photo()), "WEBP", lossless=True))
    lossless[21:25] = struct.pack("<I", 16382 | 16382 << 14)
    canvas = bytearray(FILES["webp-animated"])
    canvas[24:30] = (65_000).to_bytes(3, "little") * 2
    return {
        "png-header": png(100_000, 100_000, data=zlib.compress(b"")),
        "png-real": png(20_000, 20_000, depth=1, colour=0, data=rows),
        "png-profile": png(4, 3, chunk(b"iCCP", b"p\0\0" + hundred_mb)),
        "png-text": png(4, 3, chunk(b"zTXt", b"t\0\0" + hundred_mb)),
        "jpeg": bytes(jpeg),
        "bmp": bytes(bmp),
        "gif-screen": bytes(screen),
        "gif-frame": bytes(frame_only),
        "webp-lossless": bytes(lossless),
        "webp-canvas": bytes(canvas),
    }


@pytest.mark.slow
def test_bombs_are_refused_without_a_word_of_warning():
    for name, data in bombs().items():
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert name_of(data) == "too-large", name


MEASURE = """
import pickle, resource, sys
from pixelproof.pixels import ImageError, read_image
bombs, plain = pickle.load(sys.stdin.buffer)
read_image(plain)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
for data in bombs:
    try:
        read_image(data)
    except ImageError:
        pass
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="the peak of memory is given in other units elsewhere")
def test_bombs_are_refused_without_allocating():
    message = pickle.dumps((list(bombs().values()), FILES["png"]))
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    run = subprocess.run(
        [sys.executable, "-c", MEASURE], input=message, capture_output=True, env=environment, check=True
    )
    assert int(run.stdout) < 16 * 1024  # KiB; the least of the bombs asks for 48 MB


def test_a_jpeg_of_endless_scans_is_refused():
    data = FILES["jpeg-progressive"]
    last = data.rindex(b"\xff\xda")
    assert name_of(data[:last] + data[last:-2] * 500 + data[-2:]) == "too-large"
    assert read_image(data[:last] + data[last:-2] * 5 + data[-2:]).shape == (37, 53, 3)


@pytest.mark.slow
def test_reading_changes_no_setting_of_the_process_and_works_in_threads():
    before = Image.MAX_IMAGE_PIXELS, ImageFile.LOAD_TRUNCATED_IMAGES, list(warnings.filters)
    jobs = [FILES["png"], FILES["jpeg"][:900], bombs()["png-header"], FILES["webp"]]
    outcomes: list[list[str]] = []

    def work() -> None:
        names = []
        for data in jobs * 10:
            try:
                names.append(str(read_image(data).shape))
            except ImageError as error:
                names.append(error.name)
        outcomes.append(names)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert outcomes == [["(37, 53, 3)", "truncated", "too-large", "(37, 53, 3)"] * 10] * 4
    assert before == (Image.MAX_IMAGE_PIXELS, ImageFile.LOAD_TRUNCATED_IMAGES, list(warnings.filters))


@pytest.mark.slow
def test_big_pictures_within_the_limit_are_read():
    buffer = io.BytesIO()
    Image.new("1", (9_000, 7_000), 1).save(buffer, "PNG")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert read_image(buffer.getvalue()).shape == (7_000, 9_000, 3)
