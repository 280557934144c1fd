import pytest

from pixelproof.contract import Item, PixelProofError, Prompt
from pixelproof.models import open_model


def test_a_folder_answers_items_by_id_and_sample(bench, tmp_path):
    (tmp_path / "guess__world__1__0.txt").write_text("7")
    (tmp_path / "guess__world__1__0.1.txt").write_text("8")
    model = open_model(f"folder/{tmp_path}", bench)
    assert model.answers_items and model.card() == {"kind": "folder"}
    item = Item("guess/world/1/0", {})
    assert [model.answer(Prompt(()), item, sample, 0).text for sample in (0, 1)] == ["7", "8"]
    assert model.answer(Prompt(()), item, 2, 0).failure.name == "missing-file"


def test_an_empty_folder_is_refused_with_a_name_that_an_answer_could_have(bench, tmp_path):
    with pytest.raises(PixelProofError, match=r"guess__world__1__0\.txt \(all names: pixelproof items guess\)"):
        open_model(f"folder/{tmp_path}", bench)
