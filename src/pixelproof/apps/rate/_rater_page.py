"""The page on which a rater works. What it shows of items comes by `rate.js`; the rest is here."""

from __future__ import annotations

from pixelproof.web import Html, Page, finished_section, fragment, judging_page, tag
from pixelproof.web.server import file_url

from ._study import Example, Question, Study

KEYS = {
    "scale": "Keys 1 to 5 answer.",
    "yesno": "Keys Y and N answer.",
    "pair": "The left and right arrow keys choose, the down arrow key means neither.",
}


def rater_page(study: Study) -> Page:
    """The page, for any rater."""
    rating = tag(
        "section",
        tag("p", id="prompt", dir="auto", hidden=True),
        tag("div", id="stage"),
        tag(
            "div", tag("p", id="question", dir="auto", aria_live="polite"), tag("div", id="answers"), class_="rate-ask"
        ),
        id="rating",
        hidden=True,
    )
    return judging_page(study.title, [_training(study), rating, finished_section("Thank you")], __package__, "rate")


def _training(study: Study) -> Html:
    kinds = dict.fromkeys(question.kind for question in study.questions)
    keys = " ".join(KEYS[kind] for kind in kinds)
    return tag(
        "section",
        tag("h1", study.title),
        [tag("p", text, dir="auto") for text in study.training],
        tag("h2", "What you are asked"),
        tag("ul", [tag("li", _described(question), dir="auto") for question in study.questions]),
        _examples(study) if study.examples else None,
        tag("h2", "How it works"),
        tag(
            "p",
            f"{keys} Backspace, or Undo, takes back the last answer; once you have answered the next question, the "
            "one before is final. Every answer is stored at once: you can stop at any time, and go on later with the "
            "same link.",
        ),
        tag("button", "Start", type="button", id="start", class_="rate-start"),
        id="training",
        hidden=True,
    )


def _described(question: Question) -> Html:
    levels = [f"{number} {label}" for number, label in enumerate(question.labels, start=1)]
    text = question.text or "A question about the image: yes or no?"
    return fragment(text, tag("small", ", ".join(levels), class_="setting") if levels else None)


def _examples(study: Study) -> Html:
    texts = {question.id: question.text for question in study.questions}
    return fragment(
        tag("h2", "Examples"),
        tag("div", [_example(example, texts) for example in study.examples], class_="rate-examples"),
    )


def _example(example: Example, texts: dict[str, str]) -> Html:
    question = texts[example.question] or example.image.texts.get(example.question, "")
    return tag(
        "figure",
        tag("img", src=file_url(example.image.key), alt="Example", loading="lazy"),
        tag(
            "figcaption",
            tag("p", example.image.prompt, class_="rate-text", dir="auto") if example.image.prompt else None,
            tag("p", question, dir="auto"),
            tag("p", tag("strong", example.answer), f" {example.why}" if example.why else None, dir="auto"),
        ),
    )
