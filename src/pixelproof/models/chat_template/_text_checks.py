"""Checks of the text that a template renders."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from os.path import commonprefix
from typing import Any

from pixelproof.tools.doctor import Finding, Status

from ._folder import ModelFolder
from ._probes import (
    IMAGE,
    TOOL,
    Thoughts,
    call,
    episode,
    images_in,
    result,
    system,
    text,
    user,
    word,
)
from ._rendering import Refused, Renderer

STEPS = 8
"""Tool steps of the longest episode that is tried."""
_SPECIAL = re.compile(r"<\|[^<>|\s]+\|>|<[^<>\s]+>|\[[A-Z_]+\]")
_MOVE_RESULTS = "send results of tools as user messages, as the text protocol of PixelProof does"
_SHOWN = 60


@dataclass(frozen=True)
class Subject:
    """What is checked."""

    folder: ModelFolder
    render: Renderer
    with_system: bool = True
    image_token: str = ""
    """Text that stands for one image; empty if the template writes none."""

    def count(self, messages: Sequence[Mapping[str, Any]]) -> int:
        """Number of image tokens in the text of a conversation."""
        return self.render(messages, [TOOL]).count(self.image_token)


def between(rendered: str, first: str, last: str) -> str | None:
    """The text between two words; None where one is missing or the order is another."""
    start = rendered.find(first)
    end = rendered.find(last, start)
    return None if start < 0 or end < 0 else rendered[start + len(first) : end]


def find_image_token(folder: ModelFolder, render: Renderer) -> tuple[str, Finding]:
    """The text that stands for an image in a user's message, and the finding about it."""
    try:
        rendered = render([user(text(word("a")), IMAGE, text(word("b")))])
    except Refused as refused:
        return "", Finding(
            "images",
            Status.PROBLEM,
            f"The template refuses a user's message with an image: {refused}.",
            "Take the template of a vision model: this one is for text.",
        )
    piece = between(rendered, word("a"), word("b"))
    if piece is None or "'type'" in rendered:
        return "", Finding(
            "images",
            Status.PROBLEM,
            "The template prints the parts of a message as a Python list: a model reads brackets and quotation marks, "
            "and no image.",
            "Take the template of a vision model: it must loop over the parts of a message.",
            _cut(rendered),
        )
    token = folder.image_token if folder.image_token and folder.image_token in piece else _likely_token(piece)
    if not token:
        return "", Finding(
            "images",
            Status.PROBLEM,
            "The template writes nothing for an image in a user's message.",
            "Take the template of a vision model: this one drops images without an error.",
            _cut(rendered),
        )
    if piece.count(token) != 1:
        return token, Finding(
            "images",
            Status.PROBLEM,
            f"One image becomes {piece.count(token)} image tokens ({token}) in the text.",
            "Processors expand one token per image: the template must write one.",
            piece,
        )
    return token, Finding("images", Status.OK, f"An image in a user's message becomes {token}.", excerpt=piece)


def _likely_token(piece: str) -> str:
    """The special token of a piece of text that most likely stands for the image."""
    tokens = _SPECIAL.findall(piece)
    named = [token for token in tokens if re.search(r"im(age|g)", token, re.IGNORECASE)]
    pads = [token for token in named if not re.search(r"start|end|begin|boi|eoi", token, re.IGNORECASE)]
    return next(iter(pads or named or tokens), "") or piece.strip()


def check_calls(subject: Subject) -> Finding:
    """Whether a call of a tool, its arguments and the list of tools reach the text."""
    name = "calls"
    messages = [*_begin(subject), call(0)]
    try:
        rendered = subject.render(messages, [TOOL])
        without = subject.render(_begin(subject))
    except Refused as refused:
        return Finding(
            name,
            Status.PROBLEM,
            f"The template refuses a message that calls a tool: {refused}.",
            "Use a model with tool calling, or one of PixelProof's text protocol.",
        )
    end = rendered.rfind(word("thought"))
    tail = rendered[end if end >= 0 else 0 :]
    arguments = call(0)["tool_calls"][0]["function"]["arguments"]
    if "ZOOM" not in tail:
        return Finding(
            name,
            Status.PROBLEM,
            "The template drops calls: nothing of 'tool_calls' is in the text.",
            "Training on such text teaches a model to stop before the call. Write the call into the content of the "
            "message, or take a template with tool calling.",
            _cut(tail),
        )
    if not any(value == arguments for value in _objects(tail)):
        return Finding(
            name,
            Status.PROBLEM,
            "The arguments of a call are in the text, but not as the JSON object that was given.",
            "Compare the excerpt: quotation marks of Python, escaped letters, or JSON within a string. Use the filter "
            "tojson on the arguments.",
            _cut(tail, 160),
        )
    if "ZOOM" not in subject.render(_begin(subject), [TOOL]).replace(without, ""):
        return Finding(
            name,
            Status.WARNING,
            "Calls are rendered, but the list of tools is not: the model is not told what it may call.",
            "Describe the tools in the system text.",
        )
    return Finding(name, Status.OK, "Calls, their arguments and the list of tools are in the text.")


def _objects(rendered: str) -> Iterator[Any]:
    """All JSON objects in a text, outer and inner ones."""
    decoder = json.JSONDecoder()
    for match in re.finditer(r"\{", rendered):
        try:
            yield decoder.raw_decode(rendered, match.start())[0]
        except ValueError:
            continue


def check_tool_images(subject: Subject) -> Finding:
    """Whether images in results of tools become image tokens, in their place."""
    name = "tool-images"
    try:
        rendered = subject.render([*_begin(subject), call(0), result(0)], [TOOL])
    except Refused as refused:
        return Finding(
            name,
            Status.PROBLEM,
            f"The template refuses a result of a tool that has an image: {refused}.",
            f"Results with images cannot be sent in the role 'tool': {_MOVE_RESULTS}.",
        )
    piece = between(rendered, word("before"), word("after"))
    if piece is None:
        lost = [w for w in (word("before"), word("after")) if w not in rendered]
        said = "drops the text of a result of a tool" if lost else "changes the order of text and image in a result"
        return Finding(
            name,
            Status.PROBLEM,
            f"The template {said}.",
            f"Correct the template, or {_MOVE_RESULTS}.",
            _cut(rendered[-400:], 160),
        )
    if "'type'" in piece:
        return Finding(
            name,
            Status.PROBLEM,
            "The template prints the parts of a result as a Python list; the image is lost.",
            f"Correct the template so that it loops over the parts of tool messages, or {_MOVE_RESULTS}.",
            _cut(piece),
        )
    if not subject.image_token or subject.image_token not in piece:
        return Finding(
            name,
            Status.PROBLEM,
            "The template drops images in results of tools without an error: the model never receives what it asked "
            "for, or its processor stops with 'image features and image tokens do not match'.",
            f"Correct the template so that it treats parts of tool messages as those of users, or {_MOVE_RESULTS}.",
            _cut(rendered[-400:], 160),
        )
    for steps in (1, 2, STEPS):
        messages = episode(steps, with_system=subject.with_system)
        try:
            tokens = subject.count(messages)
        except Refused as refused:
            return Finding(
                name,
                Status.PROBLEM,
                f"The template refuses an episode of {steps} steps: {refused}.",
                f"Correct the template, or {_MOVE_RESULTS}.",
            )
        if tokens != images_in(messages):
            return Finding(
                name,
                Status.PROBLEM,
                f"An episode with {images_in(messages)} images has {tokens} image tokens after {steps} steps.",
                "Correct the template: processors need one image token for each image.",
            )
    return Finding(
        name,
        Status.OK,
        f"Images in results of tools become {subject.image_token}; counts are equal after 1, 2 and {STEPS} steps.",
    )


def check_prefix(subject: Subject) -> Finding:
    """Whether a longer conversation begins with the text of a shorter one.

    Rollouts append tokens to what was sent; training renders the whole conversation. Both are the same only if the
    template never changes what it has written.
    """
    name = "prefix"
    warning = None
    for thoughts in ("plain", "tags"):
        try:
            broken = list(_broken_prefixes(subject, thoughts))
        except Refused as refused:
            return Finding(
                name,
                Status.PROBLEM,
                f"The template refuses an episode with two calls: {refused}.",
                f"Correct the template, or {_MOVE_RESULTS}.",
            )
        for place, before, after in broken:
            if place != "second question":
                return Finding(
                    name,
                    Status.PROBLEM,
                    f"The template is not prefix-preserving: {_PLACES[place]}.",
                    "Tokens that were sampled in a rollout are then not those that training sees. Correct the template "
                    "so that earlier messages never depend on later ones (for instance, keep thoughts in all messages, "
                    "and write no empty thought only for the last one).",
                    _difference(before, after),
                )
            warning = Finding(
                name,
                Status.WARNING,
                f"Within a question the template is prefix-preserving, but {_PLACES[place]}.",
                "Keep each training sample to one question, or keep thoughts in all messages.",
                _difference(before, after),
            )
    return warning or Finding(
        name,
        Status.OK,
        "The text of a conversation begins with the text of every shorter one, and with what a model "
        "was asked to continue.",
    )


_PLACES = {
    "result": "adding the result of a tool changes the text before it",
    "reply": "adding the model's next message changes the text before it",
    "prompt": "the beginning of a reply that a model is asked to continue is not what stands before its reply later",
    "second question": "a second question changes the text before it (usually thoughts of earlier replies are removed)",
}


def _broken_prefixes(subject: Subject, thoughts: Thoughts) -> Iterator[tuple[str, str, str]]:
    """What was added, and the texts before and after, wherever the one does not begin with the other."""
    messages = episode(2, thoughts, subject.with_system)
    first = 2 if subject.with_system else 1
    question = len(messages) - 2
    for number in range(first, len(messages)):
        before = subject.render(messages[:number], [TOOL])
        after = subject.render(messages[: number + 1], [TOOL])
        if not after.startswith(before):
            role = messages[number]["role"]
            yield ("second question" if number >= question else "result" if role == "tool" else "reply"), before, after
        if messages[number]["role"] == "assistant" and number < question:
            prompt = subject.render(messages[:number], [TOOL], generation=True)
            if not after.startswith(prompt):
                yield "prompt", prompt, after


def check_injection(subject: Subject) -> Finding:
    """Whether text that reads like an image token is counted as an image."""
    name = "text-tokens"
    token = subject.image_token
    try:
        rendered = subject.count([*_begin(subject), call(0), result(0, [text(f"{word('ocr')} {token}"), IMAGE])])
    except Refused as refused:
        return Finding(name, Status.UNKNOWN, f"The template refuses text with {token}: {refused}.")
    if rendered == 2:
        return Finding(name, Status.OK, f"Text that contains {token} is not counted as an image.")
    return Finding(
        name,
        Status.WARNING,
        f"Text that contains {token}, such as text that OCR reads from a picture, is counted as one more image.",
        f"Remove {token} from texts of users and tools before you render them (transformers does so with "
        "sanitize_control_tokens=True, where it has this option).",
    )


def check_dropping(subject: Subject) -> Finding:
    """Whether a conversation stays whole if its oldest steps are dropped."""
    name = "truncation"
    messages = episode(4, with_system=subject.with_system)
    start = 2 if subject.with_system else 1
    kept = [*messages[:start], *messages[start + 4 :]]
    try:
        tokens = subject.count(kept)
    except Refused as refused:
        return Finding(
            name,
            Status.PROBLEM,
            f"The template refuses a conversation whose oldest steps were dropped: {refused}.",
            "Shorten conversations by starting again, not by dropping steps.",
        )
    if tokens != images_in(kept):
        return Finding(
            name,
            Status.PROBLEM,
            f"After the oldest two steps are dropped, {images_in(kept)} images have {tokens} image tokens.",
            "Correct the template.",
        )
    try:
        orphan = subject.count([*messages[:start], *messages[start + 1 :]])
        accepts = f"A result without its call is accepted, with {orphan} image tokens: nothing warns of it. "
    except Refused:
        accepts = "A result without its call is refused. "
    return Finding(
        name,
        Status.OK,
        "Whole steps can be dropped: image tokens and images stay equal.",
        f"{accepts}Drop a call together with its result, and never cut tokens: a cut within an image leaves image "
        "tokens without features.",
    )


def check_special(subject: Subject) -> Finding:
    """Whether the image token is one token of the tokenizer."""
    token, special = subject.image_token, subject.folder.special
    if not special:
        return Finding("image-token", Status.UNKNOWN, "The folder has no list of special tokens (tokenizer.json).")
    if token not in special:
        return Finding(
            "image-token",
            Status.PROBLEM,
            f"{token} is no special token of the tokenizer: it is encoded as several "
            "tokens of text, and no image is put in its place.",
            "Add it to the tokenizer, or correct the template: both must come from the same model.",
        )
    named = subject.folder.image_token
    if named and named != token:
        return Finding(
            "image-token",
            Status.PROBLEM,
            f"The template writes {token}, but the processor replaces {named}.",
            "Take template and processor from the same model.",
        )
    return Finding("image-token", Status.OK, f"{token} is a special token of the tokenizer.")


def _begin(subject: Subject) -> list[dict[str, Any]]:
    return [*([system()] if subject.with_system else []), user(IMAGE, text(word("question")))]


def _difference(before: str, after: str) -> str:
    """Both texts from just before the first difference."""
    place = max(0, len(commonprefix([before, after])) - 20)
    return f"…{_cut(before[place:])!r}\n…{_cut(after[place:])!r}"


def _cut(rendered: str, longest: int = _SHOWN * 2) -> str:
    return rendered if len(rendered) <= longest else rendered[:longest] + "…"
