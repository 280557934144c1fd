"""Content is hashed under declared names: renaming a class or a field changes no digest, seed or cached floor."""

from contextlib import contextmanager
from dataclasses import dataclass, field, fields, is_dataclass
from typing import ClassVar

from pixelproof.benches.agent.outside import VisualQuestion
from pixelproof.benches.arena import Case
from pixelproof.benches.evalmi import EvalMi
from pixelproof.benches.spatial.understanding import Question
from pixelproof.contract import Artefact, Call, Prompt, Source, Tool, Turn
from pixelproof.pixels import Palette
from pixelproof.store import digest
from pixelproof.world.edits import Edit
from pixelproof.world.language import Claim
from pixelproof.world.pairs import Pair
from pixelproof.world.solid import Camera, Environment, Light, Scene, Thing


@dataclass(frozen=True)
class Before:
    x: int = 1


@dataclass(frozen=True)
class After:
    content_name: ClassVar[str] = "Before"

    left: int = field(default=1, metadata={"content_name": "x"})
    added: str = field(default="", metadata={"later": True})


class Heir(After):
    pass


def test_a_renamed_class_with_renamed_and_later_fields_has_the_digest_of_before():
    assert digest(After()) == digest(After(1, "")) == digest(Before())
    assert len({digest(After()), digest(After(2)), digest(After(1, "new")), digest(After(1, "other"))}) == 4
    assert digest(Heir()) != digest(After()), "a declared name is not inherited"


DIGESTS = {
    "Artefact": "bac3a0a0f1a7a700",
    "Call": "0741a23df61f922e",
    "Camera": "9c284ba20695c707",
    "Case": "2a8b796bd5de6dd1",
    "Claim": "a8d0a2cf16931741",
    "Edit": "33342281afb32b42",
    "Environment": "7c387a642988a6a1",
    "Fact": "827e5ec434f496a5",
    "Light": "67dc88d09fa49374",
    "Pair": "aacfce03c8d35b61",
    "Palette": "44fb60a165067df6",
    "Prompt": "eba007385122f0cd",
    "Question": "6b0850c2073f10a4",
    "Scene": "488327460ad32492",
    "SceneRef": "f38b6cc1f27e808a",
    "Thing": "d894ab3e18e384fa",
    "Tool": "6172fc3386f749ad",
    "Turn": "c89c6b5cb2325da2",
    "VisualQuestion": "e39f67c001959fd7",
}


def make_content():
    """One object of each class whose digest decides about items, cached floors, judgements or draws of a control."""
    call = Call("c1", "ZOOM", {"box": [0, 0, 5, 5]})
    palette = Palette(("a", "b"), ((0, 0, 0), (1, 2, 3)))
    thing = Thing("mug-1", "mug", "red", "ceramic", (0.1, 0.1, 0.1), (0.0, 0.0, 0.05))
    camera, light = Camera((0.0, -1.0, 0.5), (1.0, 0.0, 0.0, 0.0)), Light((0.0, 0.0, 2.0), 0.1, (3.0, 3.0, 3.0))
    scene = Scene("tabletop", 1, 2, (thing,), camera, (light,))
    edit = Edit("move", "mug-1", way="left", amount=0.1)
    item = next(EvalMi().items(Source("flat"), 0, 1))
    objects = (
        Artefact(b"abc", "image/jpeg"),
        call,
        camera,
        Case("folder", "a", palette, "abc", {"x": 1}),
        Claim("mug", 2, relation="on", others=(Claim("table"),)),
        edit,
        Environment(),
        item.inputs["facts"][0],
        light,
        Pair("move", scene, scene, (edit,), "Move the mug."),
        palette,
        Prompt(("Say a.", Artefact(b"abc")), tools=(Tool("ZOOM", "Zoom.", {}),), data={"x": 1}),
        Question("count", "choice", "How many?", "2", ("1", "2")),
        scene,
        item.truth,
        thing,
        Tool("ZOOM", "Zoom.", {"type": "object"}),
        Turn("tool", ("text",), call=call),
        VisualQuestion("What?", "a.png", ("red",)),
    )
    return dict(zip(DIGESTS, objects, strict=True))


def test_the_digest_of_each_class_never_changes():
    assert {name: digest(value)[:16] for name, value in make_content().items()} == DIGESTS


def classes_in(content):
    """The dataclasses in some content."""
    if is_dataclass(content):
        yield type(content)
        content = {part.name: getattr(content, part.name) for part in fields(content) if part.compare}
    if isinstance(content, dict):
        content = list(content.values())
    if isinstance(content, list | tuple):
        for part in content:
            yield from classes_in(part)


@contextmanager
def renamed(kinds):
    """Other names for classes of the package."""
    names = {kind: (kind.__name__, kind.__qualname__) for kind in kinds}
    try:
        for kind in names:
            kind.__name__ = kind.__qualname__ = f"Renamed{kind.__name__}"
        yield
    finally:
        for kind, (name, qualified) in names.items():
            kind.__name__, kind.__qualname__ = name, qualified


def test_renaming_classes_changes_no_digest():
    content = make_content()
    kinds = set(classes_in(content))
    assert {kind.content_name for kind in kinds} >= set(DIGESTS)
    with renamed(kinds):
        assert {type(value).__name__ for value in content.values()} == {f"Renamed{name}" for name in DIGESTS}
        assert {name: digest(value)[:16] for name, value in content.items()} == DIGESTS
