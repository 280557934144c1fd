"""Models: controls, files, Python functions, recorded replies, local models and HTTP services, as plain classes.

`open_model` opens the model of a name such as `control/floor-blank` or `gguf/smollm2`, or a Python callable. All other
names belong to Inspect AI, which provides further models. `as_text` and `read_reply` give tools to a model that reads
and writes only text.
"""

from pixelproof.options import Decoding

from ._artefacts import MASK
from ._base import MACHINE, Model, gpus_of
from ._callable import name_of
from ._chat import ChatModel
from ._control import ControlModel
from ._diffusers import DiffusersModel
from ._folder import FolderModel
from ._function import FunctionModel, as_reply
from ._gemini import GeminiModel
from ._gguf import GgufModel, smollm2_weights
from ._images import ImagesModel
from ._messages import Json, Message, chat_messages, chat_tools, content_blocks
from ._nets import NetsModel
from ._open import CHOICES, Choice, open_model
from ._recorded import RecordedModel
from ._text_protocol import as_text, check_parsed, read_reply
from ._transformers import TransformersModel
from .http import MAY_BE_BILLED, METER, Meter, allow_failures, read_usage

__all__ = [
    "CHOICES",
    "MACHINE",
    "MASK",
    "MAY_BE_BILLED",
    "METER",
    "ChatModel",
    "Choice",
    "ControlModel",
    "Decoding",
    "DiffusersModel",
    "FolderModel",
    "FunctionModel",
    "GeminiModel",
    "GgufModel",
    "ImagesModel",
    "Json",
    "Message",
    "Meter",
    "Model",
    "NetsModel",
    "RecordedModel",
    "TransformersModel",
    "allow_failures",
    "as_reply",
    "as_text",
    "check_parsed",
    "chat_messages",
    "chat_tools",
    "content_blocks",
    "gpus_of",
    "name_of",
    "open_model",
    "read_reply",
    "read_usage",
    "smollm2_weights",
]
