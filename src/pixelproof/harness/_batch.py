"""Many conversations advanced together, with one batched generation per turn: for training and for local models."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from pixelproof.contract import Answer, Bench, Item, PixelProofError, Prompt
from pixelproof.harness._conversation import Conversation
from pixelproof.models import as_reply, as_text, read_reply

Policy = Callable[[Sequence[Prompt]], Sequence[object]]
"""From prompts, each with the whole conversation so far, to their replies in the same order: text, or an `Answer`."""


@dataclass(frozen=True)
class Played:
    """A conversation that is over."""

    item: Item
    sample: int
    """Number of the conversation about this item, from 0."""
    answer: Answer
    """The final answer, which `Bench.score` measures; `tools.episodes.steps_of` reads calls of tools from its trace."""
    turns: tuple[tuple[Prompt, Answer], ...]
    """Each prompt as the policy received it, and its reply; the last prompt contains the whole conversation."""


class Game:
    """A conversation that is advanced by whoever has the policy."""

    def __init__(self, bench: Bench, item: Item, sample: int = 0, text: bool = False) -> None:
        """Begin it.

        Args:
            bench: The bench.
            item: Its item.
            sample: Number of the conversation about this item.
            text: Whether the policy reads and writes only text.

        Raises:
            PixelProofError: The item cannot be run here.
        """
        self._conversation, self._text = Conversation(bench, item), text
        self._item, self._sample = item, sample
        self._turns: list[tuple[Prompt, Answer]] = []
        self._prompt = self._conversation.begin()

    @property
    def over(self) -> bool:
        """Whether there is a final answer."""
        return self._prompt is None

    @property
    def prompt(self) -> Prompt:
        """What the policy receives next."""
        assert self._prompt is not None, "the conversation is over"
        return as_text(self._prompt) if self._text else self._prompt

    def proceed(self, value: object) -> None:
        """Process the policy's reply to the prompt: text, or an `Answer`."""
        assert self._prompt is not None, "the conversation is over"
        shown, reply = self.prompt, _reply(value, self._prompt)
        self._turns.append((shown, reply))
        self._prompt = self._conversation.proceed(read_reply(reply, self._prompt) if self._text else reply)

    @property
    def played(self) -> Played:
        """The conversation with its final answer, once it is over."""
        return Played(self._item, self._sample, self._conversation.exchange.answer, tuple(self._turns))


def play_batch(
    bench: Bench, items: Iterable[Item], policy: Policy, size: int = 64, samples: int = 1, text: bool = False
) -> Iterator[Played]:
    """Play the conversations of items, `size` at a time; all of them take a turn with one call of the policy.

    Conversations are those of `run`: the same prompts, tools and digests. They are yielded as they end, and the next
    ones take their place, so memory depends on `size` and not on the number of items.

    Args:
        bench: The bench.
        items: Its items, drawn as they are needed.
        policy: Replies to a batch of prompts. An instance of a subclass of `Answer` comes back in `Played.turns` with
            its additional fields, such as token ids and log-probabilities.
        size: Conversations in progress at once; the last batches are smaller.
        samples: Conversations about each item.
        text: Whether the policy reads and writes only text: it receives prompts without tools, which describe the text
            protocol, and its replies are parsed.

    Raises:
        PixelProofError: The set-up is wrong, or the policy returns something else than a reply for each prompt.
    """
    if size < 1 or samples < 1:
        raise PixelProofError(f"size and samples must be 1 or more, not {size} and {samples}.")
    waiting = ((item, sample) for item in items for sample in range(samples))
    games: list[Game] = []
    while True:
        while len(games) < size and (following := next(waiting, None)) is not None:
            game = Game(bench, *following, text)
            if game.over:  # it could not begin
                yield game.played
            else:
                games.append(game)
        if not games:
            return
        prompts = [game.prompt for game in games]
        for game, reply in zip(games, _replies(policy, prompts), strict=True):
            game.proceed(reply)
        yield from (game.played for game in games if game.over)
        games = [game for game in games if not game.over]


def _replies(policy: Policy, prompts: Sequence[Prompt]) -> Sequence[object]:
    replies = policy(prompts)
    if isinstance(replies, str | bytes | Answer) or not isinstance(replies, Sequence):
        raise PixelProofError(f"The policy returned {type(replies).__name__}: return a list with a reply per prompt.")
    if len(replies) != len(prompts):
        raise PixelProofError(
            f"The policy returned {len(replies)} replies to {len(prompts)} prompts: return one for each, in order."
        )
    return replies


def _reply(value: object, prompt: Prompt) -> Answer:
    try:
        return as_reply(value, prompt)
    except (TypeError, ValueError, OSError) as error:
        raise PixelProofError(f"A reply of the policy cannot be used: {error}.") from error
