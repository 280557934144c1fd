"""The package without extras: all benches are listed, all commands have help, only the solid world is refused."""

import json
import subprocess
import sys

import pytest

from core_only import PROJECT, blocked_modules, core_environment

pytestmark = pytest.mark.slow
BENCHES = sorted(PROJECT["entry-points"]["pixelproof.benches"])
COMMANDS = sorted(PROJECT["entry-points"]["pixelproof.commands"])
FLAT = [
    "pixelart --source pixelart-v2", "pixelart --source fresh", "pixelart --source published",
    "agent --source world", "agent --source agent-v1", "evalmi --source flat", "arena", "arena --task edges",
]  # fmt: skip
SOLID = [
    "agent --source solid", "arena --source world", "arena --source arena-v1", "arena --source collage",
    "evalmi --source world", "spatial --source world", "spatial --source spatial-v1",
]  # fmt: skip


@pytest.fixture(scope="module")
def core(tmp_path_factory):
    """Runs commands in one process of the core alone: exit code, stdout and stderr of each."""
    folder = tmp_path_factory.mktemp("core")
    environment = core_environment(folder)

    def call(*commands, cwd=folder):
        done = subprocess.run(
            [sys.executable, str(folder / "runner.py")],
            input=json.dumps([[str(word) for word in words] for words in commands]),
            env=environment,
            cwd=cwd,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    return call


def test_the_libraries_of_extras_are_blocked():
    assert {"numba", "embreex", "manifold3d", "mujoco", "isal", "onnxruntime", "cv2", "starlette"} <= blocked_modules()
    assert not {"numpy", "scipy", "PIL", "pyarrow", "click", "rich", "pygments"} & blocked_modules()


def test_every_bench_is_listed(core):
    (code, text, told), (_, listed, _) = core(["list"], ["list", "--json"])
    assert code == 0, told
    assert "cannot be loaded" not in text
    assert [bench["name"] for bench in json.loads(listed)["benches"]] == BENCHES and not json.loads(listed)["unloaded"]


def test_every_command_has_its_help(core):
    commands = [[], *([word, bench] for word in ("run", "items", "score") for bench in BENCHES)]
    commands += [[name] for name in (*COMMANDS, "run", "items", "score", "world", "report", "runs", "data", "tools")]
    for words, (code, text, told) in zip(commands, core(*([*words, "--help"] for words in commands)), strict=True):
        assert code == 0 and text.startswith("Usage:"), (words, told)
        assert "cannot be loaded" not in text, words


def test_items_without_the_solid_world_need_no_extra(core):
    for words, (code, text, told) in zip(
        FLAT, core(*(["items", *w.split(), "--limit", "1"] for w in FLAT)), strict=True
    ):
        assert code == 0 and "→" in text, (words, told)


def test_the_solid_world_names_its_extra_in_one_sentence(core):
    for words, (code, _, told) in zip(
        SOLID, core(*(["items", *w.split(), "--limit", "1"] for w in SOLID)), strict=True
    ):
        assert code == 3 and "run pip install 'pixelproof[world]'." in told and told.count("\n") == 1, (words, told)


@pytest.mark.parametrize("words", ["pixelart --source published", "agent --source world", "evalmi --source flat"])
def test_answers_are_scored_without_extras(core, tmp_path, words):
    ((_, text, _),) = core(["items", *words.split(), "--limit", "1", "--json"])
    item = json.loads(text)
    (tmp_path / "answers").mkdir()
    if item["wants"] == "image":
        from PIL import Image

        Image.new("RGB", (32, 32), "red").save(tmp_path / "answers" / f"{item['file']}.png")
    else:
        (tmp_path / "answers" / f"{item['file']}.txt").write_text("no")
    given = ["--answers", "answers", "--limit", "1", "--calibrate", "0", "--out", "run"]
    (code, _, told), shown = core(["score", *words.split(), *given], ["show", "run"], cwd=tmp_path)
    assert code in (0, 4), told  # 4: facts that nobody judged
    assert shown[0] == 0, shown
