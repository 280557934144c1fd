"""Facts checked by detector and OCR, with the real weights where they are installed."""

import numpy as np
import pytest
import skimage.data
from hypothesis import given
from hypothesis import strategies as st

from pixelproof.benches.evalmi import EvalMi
from pixelproof.benches.evalmi._checks import check_facts, installed_checks, text_similarity
from pixelproof.benches.evalmi._facts import Fact, parse_question, text_fact
from pixelproof.contract import Answer, PixelProofError, Source
from pixelproof.pixels import encode_png
from pixelproof.stats import generator

INSTALLED = installed_checks()


def needs(check):
    return pytest.mark.skipif(check not in INSTALLED, reason=f"the weights of {check} are not installed ('assets get')")


@pytest.mark.slow
@given(st.text("abcd", max_size=6), st.text("abcd", max_size=6))
def test_similarity_is_the_edit_distance(one, other):
    def slow(a, b):
        if not a or not b:
            return len(a) + len(b)
        return min(slow(a[1:], b) + 1, slow(a, b[1:]) + 1, slow(a[1:], b[1:]) + (a[0] != b[0]))

    expected = 1 - slow(one, other) / max(len(one), len(other)) if one and other else 0.0
    assert text_similarity(one, [other]) == pytest.approx(expected)


def test_words_may_be_on_several_lines_and_case_does_not_matter():
    assert text_similarity("NO PARKING", ["no", "parking"]) == 1.0
    assert text_similarity("SHARK", ["SHARK EATS SHARK"]) < 1.0, "a page of words does not have every text"


@needs("ocr")
@pytest.mark.slow
def test_texts_of_signs_are_read():
    bench = EvalMi(checks="ocr")
    signs = [item for item in bench.items(Source("flat"), 3, 14) if item.tags["task"] == "ocr"]
    for control, least, most in (
        ("ceiling-truth", 0.9, 1.0),
        ("floor-blank", 0.0, 0.0),
        ("floor-other-prompt", 0.0, 0.4),
    ):
        results = [bench.score(s, bench.controls()[control](s, generator(0, "c")), {}) for s in signs]
        assert least <= np.mean([result.metrics["checked.text"] for result in results]) <= most, control
    praise = bench.score(signs[0], bench.controls()["praise"](signs[0], generator(0, "c")), {})
    assert "excellent" in praise.notes["read"], "the text of the control can be read"
    other = next(item for item in bench.items(Source("flat"), 3, 14) if item.tags["task"] != "ocr")
    result = bench.score(other, bench.controls()["ceiling-truth"](other, generator(0, "c")), {})
    assert not any(name.startswith("checked.") for name in result.metrics), "nothing to read: no score, not zero"


@needs("detector")
def test_objects_counts_and_colours_of_a_photograph():
    photo = skimage.data.coffee()
    asked = ["contain cup", "contain dog", "contain 2 cup", "contain cup in the color blue", "contain a oval cup"]
    facts = [parse_question(f"Does the image {text}?") for text in asked]
    metrics, notes = check_facts(photo, facts, ("detector",))
    assert metrics["checked.objects"] == 0.5 and metrics["checked.colours"] == 0.0
    assert "cup" in notes["detected"] and metrics["checked.counts"] in (0.0, 1.0)
    metrics, _ = check_facts(photo, [Fact("question", "Is it late?"), text_fact("X")], ("detector",))
    assert metrics == {}, "nothing that a detector can check"


@needs("detector")
@pytest.mark.parametrize("shape", [(1, 1), (2, 600)])
def test_tiny_images_are_checked(shape):
    item = next(iter(EvalMi().items(Source("flat"), 0, 1)))
    answer = Answer(images=(encode_png(np.zeros((*shape, 3), np.uint8)),))
    assert EvalMi(checks="detector").score(item, answer, {}).failure is None


def test_checks_that_are_not_installed_are_named_and_auto_leaves_them_out(tmp_path, monkeypatch):
    from pixelproof.benches.evalmi import _checks

    monkeypatch.setenv("PIXELPROOF_CACHE", str(tmp_path))
    monkeypatch.setattr(_checks, "_detector", _checks._detector.__wrapped__)
    monkeypatch.setattr(_checks, "_reader", _checks._reader.__wrapped__)
    assert EvalMi().for_model("any").checks == "none"
    for name in ("detector", "ocr", "all"):
        with pytest.raises(PixelProofError, match="assets get"):
            EvalMi(checks=name).for_model("any")
