"""What all models behind an HTTP service have in common."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar, NamedTuple

from pixelproof.contract import Answer, Failure, Fault, Item, PixelProofError, Prompt, Usage
from pixelproof.models._base import Decoding
from pixelproof.models._parameters import Parameter, split_parameters
from pixelproof.stats import derive_seed

from ._endpoint import Endpoint, Limits
from ._post import Unanswered
from ._service import Service


class Request(NamedTuple):
    """Path below the service's address, body and its type."""

    path: str
    body: bytes
    content_type: str = "application/json"

    @classmethod
    def of_json(cls, path: str, content: Mapping[str, Any]) -> Request:
        """A request whose body is JSON."""
        return cls(path, json.dumps(content).encode())


class RemoteModel(ABC):
    """Turns a prompt into a request, and a reply into an answer."""

    kind: ClassVar[str]
    parameters: ClassVar[Mapping[str, Parameter]]
    answers_items = False
    spreads = False
    connections = 8

    def __init__(
        self, name: str, spelling: str, decoding: Decoding | None = None, limits: Limits | None = None
    ) -> None:
        self.name = name
        self._model, self._given = split_parameters(name, spelling, self.parameters)
        self._decoding = decoding or Decoding()
        service, headers = self._service()
        self._endpoint = Endpoint(service, headers, limits or Limits())

    def answer(self, prompt: Prompt, item: Item, sample: int, seed: int) -> Answer:
        """Ask the service.

        As long as it has answered nothing, every failure is taken for a wrong set-up, so that a run does not fail
        item by item for hours.
        """
        request = self._request(prompt, item, derive_seed(seed, f"{self.kind}/{item.id}", sample))
        usage = Usage()
        try:
            reply = self._endpoint.post(*request)
            # A picture that cannot be used is paid for all the same.
            usage = replace(self._usage(reply.content), images=int(prompt.wants == "image"), seconds=reply.seconds)
            answer = self._read(reply.content, prompt)
        except Unanswered as trouble:
            return Answer(failure=self._failure(trouble), usage=usage)
        self._endpoint.proven = True
        service = self._endpoint.service
        calls = tuple(replace(call, arguments=service.arguments_without_key(call.arguments)) for call in answer.calls)
        text = service.without_key(answer.text)
        return replace(answer, text=text, calls=calls, usage=replace(usage, images=len(answer.images)))

    def _failure(self, trouble: Unanswered) -> Failure:
        self._endpoint.proven |= trouble.failure.fault is Fault.MODEL
        if self._endpoint.proven:
            return trouble.failure
        raise PixelProofError(
            f"{self.name} has given no answer yet ({trouble.failure.detail}): check its name, its parameters and "
            f"{self._endpoint.service.url_name}, or try again later."
        ) from None

    def card(self) -> Mapping[str, Any]:
        """The service, the model and all settings; the key is nobody's business."""
        decoding = {"temperature": self._decoding.temperature, "max_tokens": self._decoding.max_tokens}
        return {
            "kind": self.kind,
            "service": self._endpoint.service.url,
            "model": self._model,
            "parameters": dict(self._given),
            **{name: value for name, value in decoding.items() if value is not None},
        }

    def close(self) -> None:
        """Requests in flight come to their end, but are not tried again."""
        self._endpoint.close()

    def _service(self) -> tuple[Service, Mapping[str, str]]:
        """The service, and the headers that open it; unless said otherwise, one that is compatible with OpenAI's."""
        service = Service.openai_compatible(self._given.get("service", "openai"))
        return service, {"Authorization": f"Bearer {service.key}"} if service.key else {}

    @abstractmethod
    def _request(self, prompt: Prompt, item: Item, seed: int) -> Request:
        """What to send.

        Raises:
            PixelProofError: The model cannot be asked such a thing.
        """

    @abstractmethod
    def _read(self, content: Any, prompt: Prompt) -> Answer:
        """What came back, but for its usage; must not raise anything else, whatever the JSON holds.

        Raises:
            Unanswered: It is not an answer.
        """

    @abstractmethod
    def _usage(self, content: Any) -> Usage:
        """The tokens and dollars that a reply tells of."""


def refusal(why: str) -> Failure:
    """The model will not do it."""
    return Failure(Fault.MODEL, "refusal", why.strip()[:300])


def no_image(why: str) -> Failure:
    """The model was asked for a picture and gave none."""
    return Failure(Fault.MODEL, "no-image", why.strip()[:300])


def not_understood(what: str) -> Unanswered:
    """The reply is JSON, but not of the documented form."""
    return Unanswered(Fault.INFRASTRUCTURE, "bad-response", f"the reply holds no {what}")
