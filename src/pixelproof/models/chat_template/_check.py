"""All checks of a model folder's chat template."""

from __future__ import annotations

from pathlib import Path

from pixelproof.tools.doctor import Finding, Status

from ._features import Loaded, check_features, load_processor
from ._folder import ModelFolder, read_folder
from ._probes import system, text, user, word
from ._rendering import Refused, Renderer, jinja_renderer, transformers_renderer
from ._text_checks import (
    Subject,
    check_calls,
    check_dropping,
    check_injection,
    check_prefix,
    check_special,
    check_tool_images,
    find_image_token,
)


def check_template(path: str | Path, use_transformers: bool = True) -> list[Finding]:
    """Check the chat template of a model folder for conversations with tools and images.

    Args:
        path: Folder in the format of Hugging Face: a chat template, and where available the files of the tokenizer and
            of the image processor.
        use_transformers: Whether to load the folder with transformers, where it is installed. Otherwise the template
            is rendered by Jinja alone, and checks that need the processor are `unknown`.

    Raises:
        PixelProofError: The folder has no usable chat template, or neither transformers nor Jinja is installed.
    """
    folder = read_folder(path)
    with jinja_renderer(folder) as render:  # also where transformers renders: it names the line of a mistake
        return _check(folder, render, use_transformers)


def _check(folder: ModelFolder, render: Renderer, use_transformers: bool) -> list[Finding]:
    loaded = load_processor(folder.path) if use_transformers else Loaded(reason="transformers was not used")
    if loaded.processor is not None:
        render = transformers_renderer(loaded.processor, loaded.version, render)
    about = Finding("template", Status.OK, f"{folder.source}, rendered by {render.by}.")
    if loaded.processor is None and loaded.version:
        message = f"{folder.source}, rendered by {render.by}: {loaded.reason}."
        about = Finding("template", Status.WARNING, message, "Run this where transformers loads the model.")
    with_system, about_system = _check_system(folder, render)
    token, images = find_image_token(folder, render)
    subject = Subject(folder, render, with_system, token)
    findings = [about, *about_system, images, check_calls(subject), check_tool_images(subject), check_prefix(subject)]
    if token:
        findings += [check_special(subject), check_injection(subject), check_dropping(subject)]
        findings += check_features(subject, loaded)
    return findings


def _check_system(folder: ModelFolder, render: Renderer) -> tuple[bool, list[Finding]]:
    """Whether conversations may begin with a system message, and the finding if they may not."""
    question = user(text(word("question")))
    try:
        if word("system") in render([system(), question]):
            return True, []
        problem = "The template drops the system message."
    except Refused as refused:
        problem = f"The template refuses a system message: {refused}."
    return False, [
        Finding("system", Status.WARNING, problem, "Put the system text at the beginning of the first question.")
    ]
