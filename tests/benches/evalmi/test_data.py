"""Loaders and splits."""

import json
import zipfile

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pixelproof.benches.evalmi.data import (
    Annotations,
    Prompts,
    generator_folds,
    image_folds,
    load,
    prompt_folds,
    read_folds,
)
from pixelproof.contract import PixelProofError
from pixelproof.store import read_table


def write_xlsx(path, rows):
    """A minimal workbook with text in shared strings, as spreadsheet programs write it."""
    strings, lines = [], []
    for number, row in enumerate(rows, start=1):
        cells = ""
        for letter, value in zip("ABCDEFGH", row, strict=False):
            if value is None:
                continue
            if isinstance(value, str):
                strings.append(f"<si><t>{value}</t></si>")
                cells += f'<c r="{letter}{number}" t="s"><v>{len(strings) - 1}</v></c>'
            else:
                cells += f'<c r="{letter}{number}"><v>{value!r}</v></c>'
        lines.append(f'<row r="{number}">{cells}</row>')
    space = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("xl/sharedStrings.xml", f"<sst {space}>{''.join(strings)}</sst>")
        archive.writestr(
            "xl/worksheets/sheet1.xml", f"<worksheet {space}><sheetData>{''.join(lines)}</sheetData></worksheet>"
        )


def test_tidy_form(small):
    assert (small.name, len(small), len(small.models), len(small.prompts.ids)) == ("EvalMi-50K", 180, 6, 30)
    assert set(small.targets) == {"perception", "correspondence"} and small.components.shape == (180, 2)
    assert small.prompts.clusters[0] == small.prompts.clusters[29]  # the same text


def test_spreadsheets_of_the_authors(tmp_path):
    header = ("ImageName", "MOS1", "MOS2", "Y/N", "YN_1", "YN_2")
    rows = [
        ("m/001.png", 66.25, 64.5, 1, None, None),
        ("m/002.png", 20.5, 30.25, 0, 1, 0),
        ("n/001.png", 1.5, 2.5, 1, None, None),
    ]
    write_xlsx(tmp_path / "MOS&QA" / "AIGI2025_MOS_yn.xlsx", [header, *rows])
    (tmp_path / "prompts").mkdir()
    tags = [{"tag": "color_attr + detail", "prompt": "a red car"}, {"tag": "style + OCR", "prompt": "words"}]
    (tmp_path / "prompts" / "prompt_tasks.jsonl").write_text("\n".join(map(json.dumps, tags)))
    data = load(tmp_path)
    assert data.models == ("m", "n") and data.model.tolist() == [0, 0, 1] and data.prompt.tolist() == [0, 1, 0]
    assert data.prompts.tasks == ("colors", "complex") and data.targets["correspondence"].tolist() == [64.5, 30.25, 2.5]
    assert (
        data.qa.tolist() == [1, 0, 1] and data.components[1].tolist() == [1, 0] and np.isnan(data.components[0]).all()
    )


def test_agiqa(tmp_path):
    (tmp_path / "data.csv").write_text(
        "name,prompt,adj1,adj2,style,mos_quality,std_quality,mos_align,std_align\n"
        "sd1.5_lowstep_000.jpg,statue of a man,,,,0.96,0.2,0.4,0.6\n"
        "DALLE2_normal_000.jpg,statue of a man,,,,3.5,0.2,4.1,0.6\n"
    )
    data = load(tmp_path)
    assert data.models == ("sd1.5_lowstep", "DALLE2_normal") and data.prompt.tolist() == [0, 0]
    assert data.targets["perception"].tolist() == [0.96, 3.5] and data.qa is None


def test_genai_bench(tmp_path):
    content = {"00000": {"prompt": "a cat", "models": {"DALLE_3": [5, 4, 5], "SDXL": [2, 3, 1]}}}
    (tmp_path / "genai_image.json").write_text(json.dumps(content))
    data = load(tmp_path)
    assert data.image_ids == ("DALLE_3/00000.jpeg", "SDXL/00000.jpeg")
    assert data.targets["correspondence"].tolist() == pytest.approx([14 / 3, 2]) and data.votes[
        "correspondence"
    ].shape == (2, 3)


@pytest.mark.parametrize("suffix", ["csv", "parquet", "jsonl"])
def test_any_table_by_column_mapping(tmp_path, suffix):
    import pyarrow as pa
    from pyarrow import parquet

    rows = [
        {"file": "a.png", "gen": "x", "text": "one", "mos": 3.5, "ok": "yes"},
        {"file": "b.png", "gen": "y", "text": "one", "mos": 1.5, "ok": "no"},
    ]
    path = tmp_path / f"table.{suffix}"
    if suffix == "csv":
        path.write_text("file,gen,text,mos,ok\na.png,x,one,3.5,yes\nb.png,y,one,1.5,no\n")
    elif suffix == "jsonl":
        path.write_text("\n".join(map(json.dumps, rows)))
    else:
        parquet.write_table(pa.Table.from_pylist(rows), path)
    data = load(path, {"image_id": "file", "model": "gen", "prompt": "text", "aesthetics": "mos", "qa": "ok"})
    assert data.image_ids == ("a.png", "b.png") and data.targets["aesthetics"].tolist() == [3.5, 1.5]
    assert data.qa.tolist() == [1, 0] and len(data.prompts.ids) == 1


@pytest.mark.parametrize(
    ("text", "mapping", "message"),
    [
        ("a,b\n1,2\n", {"prompt": "c", "perception": "b"}, "no column 'c'"),
        ("a,b\n1,2\n", {"prompt": "a"}, "at least one score"),
        ("a,b\n1,x\n", {"prompt": "a", "perception": "b"}, "row 2: perception is not a number"),
        ("a,b\n1,2\n1,3\n", {"prompt": "a", "perception": "b"}, "more than once"),
        ("a,b\n1,2\n", {"prompt": "a", "qa": "b"}, "qa must be 0 or 1"),
        ("a,a\n1,2\n", {"prompt": "a", "perception": "a"}, "occurs twice"),
    ],
)
def test_tables_that_do_not_fit(tmp_path, text, mapping, message):
    path = tmp_path / "table.csv"
    path.write_text(text)
    with pytest.raises(PixelProofError, match=message):
        load(path, mapping)


def test_unknown_forms_are_refused(tmp_path):
    with pytest.raises(PixelProofError, match="images.csv.gz"):
        load(tmp_path)
    with pytest.raises(PixelProofError, match="no data set"):
        load(tmp_path / "nowhere")
    (tmp_path / "x.xlsx").write_bytes(b"no archive")
    (tmp_path / "x.doc").write_bytes(b"")
    (tmp_path / "x.jsonl").write_text("[1]\n")
    for name in ("x.xlsx", "x.doc", "x.jsonl", "missing.csv"):
        with pytest.raises(PixelProofError):
            read_table(tmp_path / name)


@given(
    st.lists(st.integers(0, 12), min_size=6, max_size=60).filter(lambda texts: len(set(texts)) >= 5), st.integers(0, 9)
)
def test_no_prompt_text_is_in_two_folds(texts, seed):
    n = len(texts)
    prompts = Prompts(tuple(map(str, range(n))), tuple(f"text {t}" for t in texts), ("",) * n)
    images = tuple(f"g{k}/{p}" for p in range(n) for k in range(2))
    data = Annotations(
        "x", images, ("g0", "g1"), np.tile([0, 1], n), prompts, np.repeat(np.arange(n), 2), {"m": np.zeros(2 * n)}
    )
    split = prompt_folds(data, 5, seed)
    assert split.shared_prompts == 0 and set(split.fold) == set(range(5))
    for text in set(texts):
        assert len(set(split.fold[np.array([texts[p] == text for p in data.prompt])])) == 1


def test_generators_are_left_out_whole(small):
    split = generator_folds(small, 3)
    assert split.shared_generators == 0 and split.shared_prompts == 29
    assert image_folds(small).shared_generators == 6


def test_folds_of_the_authors(small, tmp_path):
    for k in (1, 2):
        rows = [{"image": image, "mos": 1.0} for image in small.image_ids[k::7]]
        (tmp_path / f"test_AIGI_mos1_fold_{k}.jsonl").write_text("\n".join(map(json.dumps, rows)))
    split = read_folds(small, tmp_path)
    assert split.folds == [1, 2] and (split.fold == -1).sum() == 180 - 52 and split.shared_prompts > 0
    assert read_folds(small, tmp_path / "test_AIGI_mos1_fold_2.jsonl").folds == [2]
    (tmp_path / "test_AIGI_mos1_fold_3.jsonl").write_text(json.dumps({"image": "else.png"}))
    with pytest.raises(PixelProofError, match=r"1 images are not in EvalMi-50K, such as 'else.png'"):
        read_folds(small, tmp_path)
    with pytest.raises(PixelProofError, match="no test_"):
        read_folds(small, tmp_path / "none")


def test_quoted_names_and_ids_with_zeros(tmp_path):
    (tmp_path / "t.csv").write_bytes('\ufeff"id, of image",x\r\n007,1.50\r\n'.encode())
    assert read_table(tmp_path / "t.csv") == {"id, of image": ["007"], "x": ["1.50"]}
