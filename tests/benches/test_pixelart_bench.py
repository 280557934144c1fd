"""The bench as the harness sees it: items, prompts, controls, results, and the data set of published replies."""

import json
import math
import pickle

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from pixelproof.benches.pixelart import PixelArt
from pixelproof.benches.pixelart._dataset import COLUMNS
from pixelproof.benches.pixelart._ladder import RUNGS
from pixelproof.contract import Answer, Artefact, Failure, Fault, PixelProofError, Source, Usage
from pixelproof.pixels import read_image
from pixelproof.stats import generator

PUBLISHED = Source("published")
VARIANTS = [
    PixelArt(),
    PixelArt(grid=4, colours=2),
    PixelArt(grid=33, colours=7),
    PixelArt(family="lite"),
    PixelArt(family="lite", grid=16, colours=256),
    PixelArt(family="lite", grid=128, colours=2),
]


def rung_values(result, side):
    return [result.metrics[f"{side}.{rung}"] for rung in RUNGS]


def test_items_are_the_published_subjects_in_order():
    items = list(PixelArt().items(PUBLISHED, 0, None))
    assert [item.id for item in items] == [f"pixelart/published/1/{index:04d}" for index in range(7)]
    assert [item.tags["subject"] for item in items] == [
        "mario",
        "rainbow",
        "sun",
        "saturn",
        "maze",
        "mona-lisa",
        "hope",
    ]
    assert {item.tags["category"] for item in items} == {"character", "nature", "space", "abstract", "art"}
    assert all(item.cluster == item.tags["subject"] and item.inputs["prompt"] == "original-1" for item in items)
    assert items == list(PixelArt().items(PUBLISHED, 99, 1000))
    assert items[:3] == list(PixelArt().items(PUBLISHED, 0, 3))
    json.dumps([item.inputs for item in items]), json.dumps([item.truth for item in items])
    assert pickle.loads(pickle.dumps(items)) == items


def test_items_of_other_options_are_other_items():
    assert next(PixelArt().items(PUBLISHED, 0, 1)).inputs != next(PixelArt(grid=16).items(PUBLISHED, 0, 1)).inputs


def test_an_unknown_source_is_a_sentence():
    with pytest.raises(
        PixelProofError, match=r"no source 'world'; it has: published, pixelart-v1, fresh, pixel-art-bench-v1\.$"
    ):
        PixelArt().items(Source("world"), 0, 1)


def test_the_original_prompt_states_its_format():
    bench = PixelArt(grid=16, colours=6)
    prompt = bench.prompt(next(bench.items(PUBLISHED, 0, 1)))
    lines = prompt.text.splitlines()
    assert lines[-1] == "Draw: Mario from Super Mario Bros"
    for part in (
        '"palette"',
        '"grid"',
        "2 to 6 colours",
        "exactly 16 strings",
        "exactly 16 digits",
        "no Markdown fence",
    ):
        assert part in prompt.text
    example = json.loads(next(line for line in lines if line.startswith("{")))
    assert len(example["palette"]) == 4 and [len(row) for row in example["grid"]] == [4] * 4
    assert (
        prompt.wants == "text" and prompt.schema["properties"]["grid"]["minItems"] == 16 and "ROW_6" in prompt.grammar
    )


def test_the_lite_prompt_has_no_example():
    bench = PixelArt(family="lite")
    prompt = bench.prompt(next(bench.items(PUBLISHED, 0, 1)))
    assert prompt.text.splitlines()[-1] == "Subject: Mario from Super Mario Bros"
    assert "24 lists of 24 integers from 0 to 9" in prompt.text and '{"palette"' not in prompt.text


@pytest.mark.parametrize("bench", VARIANTS, ids=str)
def test_there_is_room_for_a_whole_reply(bench):
    """One token per character of the grid and two per character of a colour is more than any tokenizer takes."""
    item = next(bench.items(PUBLISHED, 0, 1))
    longest = bench.controls()["floor-noise"](item, generator(0, "test", 0)).text
    cells = longest[longest.index('"grid"') :]
    assert bench.prompt(item).max_tokens >= len(cells) + 8 * bench.colours


@pytest.mark.parametrize("bench", VARIANTS, ids=str)
def test_controls_get_what_they_deserve(bench):
    controls = bench.controls()
    assert list(controls) == [
        "floor-noise",
        "floor-blank",
        "floor-checkerboard",
        "floor-rows",
        "floor-example",
        "ceiling-truth",
    ]
    for index, item in enumerate(bench.items(PUBLISHED, 0, None)):
        for name, control in controls.items():
            answer = control(item, generator(0, name, index))
            assert answer == control(item, generator(0, name, index))
            result = bench.score(item, answer, {})
            if name == "floor-example" and bench.grid != 4:
                assert result.failure.name == "wrong-size"
                assert rung_values(result, "strict") == [1, 1, 1, 1, 0, 0, 0]
            else:
                assert result.failure is None and rung_values(result, "strict") == [1] * 7, (name, result.notes)
            if name == "ceiling-truth":
                assert result.metrics["unused_colours"] == result.metrics["repeated_colours"] == 0
            if name == "floor-blank":
                assert result.metrics["describe.edge_density"] == 0
            if name == "floor-checkerboard":
                assert result.metrics["describe.edge_density"] == 1
            if name == "floor-rows":
                assert len(set(json.loads(answer.text)["grid"][0])) > 1 and result.metrics["describe.entropy"] > 0


def test_every_metric_is_reported_by_some_control_and_only_the_exact_are_calibrated():
    bench = PixelArt()
    maze = list(bench.items(PUBLISHED, 0, None))[4]
    judgements = {"guess": Answer("A"), "checklist": Answer("1: yes\n2: yes\n3: no")}
    result = bench.score(maze, bench.controls()["ceiling-truth"](maze, generator(0, "t", 0)), judgements)
    assert set(result.metrics) == {metric.name for metric in bench.metrics} - {"judge.checklist"}
    mario = next(bench.items(PUBLISHED, 0, 1))
    result = bench.score(mario, bench.controls()["ceiling-truth"](mario, generator(0, "t", 0)), judgements)
    assert set(result.metrics) == {m.name for m in bench.metrics} - {"exact.solved", "exact.conditions"}
    assert [metric.name for metric in bench.metrics if metric.calibrated] == ["exact.solved", "exact.conditions"]
    assert set(bench.headline) <= {metric.name for metric in bench.metrics}
    assert all(metric.higher_is_better is None for metric in bench.metrics if metric.name.startswith("describe."))


def test_the_evidence_is_the_picture():
    bench = PixelArt()
    item = list(bench.items(PUBLISHED, 0, None))[3]
    result = bench.score(item, bench.controls()["ceiling-truth"](item, None), {})
    picture = read_image(result.evidence["drawing"])
    colours = np.array([tuple(bytes.fromhex(colour)) for colour in item.truth["palette"]])
    assert picture.shape == (240, 240, 3)
    assert np.array_equal(picture[5::10, 5::10], colours[np.array(item.truth["grid"])])


def test_evidence_shows_illegal_cells_and_wrong_sizes_but_no_runaway():
    bench = PixelArt()
    item = next(bench.items(PUBLISHED, 0, 1))

    def evidence(rows):
        return bench.score(item, Answer(json.dumps({"palette": ["000000", "ffffff"], "grid": rows})), {}).evidence

    picture = read_image(evidence(["09", "10"])["drawing"])
    assert picture[0, 0].tolist() == [0, 0, 0] and picture[0, -1].tolist() == [255, 0, 255]
    assert evidence(["01"] * 5779) == {} and evidence(["01", "0"]) == {}


def test_a_refusal_stays_a_refusal():
    bench = PixelArt()
    item = next(bench.items(PUBLISHED, 0, 1))
    refusal = Failure(Fault.MODEL, "refusal", "I cannot draw him.")
    result = bench.score(item, Answer("sorry", failure=refusal), {})
    assert result.failure == refusal and result.notes["lenient"] == "refusal"
    assert rung_values(result, "strict") + rung_values(result, "lenient") == [0] * 14
    assert result.metrics["published.coded.overall"] == 0 and not result.evidence


@pytest.mark.parametrize("fault", [Fault.INSTRUMENT, Fault.INFRASTRUCTURE])
def test_faults_that_are_not_the_models_carry_no_numbers(fault):
    bench = PixelArt()
    item = next(bench.items(PUBLISHED, 0, 1))
    failure = Failure(fault, "timeout")
    result = bench.score(item, Answer("{}", failure=failure), {})
    assert result.failure == failure and result.metrics == {}


ROWS = [
    {
        "id": 7,
        "model_slug": "a/b",
        "model_name": "B",
        "example_id": 3,
        "example_name": "The planet Saturn with its rings",
        "palette": ["000000", "ffffff"],
        "grid": ["01" * 12] * 24,
        "is_appropriate": True,
        "height": 24,
        "width": 24,
        "num_colors": 2,
        "input_tokens": 400,
        "output_tokens": 640,
        "total_tokens": 1040,
        "cost": 0.25,
        "generation_time": 12.5,
    },
    {
        **dict.fromkeys(COLUMNS),
        "model_slug": "c/d",
        "example_name": "A teapot",
        "palette": ["f00"],
        "grid": ["00", "0"],
    },
]


def write(path, rows=ROWS):
    if path.suffix == ".parquet":
        parquet.write_table(pa.Table.from_pylist(rows), path)
    elif path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    elif path.suffix == ".json":
        path.write_text(json.dumps(rows), "utf-8")
    else:
        pandas = pytest.importorskip("pandas")
        pandas.DataFrame(rows).to_csv(path, index=False)
    return path


def recorded(path):
    bench = PixelArt()
    return bench, list(bench.items(Source("pixel-art-bench-v1", path), 0, None))


@pytest.mark.parametrize("suffix", [".parquet", ".jsonl", ".json", ".csv"])
def test_the_data_set_of_replies_in_every_form(tmp_path, suffix):
    bench, items = recorded(write(tmp_path / f"train{suffix}"))
    assert [item.id for item in items] == [f"pixelart/pixel-art-bench-v1/1/000{index}" for index in range(2)]
    assert items[0].tags == {"model": "a/b", "subject": "saturn", "category": "space"}
    assert items[0].cluster == "saturn" and items[0].truth["grid"]
    answer = bench.recorded(items[0])
    assert answer.usage == Usage(input_tokens=400, output_tokens=640, cost=0.25, seconds=12.5)
    assert bench.score(items[0], answer, {}).notes["strict"] == "ok"
    assert bench.prompt(items[0]).text.endswith("Draw: The planet Saturn with its rings")
    assert items[1].tags == {"model": "c/d", "subject": "A teapot", "category": "other"} and items[1].truth is None
    unknown = bench.recorded(items[1])
    assert unknown.usage == Usage(cost=None)
    assert json.loads(unknown.text) == {"palette": ["f00"], "grid": ["00", "0"]}
    ceiling = bench.controls()["ceiling-truth"](items[1], None)
    assert (ceiling.failure.fault, ceiling.failure.name) == (Fault.INSTRUMENT, "no-reference")


def test_published_subjects_have_no_recorded_reply():
    bench = PixelArt()
    assert all(bench.recorded(item) is None for item in bench.items(PUBLISHED, 0, None))


def test_a_folder_is_read_file_by_file_and_n_stops_early(tmp_path):
    (tmp_path / "data").mkdir()
    for number in range(3):
        write(tmp_path / "data" / f"train-{number}.parquet", ROWS[:1])
    (tmp_path / "dataset_info.json").write_text("{}")
    bench, items = recorded(tmp_path)
    assert len(items) == 3
    assert len(list(bench.items(Source("pixel-art-bench-v1", tmp_path), 0, 2))) == 2


def test_nan_cost_is_unknown_not_free(tmp_path):
    bench, items = recorded(write(tmp_path / "x.parquet", [{**ROWS[0], "cost": math.nan}]))
    assert bench.recorded(items[0]).usage.cost is None


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        (None, None, "needs --data"),
        ("missing.parquet", None, "neither a file of pixel-art-bench-v1"),
        ("x.txt", b"hello", "neither a file of pixel-art-bench-v1"),
        ("x.parquet", b"not parquet", "cannot be read as parquet"),
        ("x.json", b"{", "cannot be read as json"),
        ("x.json", b'{"a": 1}', "no list of rows"),
        ("x.json", b"[3]", "row 0 is not a row"),
        ("x.jsonl", b'{"palette": []}\n', "has no model_slug, example_name, grid"),
        ("x.jsonl", b"\xff\xfe", "cannot be read as jsonl"),
        ("x.csv", b"a,b\n1,2\n", "has no model_slug"),
        ("x.csv", b"model_slug,example_name,palette,grid\na,b,['0' '1'],['0']\n", "no commas"),
        ("x.csv", b"model_slug,example_name,palette,grid\na,b,[,['0']\n", "cannot be read as csv"),
        ("x.json", json.dumps([{**ROWS[0], "grid": "0101"}]).encode(), "a grid that is not a list"),
        ("x.json", json.dumps([{**ROWS[0], "cost": "cheap"}]).encode(), "not a number"),
    ],
)
def test_bad_data_is_one_sentence(tmp_path, name, content, says):
    path = tmp_path / name if name else None
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(PixelProofError) as error:
        recorded(path)
    message = str(error.value)
    assert says in message and message.endswith(".") and "\n" not in message


def test_artefacts_are_indexed_pngs():
    bench = PixelArt()
    item = next(bench.items(PUBLISHED, 0, 1))
    drawing = bench.score(item, bench.controls()["floor-noise"](item, generator(0, "t", 0)), {}).evidence["drawing"]
    assert isinstance(drawing, Artefact) and drawing.media_type == "image/png" and drawing.data[25] == 3
