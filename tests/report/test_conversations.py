"""Prompts and traces in the lightbox; abstentions in tables and charts."""

import re

import pytest

import pixelproof as pp
from pixelproof.contract import Source
from pixelproof.harness import Plan, Run, Settings, run
from pixelproof.report import write_report
from pixelproof.report._conversations import Draft, Image, prompt_drafts, trace_drafts
from report.digging import Dig
from report.test_report import gallery_data
from support import Guess

PROMPT, TRACE, KIND = 10, 11, 2


@pytest.fixture(scope="module")
def dug(tmp_path_factory):
    folder = tmp_path_factory.mktemp("dug")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PIXELPROOF_CACHE", str(folder / "cache"))
        plan = Plan(Dig(), Source("garden"))
        run(plan, "fn/report.digging:digger", settings=Settings(out=folder / "run"))
    return write_report([folder / "run"], folder / "r.html", Dig())


@pytest.mark.slow
def test_the_prompt_stands_with_the_answer(dug):
    data = gallery_data(dug.read_text())
    assert data["prompts"] == [
        [["System prompt", ["You dig."]], ["Tools", ["look: Look at a field."]], ["Prompt", ["Where is <b>it</b>?"]]]
    ]  # the same for all items: once
    assert [row["cells"][0][0][PROMPT] for row in data["rows"]] == [0, 0, 0, 0]


def test_the_trace_has_turns_with_calls_and_images(dug):
    data = gallery_data(dug.read_text())
    for row in data["rows"]:
        turns = row["cells"][0][0][TRACE]
        assert [title for title, _ in turns] == ["Prompt", "Model", "Tool look", "Model"]
        assert turns[1][1] == ["Let me look.", 'look {"field": 7}']
        text, image = turns[2][1]
        assert text == "You see:" and data["images"][image].startswith("data:image/png;base64,")
        assert turns[3][1] == [row["item"][-1]]
    assert len(data["images"]) == 4


@pytest.mark.slow
def test_controls_and_older_runs_have_no_prompt(guess, tmp_path):
    paths = [guess("a", "control/floor-five"), guess("b", "fn/support:even_odd")]
    data = gallery_data(write_report(paths, tmp_path / "r.html", Guess()).read_text())
    assert [[cell[0][PROMPT] is None for cell in row["cells"]] for row in data["rows"]] == [[False, True]] * 20
    assert {prompt[0][1][0] for prompt in data["prompts"]} == {f"Guess a digit; it is {p}." for p in ("odd", "even")}


def test_forms_that_are_not_known_are_shown_as_they_are():
    image = {"$artefact": "ab" * 32, "media_type": "image/png"}
    drafts = trace_drafts([{"step": 1, "seen": [image]}, "text", 7, {"role": "judge", "parts": "no list"}], 100)
    assert drafts[0].parts[1:] == [Image("ab" * 32, "image/png")] and '"step": 1' in drafts[0].parts[0]
    assert drafts[1:] == [Draft("Step", ["text"]), Draft("Step", ["7"]), Draft("judge", ["no list"])]
    assert trace_drafts([{"role": "model", "calls": [{"tool": "t", "arguments": "{bro"}]}], 100)[0].parts == ["t {bro"]
    assert len(trace_drafts(["x"] * 500, 100)) == 201
    assert prompt_drafts({"parts": ["a" * 50, {"sha256": "cd" * 32, "media_type": "image/png"}]}, 10) == [
        Draft("Prompt", ["a" * 9 + "…", Image("cd" * 32, "image/png")])
    ]


def test_abstentions_have_their_own_place(dug):
    text = dug.read_text()
    run = Run.open(dug.with_name("run"))
    counts, found = run.summary["counts"], run.summary["metrics"]["found"]
    assert counts["abstained"] == 1 and found["bounds"] is not None
    board = text.partition("<h4>found</h4>")[2].partition("</table>")[0]
    low, high = found["bounds"]
    assert f'75\u00a0%<span class="setting">bounds {low:.2f} to {high:.2f}</span>' in board
    assert [row["cells"][0][0][KIND] for row in gallery_data(text)["rows"]] == ["", "", "", "abstained"]
    outcomes = text.partition('id="outcomes"')[2].partition("</section>")[0]
    assert 'class="part abstained"' in outcomes and 'data-search="abstained"' in outcomes and "fault" in outcomes
    answers = text.partition('aria-label="Counts of answers"')[2].partition("</table>")[0]
    assert re.findall(r'scope="col"[^>]*>(\w+)', answers)[:5] == ["Model", "Planned", "Completed", "Model", "Abstained"]


@pytest.mark.slow
def test_the_function_and_the_package_have_one_name(guess, tmp_path):
    first = pp.run(Guess(), model="control/floor-five", out=tmp_path / "a")
    import pixelproof.report as package

    assert pp.report(first, out=tmp_path / "r.html", bench=Guess()) == tmp_path / "r.html"
    assert pp.report(tmp_path / "a", out=tmp_path / "r.html", bench=Guess()) == tmp_path / "r.html"  # and again
    assert callable(package) and package.write_report is write_report


@pytest.mark.slow
@pytest.mark.parametrize("width", [1280, 400])
def test_the_lightbox_shows_prompt_conversation_and_reply(browser, dug, width):
    page = browser.new_context(viewport={"width": width, "height": 900}).new_page()
    page.goto(dug.as_uri())
    page.locator(".shot").nth(2).click()
    body = page.locator(".lightbox-body")
    text = body.inner_text()
    places = [
        text.index(part) for part in ("You dig.", "Where is <b>it</b>?", "Conversation, 4 turns", "Reply, 1 char")
    ]
    assert places == sorted(places)
    assert body.locator(".turns li").count() == 4 and body.locator(".turns img").count() == 1
    assert body.locator(".turns img").evaluate("(one) => one.naturalWidth") == 6
    assert body.evaluate("(one) => one.scrollWidth <= one.clientWidth")
    page.keyboard.press("ArrowRight")
    assert body.locator(".verdict.abstained").inner_text() == "abstained"
