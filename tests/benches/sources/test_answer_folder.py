from __future__ import annotations

import csv
import io
import os
import tempfile
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PIL import Image

from pixelproof.benches.sources import FAILURE_WORDS, MAX_ANSWER_BYTES, AnswerFolder, ReferenceAnswers
from pixelproof.benches.sources._answer_manifest import AnswerManifest
from pixelproof.contract import Answer, Fault, PixelProofError


def picture(kind: str) -> bytes:
    buffer = io.BytesIO()
    Image.new("RGB", (2, 3), (9, 8, 7)).save(buffer, kind)
    return buffer.getvalue()


PICTURES = {"png": picture("PNG"), "jpg": picture("JPEG"), "jpeg": picture("JPEG"), "webp": picture("WEBP")}
TYPES = {"png": "image/png", "jpg": "image/jpeg", "jpeg": "image/jpeg", "webp": "image/webp"}


def ask(directory: Path, item: str, sample: int = 0) -> Answer:
    return AnswerFolder(directory).answer(item, sample)


def failure_of(answer: Answer) -> tuple[Fault, str]:
    assert answer.failure is not None and answer.failure.detail
    return answer.failure.fault, answer.failure.name


MISSING = (Fault.INFRASTRUCTURE, "missing-file")
UNREADABLE = (Fault.INFRASTRUCTURE, "unreadable-file")

character = st.characters(codec="ascii", categories=["L", "N"], include_characters=".-_ +%")
segment = st.text(character, min_size=1, max_size=8).map(str.strip).filter(bool)
ids = st.lists(segment, min_size=1, max_size=4).map("/".join)


@pytest.mark.slow
@given(
    item=ids,
    sample=st.integers(0, 12),
    text=st.none() | st.text(st.characters(codec="utf-8"), max_size=20),
    kind=st.none() | st.sampled_from(sorted(PICTURES)),
    text_kind=st.sampled_from(["txt", "json"]),
    shout=st.booleans(),
)
def test_what_was_written_is_found_by_name_and_by_manifest(item, sample, text, kind, text_kind, shout):
    files = {}
    if text is not None:
        files[text_kind] = text.encode()
    if kind is not None:
        files[kind] = PICTURES[kind]
    with tempfile.TemporaryDirectory() as named, tempfile.TemporaryDirectory() as listed:
        Path(named, "somebody-else.txt").write_text("not for us")
        rows = [("item", "sample", "file", "failure")]
        for number, (extension, data) in enumerate(files.items()):
            name = f"{item.replace('/', '__')}.{sample}.{extension.upper() if shout else extension}"
            Path(named, name).write_bytes(data)
            Path(listed, f"{number}.{extension}").write_bytes(data)
            rows.append((item, str(sample), f"{number}.{extension}", ""))
        with Path(listed, "manifest.csv").open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows(rows)
        by_name, by_manifest = ask(Path(named), item, sample), ask(Path(listed), item, sample)
    assert (by_name.text, by_name.images) == (by_manifest.text, by_manifest.images)
    if not files:
        assert failure_of(by_name) == failure_of(by_manifest) == MISSING
        return
    assert by_name.failure is None
    assert by_name.text == (text or "").removeprefix("\ufeff")
    assert [(image.data, image.media_type) for image in by_name.images] == (
        [(PICTURES[kind], TYPES[kind])] if kind else []
    )


def test_sample_zero_may_go_without_its_number(tmp_path):
    (tmp_path / "a__b.txt").write_text("zero")
    (tmp_path / "a__b.1.txt").write_text("one")
    assert [ask(tmp_path, "a/b", sample).text for sample in (0, 1)] == ["zero", "one"]
    assert failure_of(ask(tmp_path, "a/b", 2)) == MISSING


def test_line_ends_and_outer_white_space_are_the_models_own(tmp_path):
    (tmp_path / "a.txt").write_bytes(b" x\r\ny\n")
    assert ask(tmp_path, "a").text == " x\r\ny\n"


def test_the_content_decides_the_media_type(tmp_path):
    (tmp_path / "a.png").write_bytes(PICTURES["webp"])
    (tmp_path / "b.png").write_bytes(b"no picture at all")
    assert ask(tmp_path, "a").images[0].media_type == "image/webp"
    assert ask(tmp_path, "b").images[0].media_type == "image/png"  # for the scorer to judge


@pytest.mark.parametrize(
    "rivals", [("a.png", "a.jpg"), ("a.txt", "a.0.json"), ("a.png", "a.0.png"), ("a.png", "a.PNG")]
)
def test_two_answers_to_one_sample_are_a_conflict_of_that_sample_alone(tmp_path, rivals):
    for name in rivals:
        (tmp_path / name).write_bytes(b"x")
    (tmp_path / "b.png").write_bytes(b"x")
    answer = ask(tmp_path, "a")
    assert failure_of(answer) == (Fault.INFRASTRUCTURE, "two-files")
    assert all(name in answer.failure.detail for name in rivals)
    assert ask(tmp_path, "b").failure is None, "the other answers still count"


def test_a_folder_without_answers_is_refused(tmp_path):
    with pytest.raises(PixelProofError, match="no folder"):
        AnswerFolder(tmp_path / "nowhere")
    (tmp_path / "notes.md").write_text("x")
    with pytest.raises(PixelProofError, match="holds no answers"):
        AnswerFolder(tmp_path)
    with pytest.raises(PixelProofError, match="no folder"):
        AnswerFolder(tmp_path / "notes.md")


def test_unreadable_files_are_infrastructure_failures(tmp_path):
    (tmp_path / "latin.txt").write_bytes("é".encode("latin-1"))
    (tmp_path / "folder.png").mkdir()
    (tmp_path / "dangling.txt").symlink_to(tmp_path / "nowhere")
    (tmp_path / "gone.txt").write_text("x")
    model = AnswerFolder(tmp_path)
    (tmp_path / "gone.txt").unlink()
    with (tmp_path / "huge.txt").open("wb") as file:
        file.truncate(MAX_ANSWER_BYTES + 1)  # sparse: takes no space
    assert failure_of(ask(tmp_path, "latin")) == failure_of(ask(tmp_path, "folder")) == UNREADABLE
    assert failure_of(ask(tmp_path, "huge")) == UNREADABLE
    assert failure_of(ask(tmp_path, "dangling")) == MISSING
    assert failure_of(model.answer("gone", 0)) == MISSING


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "a.txt")
    assert failure_of(ask(tmp_path, "a")) == UNREADABLE


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read everything")
def test_a_forbidden_folder_is_a_sentence(tmp_path):
    tmp_path.chmod(0o000)
    try:
        with pytest.raises(PixelProofError, match="cannot be read"):
            AnswerFolder(tmp_path)
    finally:
        tmp_path.chmod(0o700)


def manifest(directory: Path, text: str) -> Path:
    (directory / "manifest.csv").write_text(text, encoding="utf-8")
    return directory


@pytest.mark.parametrize("word", FAILURE_WORDS)
def test_a_manifest_may_name_a_failure(tmp_path, word):
    (tmp_path / "said.txt").write_text("I would rather not.")
    manifest(tmp_path, f"item,sample,file,failure\na/b,0,said.txt,{word}\na/b,1,,{word}\n")
    with_text, without = ask(tmp_path, "a/b"), ask(tmp_path, "a/b", 1)
    assert with_text.text == "I would rather not." and without.text == ""
    assert failure_of(with_text) == failure_of(without) == (FAILURE_WORDS[word], word)


def test_a_manifest_rules_alone_and_reaches_into_subfolders(tmp_path):
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "x.txt").write_text("listed")
    (tmp_path / "b.txt").write_text("not listed")
    manifest(tmp_path, "\ufefffile,item\nsub/x.txt,a\nlost.txt,c\n")
    assert ask(tmp_path, "a").text == "listed"
    assert failure_of(ask(tmp_path, "b")) == failure_of(ask(tmp_path, "c")) == MISSING


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("item,file,colour\na,x.txt,red\n", "line 1: unknown columns 'colour'"),
        ("item,item,file\n", "line 1: a column occurs twice"),
        ("item,sample\na,0\n", "line 1: the first line must name"),
        ("", "line 1: the first line must name"),
        ("item,file\na,x.txt\na,y.txt\n", "line 3: sample 0 of a is listed twice"),
        ("item,file,failure\na,x.txt,\na,,refusal\n", "line 3: sample 0 of a is listed twice"),
        ("item,file,failure\na,,refusal\na,x.txt,\n", "line 3: sample 0 of a is listed twice"),
        ("item,file\na,x.txt\n\nb,\n", "line 4: there is neither a file nor a failure"),
        ("item,file\n,x.txt\n", "line 2: the item is missing"),
        ("item,sample,file\na,1.0,x.txt\n", "line 2: sample must be a whole number"),
        ("item,sample,file\na,-1,x.txt\n", "line 2: sample must be a whole number"),
        ("item,file,failure\na,,lazy\n", "line 2: unknown failure 'lazy'; known are refusal"),
        ("item,file\na,x.gif\n", "line 2: 'x.gif' must end in"),
        ("item,file\na,../x.txt\n", "line 2: '../x.txt' leaves the folder"),
        ("item,file\na,b/../../x.txt\n", "leaves the folder"),
        ("item,file\na,/etc/x.txt\n", "leaves the folder"),
        ("item,file\na,C:x.txt\n", "leaves the folder"),
        ("item,file\na,..\\x.txt\n", "leaves the folder"),
        ("item,file\na,x.txt,y.txt\n", "line 2: there are more cells than columns"),
        ('item,file\na,"x.txt\n', "line 2"),
    ],
)
def test_a_manifest_is_corrected_by_the_line(tmp_path, text, complaint):
    with pytest.raises(PixelProofError) as caught:
        AnswerFolder(manifest(tmp_path, text))
    assert complaint in str(caught.value) and "manifest.csv" in str(caught.value)


def test_a_manifest_in_another_encoding_is_a_sentence(tmp_path):
    (tmp_path / "manifest.csv").write_bytes("item,file\né,x.txt\n".encode("utf-16"))
    with pytest.raises(PixelProofError, match="UTF-8"):
        AnswerFolder(tmp_path)


LEAVING = "paths and links that leave a folder of answers, photographs, masks or scenes"
cell = st.text(max_size=6) | st.sampled_from("item sample file failure a 0 x.txt y.png refusal".split())


@given(st.lists(st.lists(cell, max_size=5), max_size=5).map(lambda rows: "\n".join(map(",".join, rows))) | st.binary())
def test_any_bytes_make_a_manifest_or_a_sentence(content):
    data = content if isinstance(content, bytes) else content.encode("utf-8", "replace")
    try:
        AnswerManifest(Path("manifest.csv"), data)
    except PixelProofError as error:
        assert "manifest.csv" in str(error)


@given(st.lists(st.sampled_from(["..", ".", "a", "C:", "//server", "", "x.txt"]), max_size=5), st.sampled_from("/\\"))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@pytest.mark.attack(LEAVING)
def test_no_accepted_path_leaves_the_folder(record_property, parts, slash):
    record_property("tries", 1)
    file = slash.join([*parts, "x.txt"])
    try:
        entry = AnswerManifest(Path("m"), f"item,file\na,{file}\n".encode()).find("a", 0)
    except PixelProofError:
        return
    assert entry.texts == (file,)
    for separator in "/\\":  # on this system or another
        reached = os.path.normpath(os.path.join("/folder", file.replace(separator, "/")))
        assert reached.startswith("/folder/")


@pytest.mark.slow
def test_a_hundred_thousand_files_are_listed_without_being_read(tmp_path):
    for index in range(100_000):
        os.close(os.open(f"{tmp_path}/bench__world__1__{index}.txt", os.O_CREAT | os.O_WRONLY))
    (tmp_path / "bench__world__1__77777.txt").write_text("x" * 10_000_000)
    tracemalloc.start()
    model = AnswerFolder(tmp_path)
    held, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 60_000_000
    assert len(model.answer("bench/world/1/77777", 0).text) == 10_000_000
    assert model.answer("bench/world/1/99999", 0).failure is None


@pytest.mark.parametrize("target", ["outside.txt", "outside"])
@pytest.mark.attack(LEAVING)
def test_links_that_leave_the_folder_are_refused(tmp_path, target):
    answers = tmp_path / "answers"
    answers.mkdir()
    (tmp_path / "outside.txt").write_text("secret")
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "a.txt").write_text("secret")
    if target == "outside":
        (answers / "sub").symlink_to(tmp_path / "outside")
        manifest(answers, "item,file\na,sub/a.txt\n")
    else:
        (answers / "a.txt").symlink_to(tmp_path / target)
    answer = ask(answers, "a")
    assert failure_of(answer) == UNREADABLE and "outside the folder" in answer.failure.detail
    assert answer.text == ""


@pytest.mark.attack(LEAVING)
def test_a_manifest_that_links_outside_is_refused(tmp_path):
    answers = tmp_path / "answers"
    answers.mkdir()
    (tmp_path / "manifest.csv").write_text("item,file\na,a.txt\n")
    (answers / "manifest.csv").symlink_to(tmp_path / "manifest.csv")
    with pytest.raises(PixelProofError, match="outside the folder"):
        ask(answers, "a")


def test_links_within_the_folder_and_to_the_folder_are_followed(tmp_path):
    (tmp_path / "answers" / "files").mkdir(parents=True)
    (tmp_path / "answers" / "files" / "x.txt").write_text("here")
    (tmp_path / "answers" / "a.txt").symlink_to(Path("files") / "x.txt")
    (tmp_path / "link").symlink_to(tmp_path / "answers")
    assert ask(tmp_path / "link", "a").text == "here"


KINDS = (".avif", ".bmp", ".gif", ".heic", ".jxl", ".svg", ".tif", ".TIFF", ".jp2", ".ppm")


@pytest.mark.attack(
    "images of other types beside items, in folders of answers and of references, with and without a PNG",
    before="`missing-file`: an infrastructure fault, left out of the mean",
    lost="`unsupported-type`, a fault of the model; a PNG beside it counts",
)
def test_trust4_an_image_of_another_type_is_a_file_of_the_model(tmp_path, record_property):
    for number, kind in enumerate(KINDS):
        folder = tmp_path / str(number)
        folder.mkdir()
        names = ("b__s__1__0", "b__s__1__1.0", "b__s__1__2.1")
        for name in names:
            (folder / f"{name}{kind}").write_bytes(b"anything")
        (folder / "b__s__1__3.png").write_bytes(PICTURES["png"])
        (folder / f"b__s__1__3{kind}").write_bytes(b"anything")
        answers = AnswerFolder(folder)
        references = ReferenceAnswers(folder, [f"b__s__1__{item}" for item in range(5)])
        for item, sample in ((0, 0), (1, 0), (2, 1)):
            failure = answers.answer(f"b/s/1/{item}", sample).failure
            assert (failure.fault, failure.name) == (Fault.MODEL, "unsupported-type") and kind in failure.detail
            if kind not in (".bmp", ".gif"):  # which references may have
                assert references.answer(f"b__s__1__{item}", sample).failure.name == "unsupported-type"
        assert answers.answer("b/s/1/3", 0).images[0].data == PICTURES["png"]
        assert answers.answer("b/s/1/4", 0).failure.name == "missing-file"
        assert references.answer("b__s__1__4", 0).failure.name == "missing-file"
        if kind not in (".bmp", ".gif"):
            assert references.answer("b__s__1__3", 0).images[0].data == PICTURES["png"]
    record_property("tries", 6 * len(KINDS))
