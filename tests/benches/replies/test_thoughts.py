"""Thinking that a model writes into its reply is no answer, whoever reads the reply."""

import numpy as np
import pytest

import pixelproof
from pixelproof.benches.judging import read_level, read_yes_no
from pixelproof.benches.replies import read_choice, read_number
from pixelproof.contract import Answer, read_statement
from pixelproof.pixels import encode_png
from pixelproof.tools.episodes import final_text

NAMES = ("think", "thinking", "thought", "thoughts", "reasoning", "seed:think")
MARKS = ("<{}>", "[{}]", "◁{}▷")
TAGS = [(mark.format(name), mark.format(f"/{name}")) for name in NAMES for mark in MARKS]
READERS = {
    "level": (lambda text: read_level(Answer(text)), "bad", "good", 0.75),
    "yes or no": (lambda text: read_yes_no(Answer(text)), "no", "yes", 1.0),
    "choice": (lambda text: read_choice(text, ("cat", "dog")), "Answer: A", "Answer: B", 1),
    "number": (read_number, "Answer: 7", "8", 8.0),
    "answer tags": (final_text, "<answer>7</answer>", "8", "8"),
    "text": (read_statement, "7", "8", "8"),
}


@pytest.mark.attack(
    "thinking before the answer, in 18 kinds of tags, opened in the reply or by a chat template, or never closed",
    before="`ask` shows it as the answer; answer tags, `<think>` without its beginning and other tags are read from it",
    lost="the answer after it is read; without one there is none",
)
@pytest.mark.parametrize("name", READERS)
def test_trust4_thinking_is_no_answer(name, record_property):
    read, thought, answer, value = READERS[name]
    for opening, closing in TAGS:
        for begun in (opening, ""):
            assert read(f"{begun}{thought}, no: {thought}.{closing}\n{answer}") == value
        endless = read(f"{opening}{thought}")
        assert getattr(endless, "name", endless) == getattr(read(""), "name", read(""))
    record_property("tries", 3 * len(TAGS))


@pytest.mark.slow
@pytest.mark.attack(
    "`ask` of a model that thinks in its reply",
    before="thoughts and answer are shown",
    lost="the answer alone",
)
def test_trust4_ask_shows_no_thoughts(tmp_path, record_property):
    (tmp_path / "grey.png").write_bytes(encode_png(np.full((8, 8, 3), 99, np.uint8)).data)
    for number, (opening, closing) in enumerate(TAGS[::4]):

        def model(prompt, opening=opening, closing=closing):
            return f"{opening}It may be red.{closing} grey"

        asked = pixelproof.ask(tmp_path / "grey.png", "Which colour?", model, out=tmp_path / str(number))
        assert asked.answer == "grey" and asked.trace.answer["value"] == "grey"
    record_property("tries", len(TAGS[::4]))
