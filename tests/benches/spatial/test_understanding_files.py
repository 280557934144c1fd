"""OmniSpatial folders and SAT files in their real format, and broken ones."""

import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import pixelproof
from pixelproof.benches.spatial import Spatial
from pixelproof.contract import Answer, PixelProofError, Source
from pixelproof.pixels import encode_png

BENCH = Spatial(task="understanding")


def image(shade):
    return encode_png(np.full((8, 8, 3), shade, np.uint8)).data


ENTRY = {
    "id": "0_0",
    "question": "How long will the car take to reach the camera at 10 m/s?",
    "options": ["2.7s", "14.7s", "25.7s", "3.9s"],
    "answer": 0,
    "task_type": "Dynamic_Reasoning",
    "sub_task_type": "Motion_Analysis",
}


def omnispatial(folder, entries):
    for entry in entries:
        (folder / entry["task_type"]).mkdir(parents=True, exist_ok=True)
        (folder / entry["task_type"] / f"{entry['id'].split('_')[0]}.png").write_bytes(image(100))
    (folder / "data.json").write_text(json.dumps(entries))
    return folder


def entries():
    other = {**ENTRY, "id": "0_1", "question": "Which way does it turn?", "options": ["left", "right"], "answer": 1}
    logic = {**ENTRY, "id": "3_0", "task_type": "Complex_Logic", "sub_task_type": "Geometric_Reasoning", "answer": 2}
    return [ENTRY, other, logic, {**logic, "id": "4_0"}]


def sat(path, rows, **columns):
    table = {
        "image_bytes": [row[0] for row in rows],
        "question": [row[1] for row in rows],
        "answers": [row[2] for row in rows],
        "question_type": [("obj_movement", "action_consequence")[place % 2] for place in range(len(rows))],
        "correct_answer": [row[3] for row in rows],
        **columns,
    }
    pq.write_table(pa.table({name: values for name, values in table.items() if values is not None}), path)
    return path


def sat_rows():
    one, two = image(10), image(200)
    return [
        ([one, two], "How did the camera likely rotate?", ["rotated left", "rotated right"], "rotated left"),
        ([two], "Is the mug closer?", ["yes", "no"], "no"),
    ]


def test_an_omnispatial_folder_is_read(tmp_path):
    items = list(BENCH.items(Source("omnispatial", omnispatial(tmp_path, entries())), 0, None))
    assert [item.id for item in items][0] == "spatial/omnispatial/1/Dynamic_Reasoning/0_0"
    assert [item.truth.letter for item in items] == ["A", "B", "C", "C"]
    assert items[0].cluster == items[1].cluster != items[2].cluster, "questions about one image belong together"
    assert items[2].tags == {"skill": "Complex_Logic", "subtask": "Geometric_Reasoning", "kind": "choice"}
    prompt = BENCH.prompt(items[0])
    assert prompt.parts[0].data == image(100) and "A. 2.7s\nB. 14.7s" in prompt.text and prompt.wants == "text"
    assert BENCH.score(items[0], Answer("A. 2.7s"), {}).metrics == {"accuracy": 1.0}
    assert BENCH.score(items[0], Answer("B"), {}).metrics == {"accuracy": 0.0}
    assert BENCH.score(items[0], Answer("A or B"), {}).failure.name == "ambiguous-answer"


def test_the_most_frequent_letter_of_a_file_is_a_floor(tmp_path):
    items = list(BENCH.items(Source("omnispatial", omnispatial(tmp_path, entries())), 0, None))
    said = [BENCH.controls()["floor-frequent"](item, np.random.default_rng(0)).text for item in items]
    assert said == ["C", "B", "C", "C"], "the last option where there are fewer"


def test_a_sat_file_is_read_with_all_images_and_its_options_in_another_order(tmp_path):
    path = sat(tmp_path / "SAT_test.parquet", sat_rows() * 8)
    items = list(BENCH.items(Source("sat", path), 0, None))
    assert items[1].id == "spatial/sat/1/SAT_test/00001"
    assert [len(BENCH.prompt(item).parts) for item in items[:2]] == [3, 2]
    assert all(set(item.truth.options) == set(sat_rows()[place % 2][2]) for place, item in enumerate(items))
    letters = [item.truth.letter for item in items]
    assert 2 <= letters.count("A") <= 14, "the file always has the right answer at one place"
    assert [item.truth.options for item in items] == [
        i.truth.options for i in BENCH.items(Source("sat", path), 9, None)
    ]
    assert BENCH.score(items[0], Answer("rotated left"), {}).metrics == {"accuracy": 1.0}


def test_images_as_datasets_stores_them(tmp_path):
    rows = [([{"bytes": image(3), "path": None}], "Is it?", ["yes", "no"], "yes")]
    (item,) = BENCH.items(Source("sat", sat(tmp_path / "one.parquet", rows)), 0, None)
    assert item.truth.images[0].media_type == "image/png"


@pytest.mark.parametrize(
    "change, words",
    [
        ({"answer": 4}, "index of one of its options"),
        ({"answer": "A"}, "index of one of its options"),
        ({"options": ["one"]}, "2 to 26 options"),
        ({"options": ["one", "one"]}, "twice"),
        ({"question": None}, None),
        ({"id": "../../secret"}, "missing"),
    ],
)
def test_a_broken_entry_is_refused_by_number(tmp_path, change, words):
    folder = omnispatial(tmp_path / "data", [ENTRY])
    (folder / "data.json").write_text(json.dumps([ENTRY, {**ENTRY, **change}]))
    if words is None:
        return
    with pytest.raises(PixelProofError, match=words):
        list(BENCH.items(Source("omnispatial", folder), 0, None))


def test_broken_files_are_refused(tmp_path):
    def refused(source, data, words):
        with pytest.raises(PixelProofError, match=words):
            list(BENCH.items(Source(source, data), 0, None))

    refused("omnispatial", None, "--data DIR")
    refused("omnispatial", tmp_path, "data.json")
    refused("sat", None, "--data FILE")
    (tmp_path / "data.json").write_text("{")
    refused("omnispatial", tmp_path, "not a JSON file")
    (tmp_path / "no.parquet").write_bytes(b"PAR1 not really")
    refused("sat", tmp_path / "no.parquet", "cannot be read")
    rows = sat_rows()
    refused("sat", sat(tmp_path / "a.parquet", rows, correct_answer=None), "lacks correct_answer")
    refused("sat", sat(tmp_path / "b.parquet", [(*rows[0][:3], "neither")]), "not one of its options")
    refused("sat", sat(tmp_path / "c.parquet", [([b"text"], *rows[1][1:])]), "an image that is none")
    with pytest.raises(PixelProofError, match="--task understanding"):
        Spatial().items(Source("sat", tmp_path / "a.parquet"), 0, None)


def test_a_run_on_a_file_is_calibrated_and_faults_count_as_the_floor(tmp_path):
    source = {"source": "sat", "data": sat(tmp_path / "SAT_test.parquet", sat_rows() * 12), "task": "understanding"}
    truth = pixelproof.run("spatial", model="control/ceiling-truth", out=tmp_path / "truth", **source)
    assert truth.summary["metrics"]["accuracy"]["value"] == 1
    assert set(truth.summary["metrics"]) == {"accuracy"}, "no metric of edits"
    assert set(truth.summary["groups"]["skill"]) == {"obj_movement", "action_consequence"}
