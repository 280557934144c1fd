"""Who answers: controls, files, Python functions, recorded replies and local language models. Plain classes.

`open_model` gives the model behind a name such as `control/floor-blank` or `gguf/smollm2`. A name that it does not know
is left to Inspect, which reaches models behind an API.
"""

from ._base import Decoding, Model
from ._control import ControlModel
from ._folder import FolderModel
from ._function import FunctionModel
from ._gguf import GgufModel, smollm2_weights
from ._manifest import FAILURE_WORDS
from ._open import CHOICES, Choice, open_model
from ._recorded import RecordedModel

__all__ = [
    "CHOICES",
    "FAILURE_WORDS",
    "Choice",
    "ControlModel",
    "Decoding",
    "FolderModel",
    "FunctionModel",
    "GgufModel",
    "Model",
    "RecordedModel",
    "open_model",
    "smollm2_weights",
]
