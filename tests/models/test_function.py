from __future__ import annotations

import io
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from PIL import Image

from pixelproof.contract import Answer, Artefact, Failure, Fault, Item, PixelProofError, Prompt, Usage
from pixelproof.models import FunctionModel
from pixelproof.models._function import as_answer

MODULE = """
import numpy as np
from PIL import Image
from pixelproof.contract import Answer, Usage
seen = []
def echo(prompt): return prompt.text
def extras(prompt, *, item_id, seed, sample=0): return f"{item_id} {sample} {seed}"
def all_extras(prompt, **more): seen.append(more); return ",".join(sorted(more))
def optional(prompt, style="plain"): return style
def spy(*args, **more): seen.append((args, more)); return "x"
def array(prompt): return np.full((2, 3, 3), 7, np.uint8)
def floats(prompt): return np.zeros((2, 3, 3))
def image(prompt): return Image.new("RGBA", (3, 2), (1, 2, 3, 4))
def cmyk(prompt): return Image.new("CMYK", (3, 2))
def nothing(prompt): pass
def timed(prompt): return Answer("x", usage=Usage(seconds=9.0, cost=1.5))
def breaks(prompt):
    def inner(): return {}["key " + "long " * 1000]
    return inner()
def leaves(prompt): raise SystemExit(3)
def interrupted(prompt): raise KeyboardInterrupt
def no_parameter(): return ""
def two(prompt, other): return ""
async def later(prompt): return ""
number = 7
class Painter:
    @staticmethod
    def paint(prompt): return "painted"
class Caller:
    def __call__(self, prompt, seed): return str(seed)
caller = Caller()
"""

ITEM = Item("a/b/c/0", {"subject": "sun"}, truth="SECRET")


@pytest.fixture
def module(tmp_path, monkeypatch):
    (tmp_path / "my_painter.py").write_text(MODULE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [path for path in sys.path if path not in ("", str(tmp_path))])
    monkeypatch.delitem(sys.modules, "my_painter", raising=False)
    yield "my_painter"
    sys.modules.pop("my_painter", None)


def ask(function: str, sample: int = 0, seed: int = 0) -> Answer:
    return FunctionModel(f"fn/my_painter:{function}", f"my_painter:{function}").answer(
        Prompt(("Draw", "the sun")), ITEM, sample, seed
    )


def decoded(answer: Answer) -> np.ndarray:
    (image,) = answer.images
    assert image.media_type == "image/png" and answer.usage.images == 1
    return np.asarray(Image.open(io.BytesIO(image.data)))


def test_a_function_of_the_working_directory_answers(module):
    answer = ask("echo")
    assert answer.text == "Draw\nthe sun" and answer.failure is None and answer.usage.seconds > 0
    assert ask("Painter.paint").text == "painted"
    assert ask("optional").text == "plain"


def test_images_may_be_arrays_or_pil_images(module):
    assert (decoded(ask("array")) == np.full((2, 3, 3), 7)).all()
    assert (decoded(ask("image")) == np.full((2, 3, 4), (1, 2, 3, 4))).all()


def test_whole_answers_pass_untouched(module):
    assert ask("timed") == Answer("x", usage=Usage(seconds=9.0, cost=1.5))


def test_a_function_gets_the_parameters_of_its_signature(module):
    name, sample, seed = ask("extras", sample=2, seed=5).text.split()
    assert (name, sample) == ("a/b/c/0", "2")
    assert ask("all_extras").text == "item_id,sample,seed"
    seeds = {ask("extras", sample=s, seed=r).text.split()[2] for s in range(3) for r in range(3)}
    assert len(seeds) == 9 and seed in {ask("extras", 2, 5).text.split()[2]}
    assert ask("caller", 2, 5).text == seed


def test_a_function_never_receives_the_truth(module):
    ask("spy")
    (args, more) = sys.modules["my_painter"].seen[-1]
    assert "SECRET" not in repr(args) + repr(more)
    assert not any(isinstance(value, Item) for value in (*args, *more.values()))


@pytest.mark.parametrize(
    ("function", "name", "words"),
    [
        ("breaks", "function-raised", ["KeyError", "key long", "my_painter.py, line ", "in inner"]),
        ("leaves", "function-raised", ["SystemExit: 3"]),
        ("nothing", "unusable-return", ["NoneType", "PIL image"]),
        ("floats", "unusable-return", ["float64", "(2, 3, 3)"]),
        ("cmyk", "unusable-return", ["CMYK"]),
    ],
)
def test_what_goes_wrong_inside_is_no_verdict_on_a_model(module, function, name, words):
    failure = ask(function).failure
    assert failure is not None and (failure.fault, failure.name) == (Fault.INFRASTRUCTURE, name)
    assert all(word in failure.detail for word in words), failure.detail
    assert len(failure.detail) < 700 and "\n" not in failure.detail


def test_an_interrupt_stops_everything(module):
    with pytest.raises(KeyboardInterrupt):
        ask("interrupted")


@pytest.mark.parametrize(
    ("spelling", "complaint"),
    [
        ("my_painter", "names no function: write fn/module:function"),
        (":echo", "names no function: write fn/module:function"),
        ("my_painter:", "names no function: write fn/module:function"),
        ("no_such_module:f", "there is no module no_such_module"),
        ("my_painter.deeper:f", "there is no module my_painter.deeper"),
        ("my_painter:ecko", "has no ecko"),
        ("my_painter:Painter.print", "has no Painter.print"),
        ("my_painter:number", "not a function .its type is int"),
        ("my_painter:later", "async"),
        ("my_painter:no_parameter", "must take the prompt"),
        ("my_painter:two", "must take the prompt"),
    ],
)
def test_a_wrong_spelling_gets_a_message(module, spelling, complaint):
    with pytest.raises(PixelProofError, match=complaint):
        FunctionModel(f"fn/{spelling}", spelling)


@pytest.mark.parametrize(
    ("source", "complaint"),
    [
        ("import a_library_nobody_has", "needs the module a_library_nobody_has"),
        ("1 / 0", r"ZeroDivisionError.*my_broken.py, line 1"),
        ("import sys; sys.exit('usage: x')", "SystemExit: usage"),
        ("def f(:", "SyntaxError"),
    ],
)
def test_a_module_that_does_not_import_gets_a_message(module, tmp_path, source, complaint):
    (tmp_path / "my_broken.py").write_text(source)
    with pytest.raises(PixelProofError, match=complaint):
        FunctionModel("fn/my_broken:f", "my_broken:f")


def test_the_card_changes_with_the_source(module, tmp_path):
    model = FunctionModel("fn/my_painter:echo", "my_painter:echo")
    before = model.card()
    (tmp_path / "my_painter.py").write_text(MODULE + "\n")
    assert model.card()["sha256"] != before["sha256"] and model.card()["function"] == "my_painter:echo"
    assert FunctionModel("fn/builtins:repr", "builtins:repr").card() == {
        "kind": "function",
        "function": "builtins:repr",
    }


@given(
    arrays(
        st.sampled_from(["uint8", "uint8", "float32", "bool", "int64"]),
        st.lists(st.integers(0, 5), min_size=0, max_size=4).map(tuple),
    )
)
def test_an_array_is_encoded_without_loss_or_refused(array):
    good = array.dtype == np.uint8 and array.size and (array.ndim == 2 or (array.ndim == 3 and array.shape[2] == 3))
    if good:
        assert (np.asarray(Image.open(io.BytesIO(as_answer(array).images[0].data))) == array).all()
    else:
        with pytest.raises(ValueError, match="uint8|at least one pixel"):
            as_answer(array)


def test_bytes_and_artefacts_are_not_touched():
    webp = io.BytesIO()
    Image.new("RGB", (2, 2)).save(webp, "WEBP")
    assert as_answer(webp.getvalue()).images == (Artefact(webp.getvalue(), "image/webp"),)
    assert as_answer(b"junk").images == (Artefact(b"junk", "application/octet-stream"),)
    artefact = Artefact(b"junk", "image/gif")
    assert as_answer(artefact).images == (artefact,)
    refusal = Answer(failure=Failure(Fault.MODEL, "refusal"))
    assert as_answer(refusal) is refusal
