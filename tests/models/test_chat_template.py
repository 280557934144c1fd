"""`doctor template`: good templates pass, and every known defect is found by the check that is named for it."""

import json
import os
import subprocess
import sys
import time

import pytest

from models.template_folders import DEFECTS, GOOD, LOOP, NO_THOUGHTS, PARTS, PRINTED_RESULT, template, write_folder
from pixelproof.cli import main
from pixelproof.contract import PixelProofError
from pixelproof.models.chat_template import Status, check_template

pytest.importorskip("jinja2")


def findings(folder, **settings):
    return {finding.check: finding for finding in check_template(folder, **{"use_transformers": False, **settings})}


@pytest.mark.parametrize("place", ["jinja", "list", "json", "config"])
def test_a_good_template_passes_wherever_it_is_stored(tmp_path, place):
    checked = findings(write_folder(tmp_path, GOOD, place))
    for name in ("template", "images", "calls", "tool-images", "prefix", "image-token", "truncation"):
        assert checked[name].status is Status.OK, checked[name]
    assert checked["features"].status is Status.UNKNOWN
    assert checked["text-tokens"].status is Status.WARNING and "OCR" in checked["text-tokens"].message


@pytest.mark.parametrize("defect", DEFECTS)
def test_each_defect_is_found_and_explained(tmp_path, defect):
    checked = findings(write_folder(tmp_path, DEFECTS[defect]))
    assert checked[defect].status is Status.PROBLEM
    assert checked[defect].advice
    others = (
        {"calls", "tool-images", "prefix", "image-token"}
        - {defect}
        - ({"tool-images"} if defect == "images" else set())
    )
    assert all(checked[name].status is Status.OK for name in others if name in checked)


def test_a_list_that_is_printed_is_no_image(tmp_path):
    checked = findings(write_folder(tmp_path, template(result=PRINTED_RESULT)))
    assert "Python list" in checked["tool-images"].message and "'type'" in checked["tool-images"].excerpt


def test_the_prefix_breaks_where_it_says(tmp_path):
    finding = findings(write_folder(tmp_path, DEFECTS["prefix"]))["prefix"]
    assert "adding the result of a tool" in finding.message and "<think>" in finding.excerpt


def test_thoughts_removed_at_a_second_question_are_a_warning(tmp_path):
    finding = findings(write_folder(tmp_path, template(loop=NO_THOUGHTS)))["prefix"]
    assert finding.status is Status.WARNING and "second question" in finding.message


def test_a_reply_that_begins_otherwise_than_it_was_asked_for_is_a_problem(tmp_path):
    finding = findings(write_folder(tmp_path, template(prompt="{{- '<think>\n' -}}")))["prefix"]
    assert finding.status is Status.PROBLEM and "asked to continue" in finding.message


def test_refusals_are_quoted(tmp_path):
    refusing = template(result="{{- raise_exception('Only user and assistant roles!') -}}")
    checked = findings(write_folder(tmp_path, refusing))
    assert "Only user and assistant roles!" in checked["tool-images"].message
    assert checked["prefix"].status is Status.PROBLEM
    no_system = GOOD.replace("{{- '<|im_start|>system\n' -}}", "{{- raise_exception('No system role') -}}", 1)
    checked = findings(write_folder(tmp_path / "b", no_system))
    assert checked["system"].status is Status.WARNING


def test_arguments_as_python_are_a_problem(tmp_path):
    printed = (
        "{%- for call in message.tool_calls or [] -%}{{- call.function.name ~ call.function.arguments -}}{%- endfor -%}"
    )
    assert findings(write_folder(tmp_path, template(calls=printed)))["calls"].status is Status.PROBLEM


def test_two_tokens_for_one_image_are_a_problem(tmp_path):
    twice = PARTS.replace("<|image_pad|>", "<|image_pad|><|image_pad|>")
    assert findings(write_folder(tmp_path, template(parts=twice)))["images"].status is Status.PROBLEM


@pytest.mark.parametrize(
    ("content", "words"),
    [("{% for message in messages %}", "line 1"), ("{{ [].__class__.__base__ }}", ""), ("", "no chat template")],
)
def test_templates_that_cannot_be_used(tmp_path, content, words):
    folder = write_folder(tmp_path, content)
    if "__class__" in content:  # a way out of the sandbox is refused, and nothing is executed
        assert findings(folder)["images"].status is Status.PROBLEM
        return
    with pytest.raises(PixelProofError, match=words):
        findings(folder)


def test_folders_that_cannot_be_read(tmp_path):
    with pytest.raises(PixelProofError, match="is no folder"):
        check_template(tmp_path / "missing")
    folder = write_folder(tmp_path, GOOD)
    (folder / "tokenizer_config.json").write_text("{")
    with pytest.raises(PixelProofError, match="is no JSON"):
        check_template(folder)


def doctor(capsys, *words):
    with pytest.raises(SystemExit) as ended:
        main(["doctor", "template", "--jinja", *map(str, words)])
    return ended.value.code, capsys.readouterr().out


def test_the_command_prints_advice_and_fails_on_problems(tmp_path, capsys):
    good, bad = write_folder(tmp_path / "good", GOOD), write_folder(tmp_path / "bad", DEFECTS["tool-images"])
    code, text = doctor(capsys, good)
    assert code == 0 and "ok          tool-images" in text
    code, text = doctor(capsys, bad)
    assert code == 6 and "PROBLEM     tool-images" in text and "user messages" in text
    _, text = doctor(capsys, "--json", bad)
    assert {"check": "tool-images", "status": "problem"}.items() <= json.loads(text)[3].items()


HF = """
import json, sys
from pixelproof.models.chat_template import check_template
print(json.dumps([[[f.check, f.status, f.message] for f in check_template(path)] for path in sys.argv[1:]]))
"""


@pytest.mark.slow
def test_the_path_of_transformers_counts_features_and_tries_cuts(tmp_path):
    pytest.importorskip("transformers")
    good = write_folder(tmp_path / "good", GOOD, patch_size=14)
    dropping = write_folder(tmp_path / "dropping", DEFECTS["tool-images"], patch_size=14)
    other = write_folder(tmp_path / "other", GOOD, patch_size=28)  # the model's own is 14
    folders = map(str, (good, dropping, other))
    env = {**os.environ, "HF_HUB_OFFLINE": "1"}
    run = subprocess.run([sys.executable, "-c", HF, *folders], capture_output=True, text=True, check=True, env=env)
    checked = [{name: (status, text) for name, status, text in part} for part in json.loads(run.stdout)]
    assert "transformers" in checked[0]["template"][1]
    assert all(checked[0][name][0] == "ok" for name in ("prefix", "features", "truncation-tokens", "length"))
    assert "48 image tokens" in checked[0]["features"][1]  # three images of 4 × 4 patches
    assert checked[1]["tool-images"][0] == "problem" and checked[1]["features"][0] == "problem"
    assert checked[2]["features"][0] == "problem" and "12 image tokens but 48 features" in checked[2]["features"][1]


def test_the_loop_has_all_its_marks():
    assert all(f"@{mark}@" in LOOP for mark in ("THOUGHT", "CALLS", "RESULT", "PROMPT"))


def test_a_template_without_end_is_refused(tmp_path):
    """An endless loop of a template ends with a finding, not with a full memory."""
    loop = "{% for i in range(99999) %}{% for j in range(99999) %}" + "x" * 500 + "{% endfor %}{% endfor %}"
    findings = check_template(write_folder(tmp_path / "model", loop), use_transformers=False)
    refused = [finding for finding in findings if "more than 1,000,000 characters" in finding.message]
    assert Status.PROBLEM in {finding.status for finding in refused}
    assert not any(".." in finding.message for finding in findings)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}{% endfor %}", "takes more than 0.4 s"),
        ("{% macro f(n) %}{% if n %}{{ f(n - 1) ~ f(n - 1) }}{% endif %}{% endmacro %}{{ f(99) }}", "more than 0.4 s"),
        ("{% set n = messages | length + 8 %}{{ n ** (n ** n) }}", "takes more than 0.4 s"),
        ("{% set x = messages[0].content ~ 'x' %}{% set y = x * 10 ** 10 %}", "too much memory"),
        ("{% macro f(n) %}{{ f(n + 1) }}{% endmacro %}{{ f(0) }}", "nested too deeply"),
    ],
)
def test_a_template_that_computes_without_end_is_refused(tmp_path, monkeypatch, body, words):
    """In a process of its own, which is ended: nothing of it goes on in ours."""
    monkeypatch.setattr("pixelproof.models.chat_template._rendering.PATIENCE", 0.4)
    start = time.monotonic()
    refused = [f for f in check_template(write_folder(tmp_path, body), use_transformers=False) if words in f.message]
    assert Status.PROBLEM in {finding.status for finding in refused} and time.monotonic() - start < 8


def test_constants_that_take_for_ever_are_no_template(tmp_path, monkeypatch):
    monkeypatch.setattr("pixelproof.models.chat_template._rendering.PATIENCE", 0.4)
    with pytest.raises(PixelProofError, match="cannot be compiled .it takes more than 0.4 s"):
        check_template(write_folder(tmp_path, "{{ 9 ** (9 ** 9) }}"), use_transformers=False)
