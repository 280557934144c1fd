"""The base of all models behind an HTTP service."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar, NamedTuple

from pixelproof.contract import Answer, Failure, Fault, Item, PixelProofError, Prompt, Usage
from pixelproof.models._parameters import Parameter, split_parameters
from pixelproof.options import Decoding
from pixelproof.stats import derive_seed

from ._dig import dig
from ._endpoint import Endpoint, Limits
from ._meter import METER
from ._post import RequestFailed
from ._service import Service
from ._usage import read_usage


class Request(NamedTuple):
    """Path below the service's address, body, and content type of the body."""

    path: str
    body: bytes
    content_type: str = "application/json"

    @classmethod
    def of_json(cls, path: str, content: Mapping[str, Any]) -> Request:
        """A request whose body is JSON."""
        return cls(path, json.dumps(content).encode())


class RemoteModel(ABC):
    """Turns a prompt into a request, and the reply into an answer."""

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
        self._failures = self._allowed = 0

    def answer(self, prompt: Prompt, item: Item, sample: int, seed: int) -> Answer:
        """Send the conversation to the service and read its reply.

        Until the first answer, every failure counts as a wrong configuration and stops the run, so that it does not
        fail item by item for hours; `allow_failures` sets how many are allowed.
        """
        request = self._request(prompt, item, derive_seed(seed, f"{self.kind}/{item.id}", sample))
        usage = Usage()
        try:
            reply = self._endpoint.post(*request)
            # An image that cannot be used is billed all the same.
            usage = replace(read_usage(reply.content).usage, images=int(prompt.wants == "image"), seconds=reply.seconds)
            meter = METER.get()
            if meter is not None and self._states_no_image(reply.content):
                meter.drew_nothing()
            answer = self._read(reply.content, prompt)
        except RequestFailed as error:
            return Answer(failure=self._failure(error.failure), usage=usage)
        self._endpoint.proven = True
        return replace(answer, usage=replace(usage, images=len(answer.images)))

    def _failure(self, failure: Failure) -> Failure:
        self._endpoint.proven |= failure.fault is Fault.MODEL
        self._failures += 1
        if self._endpoint.proven or self._failures <= self._allowed:
            return failure
        raise PixelProofError(
            f"{self.name} has not answered yet ({failure.detail}): check its name, its parameters and "
            f"{self._endpoint.service.url_name}, or try again later."
        ) from None

    def allow_failures(self, count: int | None) -> None:
        """Set how many failures may precede the first answer; None: any number, because there was an answer before."""
        self._allowed = count or 0
        self._endpoint.proven |= count is None

    def card(self) -> Mapping[str, Any]:
        """The service, the model and all settings; never the key."""
        decoding = {"temperature": self._decoding.temperature, "max_tokens": self._decoding.max_tokens}
        return {
            "kind": self.kind,
            "service": self._endpoint.service.url,
            "model": self._model,
            "parameters": dict(self._given),
            **{name: value for name, value in decoding.items() if value is not None},
        }

    def close(self) -> None:
        """Stop retrying; requests in flight are completed."""
        self._endpoint.close()

    def _service(self) -> tuple[Service, Mapping[str, str]]:
        """The service and the headers with its key; by default an OpenAI-compatible service."""
        service = Service.openai_compatible(self._given.get("service", "openai"))
        return service, {"Authorization": f"Bearer {service.key}"} if service.key else {}

    @abstractmethod
    def _request(self, prompt: Prompt, item: Item, seed: int) -> Request:
        """The request for a prompt.

        Raises:
            PixelProofError: This kind of model cannot answer such a prompt.
        """

    @abstractmethod
    def _read(self, content: Any, prompt: Prompt) -> Answer:
        """The answer in a reply, without its usage; must not raise anything else, whatever the JSON is.

        Raises:
            RequestFailed: The reply holds no answer.
        """

    def _states_no_image(self, content: Any) -> bool:
        """Whether the usage in a reply states that no image is in it; by default in OpenAI's format."""
        details = [dig(content, "usage", f"{kind}_tokens_details", "image_tokens") for kind in ("completion", "output")]
        return any(count == 0 and not isinstance(count, bool) for count in details)


def allow_failures(model: object, count: int | None) -> None:
    """Set how many failures of a model behind a service may precede its first answer; other models have no limit."""
    if isinstance(model, RemoteModel):
        model.allow_failures(count)


def refusal(reason: str) -> Failure:
    """The failure of a model that declines."""
    return Failure(Fault.MODEL, "refusal", reason.strip()[:300])


def no_image(reason: str) -> Failure:
    """The failure of a reply without the image that the prompt wants."""
    return Failure(Fault.MODEL, "no-image", reason.strip()[:300])


def bad_response(missing: str) -> RequestFailed:
    """The error for a reply that is JSON, but not in the documented format."""
    return RequestFailed(Fault.INFRASTRUCTURE, "bad-response", f"the reply has no {missing}")
