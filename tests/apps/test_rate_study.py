"""Study folders: what is read, and what is refused with a message that says what to do."""

import io
import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from PIL import Image

from apps.rating import make_study, picture
from pixelproof.apps.rate import default_settings, read_study, write_settings
from pixelproof.contract import PixelProofError


def images(folder, *names):
    for number, name in enumerate(names):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(picture(number))
    return folder


def refused(folder, settings=None):
    with pytest.raises(PixelProofError) as error:
        read_study(folder, settings)
    return str(error.value)


def test_a_folder_of_images_is_a_study(tmp_path):
    images(tmp_path, "a/1.png", "a/2.png", "b/1.png", 'b/sub/it\'s "2".png', ".hidden/3.png", "b/.4.png")
    (tmp_path / "notes.txt").write_text("not an image")
    study = read_study(tmp_path, default_settings(tmp_path, (), 3, 0.1))
    assert list(study.items) == ["a/1.png", "a/2.png", "b/1.png", 'b/sub/it\'s "2".png']
    assert [one.id for one in study.questions] == ["perception"] and study.votes_per_item == 3
    assert {item.images[0].model for item in study.items.values()} == {"a", "b"}
    write_settings(tmp_path, default_settings(tmp_path, (), None, 0.1))
    assert read_study(tmp_path).votes_per_item is None


@pytest.mark.parametrize("kind", ["csv", "tsv", "jsonl", "parquet"])
def test_tables_of_every_format(tmp_path, kind):
    images(tmp_path, "x.png", "y.png")
    rows = [
        {"image": "x.png", "prompt": 'a "quoted", <b>bold</b> cat\nin two lines', "model": "m", "image_id": "007"},
        {"image": "y.png", "prompt": "日本", "model": "n", "image_id": "7"},
    ]
    path = tmp_path / f"images.{kind}"
    if kind == "parquet":
        pq.write_table(pa.Table.from_pylist(rows), path)
    elif kind == "jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    else:
        comma = "," if kind == "csv" else "\t"
        quoted = [[f'"{value.replace(chr(34), chr(34) * 2)}"' for value in row.values()] for row in rows]
        path.write_text("\n".join(comma.join(row) for row in [list(rows[0]), *quoted]) + "\n")
    study = read_study(tmp_path, default_settings(tmp_path, (), 5, 0))
    assert [one.id for one in study.questions] == ["perception", "correspondence"]
    read = [(item.images[0].id, item.images[0].prompt, item.images[0].model) for item in study.items.values()]
    assert read == [(row["image_id"], row["prompt"], row["model"]) for row in rows]


def test_pairs_have_one_prompt_and_two_models(tmp_path):
    make_study(tmp_path, 9, {"questions": ["preference"]}, models=("a", "b", "c"))
    study = read_study(tmp_path)
    assert len(study.items) == 9 and study.pairs
    for item in study.items.values():
        first, second = item.images
        assert first.prompt == second.prompt and first.model != second.model
    make_study(tmp_path, 9, {"questions": ["preference"], "pairs_per_prompt": 2}, models=("a", "b", "c"))
    assert len(read_study(tmp_path).items) == 6
    # Without a table, images of the same name are a pair.
    folder = images(tmp_path / "plain", "a/1.png", "b/1.png", "a/2.png")
    assert list(read_study(folder, {"questions": ["preference"]}).items) == ["a/1.png\nb/1.png"]


def test_questions_of_single_images_and_of_all(tmp_path):
    columns = {"question": ["Is it red?", "", "Is it blue?", ""]}
    make_study(tmp_path, 4, {"questions": ["perception", "qa"]}, columns=columns)
    study = read_study(tmp_path)
    asked = [[one.id for one in study.asked(item)] for item in study.items.values()]
    assert asked == [["perception", "qa"], ["perception"]] * 2
    make_study(tmp_path, 4, {"questions": ["qa"]}, columns=columns)
    assert list(read_study(tmp_path).items) == ["i0", "i2"]  # nothing is asked about the others


def test_gold_items_and_examples_are_not_rated(tmp_path):
    gold = [
        {"image": "i0", "question": "perception", "answer": [4, 5]},
        {"image": "i0", "question": "sky", "answer": "No"},
        {"image": "i1", "question": "sky", "answer": True},
    ]
    training = {"text": "Look.", "examples": [{"image": "i2", "question": "sky", "answer": "Yes", "why": "Blue."}]}
    sky = {"id": "sky", "kind": "yesno", "text": "Is there a sky?"}
    make_study(tmp_path, 5, {"questions": ["perception", sky], "gold": gold, "training": training})
    study = read_study(tmp_path)
    assert list(study.items) == ["i3", "i4"] and list(study.gold) == ["i0", "i1"]
    assert study.answers == {"i0": {"perception": {4, 5}, "sky": {0}}, "i1": {"sky": {1}}}
    assert study.training == ("Look.",) and study.examples[0].why == "Blue."
    pair = [{"images": ["i0", "i1"], "question": "preference", "answer": "i1"}]
    make_study(tmp_path, 6, {"questions": ["preference"], "gold": pair})
    assert read_study(tmp_path).answers == {"i0\ni1": {"preference": {-1}}}


def test_a_gold_answer_must_be_possible(tmp_path):
    pair = {"images": ["i0", "i1"], "question": "best", "answer": "tie"}
    question = {"id": "best", "kind": "pair", "text": "Which?", "ties": False}
    assert "'tie' is no answer" in refused(make_study(tmp_path, 6, {"questions": [question], "gold": [pair]}))
    make_study(tmp_path, 6, {"questions": [question | {"ties": True}], "gold": [pair]})
    assert read_study(tmp_path).answers == {"i0\ni1": {"best": {0}}}


def test_what_is_missing_is_named(tmp_path):
    assert "is not a directory" in refused(tmp_path / "nowhere")
    assert "study.json does not exist: run pixelproof rate serve" in refused(tmp_path)
    assert "has no images to rate: put PNG" in refused(tmp_path, {})
    (tmp_path / "images.csv").write_text("image,prompt\n")
    assert "the table images.csv has no rows" in refused(tmp_path, {})
    make_study(tmp_path, 6)
    for number in (1, 2, 4, 5):
        (tmp_path / f"pictures/{number:03d}.png").unlink()
    message = refused(tmp_path)
    assert "'pictures/001.png' (row 3)" in message and "and 1 more" in message


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ("picture,prompt\nx.png,a\n", "There is no column 'image'"),
        ("image\nx.png\nx.png\n", "rows 2 and 3 have the same id 'x.png'"),
        ("image,image_id\nx.png,1\ny.png,1\n", "rows 2 and 3 have the same id '1'"),
        ("image\n../secret.png\n", "must be a path inside of"),
        ("image\n/etc/passwd\n", "must be a path inside of"),
        ('image\n""\n', "must be a path inside of"),
        ("image\nlink.png\n", "is a link that leaves"),
        ("image\ntext.png\n", "is not a PNG, JPEG, WebP or GIF"),
        ("image\nsvg.png\n", "is not a PNG, JPEG, WebP or GIF"),
        ('image,image_id\nx.png,"a\nb"\n', "no usable id"),
        ("image,image\nx.png,y.png\n", "occurs twice"),
    ],
)
def test_tables_that_do_not_fit(tmp_path, table, message):
    folder = images(tmp_path / "study", "x.png", "y.png")
    (tmp_path / "secret.png").write_bytes(picture(9))
    (folder / "link.png").symlink_to(tmp_path / "secret.png")
    (folder / "text.png").write_text("I cannot draw that.")
    (folder / "svg.png").write_text("<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>")
    (folder / "images.csv").write_text(table)
    assert message in refused(folder, {})


@pytest.mark.parametrize("form", ["PNG", "JPEG", "WEBP", "GIF"])
def test_images_that_end_early_are_refused(tmp_path, form):
    """No rater could answer about an image that the browser does not show."""
    file = io.BytesIO()
    Image.fromarray(np.random.default_rng(0).integers(0, 256, (40, 50, 3), dtype=np.uint8)).save(file, form)
    (tmp_path / "x.png").write_bytes(file.getvalue())
    assert len(read_study(tmp_path, {}).items) == 1
    for cut in (len(file.getvalue()) // 2, len(file.getvalue()) - 3):
        (tmp_path / "x.png").write_bytes(file.getvalue()[:cut])
        assert "ends early" in refused(tmp_path, {})


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"question": ["perception"]}, "did you mean 'questions'"),
        ({"questions": []}, "at least one question"),
        ({"questions": ["percepton"]}, "did you mean 'perception'"),
        ({"questions": ["perception", "perception"]}, "the same id"),
        ({"questions": ["perception", "preference"]}, "not about both"),
        ({"questions": ["qa"]}, "There is no column 'question'"),
        ({"questions": [{"id": "x", "kind": "stars", "text": "?"}]}, "There is no kind of question 'stars'"),
        ({"questions": [{"id": "X!", "kind": "scale", "text": "?"}]}, "lower-case name"),
        ({"questions": [{"id": "x", "kind": "scale"}]}, "write the text"),
        ({"questions": [{"id": "x", "kind": "scale", "text": "?", "column": "prompt"}]}, "one of both"),
        ({"questions": [{"id": "x", "kind": "scale", "text": "?", "labels": ["a"]}]}, "names of the 5 levels"),
        ({"questions": [{"id": "x", "kind": "scale", "text": "?", "size": 3}]}, "no field of a question 'size'"),
        ({"questions": [7]}, "a question is a name"),
        ({"votes_per_item": 0}, "from 1 on, or null"),
        ({"votes_per_item": True}, "from 1 on, or null"),
        ({"repeats": 2}, "from 0 to 1"),
        ({"repeats": "many"}, "from 0 to 1"),
        ({"table": 7}, "must be a file name"),
        ({"table": "../images.csv"}, "leaves"),
        ({"table": "other.csv"}, "There is no file"),
        ({"gold": [{"image": "i99", "question": "perception", "answer": 1}]}, "There is no image 'i99'"),
        ({"gold": [{"image": "i0", "question": "perception", "answer": 6}]}, "6 is no answer to 'perception'"),
        ({"gold": [{"image": "i0", "question": "perception", "answer": []}]}, "no answer to 'perception'"),
        ({"gold": [{"image": "i0", "question": "beauty", "answer": 1}]}, "There is no question 'beauty'"),
        ({"gold": [{"image": f"i{n}", "question": "perception", "answer": 1} for n in range(4)]}, "nothing is left"),
        ({"training": ["Look."]}, "write an object with text"),
        ({"training": {"examples": [{"image": "i0", "question": "x"}]}}, "There is no question 'x'"),
    ],
)
def test_settings_that_do_not_fit(tmp_path, settings, message):
    make_study(tmp_path, 4, settings)
    assert message in refused(tmp_path)


def test_what_questions_need(tmp_path):
    folder = images(tmp_path, "a/1.png", "a/2.png")
    assert "no image has one" in refused(folder, {"questions": ["correspondence"]})
    assert "needs a table with the columns image and question" in refused(folder, {"questions": ["qa"]})
    columns = {"question": ["", "Is it red?"]}
    blind = {"questions": ["qa"], "gold": [{"image": "i0", "question": "qa", "answer": "yes"}]}
    assert "has no question" in refused(make_study(tmp_path / "blind", 2, blind, columns=columns))
    assert "No prompt has images of two models" in refused(folder, {"questions": ["preference"]})
    assert "has none: add a column model" in refused(images(tmp_path / "flat", "1.png"), {"questions": ["preference"]})
    assert "cannot be called 'Left'" in refused(
        make_study(tmp_path / "names", 4, {"questions": ["preference"]}, models=("Left", "b"))
    )
    (tmp_path / "study.json").write_text("{")
    assert "cannot be read as JSON" in refused(tmp_path)
    (tmp_path / "study.json").write_text("[]")
    assert "must be a JSON object" in refused(tmp_path)


def test_files_are_those_of_the_study(tmp_path):
    study = read_study(make_study(tmp_path, 3))
    for key, path in study.files.items():
        assert study.load(key) == path.read_bytes()
    assert len(study.files) == 3
    with pytest.raises(PixelProofError):
        study.load("0" * 64)
    with pytest.raises(PixelProofError):
        study.load("../study.json")
    assert np.unique([item.digest for item in study.items.values()]).size == 3
