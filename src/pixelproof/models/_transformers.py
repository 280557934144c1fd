"""`transformers/DIR`: a local language model, or one that also reads images, in the format of Hugging Face."""

from __future__ import annotations

import hashlib
import json
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from PIL import Image

from pixelproof.contract import Answer, Artefact, Failure, Fault, Item, PixelProofError, Prompt, Tool, Turn, Usage
from pixelproof.options import Decoding
from pixelproof.pixels import ImageError, read_image
from pixelproof.stats import derive_seed
from pixelproof.store import import_extra

from ._batcher import Batcher
from ._conversation import merge_user_turns, move_images, text_of, turns_of
from ._parameters import Parameter, one_of, split_parameters
from ._pipelines import one_line
from ._text_protocol import as_text, read_reply, uses_tools

BATCH = 4
"""Default batch size."""
MAX_TOKENS = 4096
"""Token limit of a reply where neither the settings nor the prompt have one."""
_PARAMETERS = {
    "batch": Parameter(r"[1-9]\d{0,3}", "a whole number from 1 to 9999"),
    "device": Parameter(r"cpu|mps|cuda(:\d+)?", "one of cpu, cuda, cuda:1, …, mps"),
    "dtype": one_of("float32", "float16", "bfloat16"),
}
_EXTRA = "train"
_PROBE = "probe_of_the_template"

Json = Any
"""A JSON value."""
Tensor = Any
Tensors = dict[str, Tensor]
"""Inputs of the model by name."""
Message = dict[str, Json]
Job = tuple[Prompt, int]


class TransformersModel:
    """Generates replies with a model that is saved in a directory; nothing is downloaded, and no code of it executed.

    A directory with `adapter_config.json` is a LoRA adapter; the base that it names must be a directory, too.
    """

    answers_items = False
    spreads = False

    def __init__(self, name: str, spelling: str, decoding: Decoding) -> None:
        self.name = name
        self._decoding = decoding
        directory, self._parameters = split_parameters(name, spelling, _PARAMETERS)
        self._path = Path(directory).expanduser()
        self._base = self._base_directory()
        self._torch = import_extra("torch", _EXTRA, name)
        self._library = import_extra("transformers", _EXTRA, name)
        cuda = self._torch.cuda.is_available()
        self._device = self._parameters.get("device") or ("cuda" if cuda else "cpu")
        self._dtype = self._parameters.get("dtype") or ("float32" if self._device == "cpu" else "bfloat16")
        if self._device == "cpu":
            self._torch.set_num_threads(decoding.threads)
        self._load()
        self._lock = threading.Lock()
        self.connections = int(self._parameters.get("batch", BATCH))
        self._batcher: Batcher[Job, Answer] = Batcher(self._work, lambda job: None, self.connections)

    def answer(self, prompt: Prompt, item: Item, sample: int, seed: int) -> Answer:
        """Generate a reply, in a batch with those that other threads ask for at the same time."""
        return self._batcher((prompt, derive_seed(seed, f"transformers/{item.id}", sample)))

    def answer_many(self, prompts: Sequence[Prompt], seeds: Sequence[int]) -> list[Answer]:
        """Generate a reply for each prompt.

        Prompts without images are generated side by side; each has a seed of its own.
        """
        answers: dict[int, Answer] = {}
        with self._lock:
            requests = [(prompt, self._encode([prompt])) for prompt in prompts]
            alone = [n for n, (_, inputs) in enumerate(requests) if "pixel_values" in inputs]
            text = [n for n in range(len(prompts)) if n not in alone]
            for chosen in [*([n] for n in alone), *([text] if text else [])]:
                inputs = requests[chosen[0]][1] if len(chosen) == 1 else self._encode([prompts[n] for n in chosen])
                group = [prompts[n] for n in chosen]
                answers |= dict(zip(chosen, self._generate(group, inputs, [seeds[n] for n in chosen]), strict=True))
        return [answers[n] for n in range(len(prompts))]

    def log_probs(self, prompt: Prompt, replies: Sequence[str]) -> list[list[float]]:
        """Log probability of each token of some replies to a prompt, given the tokens before it."""
        torch = self._torch
        with self._lock, torch.inference_mode():
            inputs = self._encode([prompt])
            before = inputs.pop("input_ids")
            scores = []
            for reply in replies:
                tokens = self._tokenizer(reply, add_special_tokens=False, return_tensors="pt").input_ids.to(
                    self._device
                )
                whole = torch.cat([before, tokens.to(before.dtype)], 1)
                more = {key: _lengthen(torch, key, value, tokens.shape[1]) for key, value in inputs.items()}
                logits = self._model(input_ids=whole, **more).logits[0, before.shape[1] - 1 : -1].float()
                chosen = logits.log_softmax(-1).gather(-1, tokens[0][:, None])[:, 0]
                scores.append([float(value) for value in chosen])
        return scores

    def card(self) -> Mapping[str, Json]:
        """The weights, the runtime and all settings that affect a reply."""
        images = getattr(self._processor, "image_processor", None)
        return {
            "kind": "transformers",
            "directory": self._path.name,
            "sha256": self._sha256,
            "architecture": type(self._model).__name__,
            "base": None if self._base == self._path else self._base.name,
            "images": None if images is None else type(images).__name__,
            "tools": "template" if self._template_has_tools else "text",
            "runtime": f"transformers {self._library.__version__}, torch {self._torch.__version__}",
            "device": self._device,
            "dtype": self._dtype,
            "temperature": self._temperature,
            "max_tokens": self._decoding.max_tokens,
            "threads": self._decoding.threads,
            "batch": self.connections,
        }

    def close(self) -> None:
        """Finish the submitted requests and unload the weights; further calls have no effect."""
        self._batcher.close()
        vars(self).pop("_model", None)

    def _base_directory(self) -> Path:
        """The directory of the weights: this one, or the base of an adapter."""
        adapter = self._path / "adapter_config.json"
        try:
            named = json.loads(adapter.read_text("utf-8"))["base_model_name_or_path"] if adapter.is_file() else "."
            base = self._path / Path(named).expanduser()
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise PixelProofError(f"{adapter} cannot be read ({error!r}): save the adapter again with peft.") from error
        if not (base / "config.json").is_file():
            raise PixelProofError(f"{base} is not a model of transformers: give a directory with a config.json.")
        return base

    def _load(self) -> None:
        """Read tokenizer or processor and weights.

        Raises:
            PixelProofError: They cannot be loaded; the message quotes the reason.
        """
        library, local = self._library, {"local_files_only": True, "trust_remote_code": False}
        library.utils.logging.disable_progress_bar()
        try:
            config = library.AutoConfig.from_pretrained(self._base, **local)
            if hasattr(config, "vision_config"):
                # The other back end resizes differently: the same image would have other pixels where it is installed.
                self._processor = library.AutoProcessor.from_pretrained(self._base, backend="pil", **local)
                self._tokenizer, kind = self._processor.tokenizer, library.AutoModelForImageTextToText
            else:
                self._tokenizer = library.AutoTokenizer.from_pretrained(self._base, **local)
                self._processor, kind = self._tokenizer, library.AutoModelForCausalLM
            model = kind.from_pretrained(
                self._base, dtype=getattr(self._torch, self._dtype), use_safetensors=True, **local
            )
            if self._base != self._path:
                peft = import_extra("peft", _EXTRA, self.name)
                model = peft.PeftModel.from_pretrained(model, self._path).merge_and_unload()
        except PixelProofError:
            raise
        except Exception as error:  # models raise exceptions of nearly every type
            message = f"{self.name} cannot be loaded ({one_line(error)}): check the files and the installed versions."
            raise PixelProofError(message) from error
        if not getattr(self._processor, "chat_template", None):
            raise PixelProofError(f"{self._base} has no chat template: give an instruction-tuned model.")
        self._tokenizer.padding_side = "left"
        self._tokenizer.pad_token = self._tokenizer.pad_token or self._tokenizer.eos_token
        self._context = getattr(config.get_text_config(), "max_position_embeddings", None) or 1 << 20
        self._model = model.to(self._device).eval()

    @property
    def _temperature(self) -> float:
        return self._decoding.temperature or 0.0

    @cached_property
    def _template_has_tools(self) -> bool:
        """Whether the chat template shows tools to the model; if not, the text protocol does."""
        tool = {"type": "function", "function": {"name": _PROBE, "description": "", "parameters": {"type": "object"}}}
        messages = [self._message(Turn("user", ("hello",)))]
        try:
            return _PROBE in self._processor.apply_chat_template(messages, tools=[tool], tokenize=False)
        except Exception:  # templates are programs; one that fails on tools has none
            return False

    @cached_property
    def _sha256(self) -> str:
        """Hash of all files of the directory, and of the base's, with their names."""
        total = hashlib.sha256()
        for folder in dict.fromkeys((self._path, self._base)):
            for path in sorted(path for path in folder.iterdir() if path.is_file()):
                with path.open("rb") as file:
                    total.update(f"{path.name}\0".encode())
                    total.update(hashlib.file_digest(file, "sha256").digest())
        return total.hexdigest()

    def _work(self, jobs: Sequence[Job]) -> list[Answer]:
        return self.answer_many([prompt for prompt, _ in jobs], [seed for _, seed in jobs])

    def _encode(self, prompts: Sequence[Prompt]) -> Tensors:
        """Tensors of some prompts by the chat template; prompts with images come one at a time."""
        texts, images = [], list[Image.Image]()
        for prompt in prompts:
            native = uses_tools(prompt) and self._template_has_tools
            plain = prompt if native else as_text(prompt)
            turns = merge_user_turns(move_images(turns_of(plain), ("tool", "model")))
            images += [_read(part) for turn in turns for part in turn.parts if isinstance(part, Artefact)]
            tools = [_describe(tool) for tool in plain.tools] if native else None
            texts.append(self._render(plain.system, turns, tools))
        if prompts[0].wants != "text" or (images and self._processor is self._tokenizer):
            raise PixelProofError(
                f"{self.name} reads {'text' if self._processor is self._tokenizer else 'images and text'} and writes "
                "text only: choose another model, or another bench."
            )
        pixels = {"images": images} if images else {}
        encoded = self._processor(
            text=texts, padding=len(texts) > 1, return_tensors="pt", add_special_tokens=False, **pixels
        )
        return dict(encoded.to(self._device))

    def _render(self, system: str, turns: Sequence[Turn], tools: Sequence[Message] | None) -> str:
        """A conversation as the text that the chat template makes of it."""
        messages = [{"role": "system", "content": self._content((system,))}] if system else []
        messages += [self._message(turn) for turn in turns]
        more = {"tools": tools} if tools else {}
        try:
            rendered = self._processor.apply_chat_template(messages, tokenize=False, add_generation_prompt=True, **more)
        except Exception as error:  # templates are programs
            message = f"The chat template of {self._base} does not accept this prompt: {one_line(error)}."
            raise PixelProofError(message) from error
        return str(rendered)

    def _message(self, turn: Turn) -> Message:
        role = {"user": "user", "model": "assistant", "tool": "tool"}[turn.role]
        message: Message = {"role": role, "content": self._content(turn.parts)}
        if turn.calls:
            message["tool_calls"] = [
                {"type": "function", "function": {"name": call.tool, "arguments": call.arguments}}
                for call in turn.calls
            ]
        if turn.call:
            message["name"] = turn.call.tool
        return message

    def _content(self, parts: Sequence[str | Artefact]) -> object:
        """Parts as a template expects them: one text, or a list where the model reads images."""
        if self._processor is self._tokenizer:
            return text_of(Turn("user", tuple(parts)))
        return [{"type": "text", "text": part} if isinstance(part, str) else {"type": "image"} for part in parts]

    def _generate(self, prompts: Sequence[Prompt], inputs: Tensors, seeds: Sequence[int]) -> list[Answer]:
        """Replies to encoded prompts of one batch."""
        began = time.perf_counter()
        length = inputs["input_ids"].shape[1]
        limits = [self._decoding.max_tokens or prompt.max_tokens or MAX_TOKENS for prompt in prompts]
        longest = min(max(limits), self._context - length)
        if longest < 1:
            detail = f"the prompt has {1 - longest} tokens too many"
            return [Answer(failure=Failure(Fault.MODEL, "prompt-too-long", detail), usage=Usage(cost=0.0))] * len(
                prompts
            )
        with self._torch.inference_mode():
            output = self._model.generate(
                **inputs,
                max_new_tokens=longest,
                do_sample=False,
                logits_processor=[self._sampler(seeds)] if self._temperature else [],
                pad_token_id=self._tokenizer.pad_token_id,
                output_logits=True,
                return_dict_in_generate=True,
            )
        seconds = (time.perf_counter() - began) / len(prompts)
        answers = []
        for row, (prompt, limit) in enumerate(zip(prompts, limits, strict=True)):
            tokens = output.sequences[row, length:][: min(limit, longest)].tolist()
            ends = [place for place, token in enumerate(tokens) if token in self._stops]
            written = tokens[: ends[0]] if ends else tokens
            usage = Usage(int(inputs["attention_mask"][row].sum()), len(written), cost=0.0, seconds=seconds)
            text = self._tokenizer.decode(written, skip_special_tokens=not uses_tools(prompt))
            candidates = tuple(self._candidates(step[row], prompt.logprobs) for step in output.logits[: len(written)])
            stop = "stop" if ends else "length"
            answer = Answer(text, usage=usage, stop=stop, logprobs=candidates if prompt.logprobs else ())
            answers.append(read_reply(answer, prompt))
        return answers

    def _sampler(self, seeds: Sequence[int]) -> Callable[[Any, Any], Any]:
        """A logits processor whose largest value is a sample at the temperature: Gumbel noise from a seed per row."""
        torch = self._torch
        generators = [torch.Generator().manual_seed(seed) for seed in seeds]

        def add_noise(tokens: Any, logits: Any) -> Any:
            noise = [torch.empty(logits.shape[1]).exponential_(generator=generator).log() for generator in generators]
            return logits.float() / self._temperature - torch.stack(noise).to(logits.device)

        return add_noise

    @cached_property
    def _stops(self) -> set[int]:
        """Tokens that end a reply."""
        ends = self._model.generation_config.eos_token_id
        return {self._tokenizer.eos_token_id, *(ends if isinstance(ends, list) else [ends])} - {None}

    def _candidates(self, logits: Any, count: int) -> Mapping[str, float]:
        """The likeliest tokens at a place of the reply, with their log probabilities before temperature."""
        values, tokens = logits.float().log_softmax(-1).topk(count)
        texts = [self._tokenizer.decode([token]) for token in tokens.tolist()]
        return {text: value for text, value in reversed(list(zip(texts, values.tolist(), strict=True)))}


def _describe(tool: Tool) -> Message:
    """A tool as chat templates expect it."""
    function = {"name": tool.name, "description": tool.about, "parameters": dict(tool.parameters)}
    return {"type": "function", "function": function}


def _lengthen(torch: Any, name: str, value: Any, count: int) -> Any:
    """An input of a prompt for a sequence that has `count` tokens more: masks are one there, token types zero."""
    if not name.endswith(("attention_mask", "token_type_ids")):
        return value
    fill = torch.full((len(value), count), int(name == "attention_mask"), dtype=value.dtype, device=value.device)
    return torch.cat([value, fill], 1)


def _read(artefact: Artefact) -> Image.Image:
    try:
        return Image.fromarray(read_image(artefact))
    except ImageError as error:
        raise PixelProofError(f"An image of the prompt cannot be read: {error}") from error
