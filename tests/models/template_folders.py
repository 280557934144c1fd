"""Small model folders in the real format: tokenizer, processor and chat template, good or with a known defect."""

from __future__ import annotations

import json
from pathlib import Path

SPECIAL = (
    "<|endoftext|>", "<|im_start|>", "<|im_end|>", "<|vision_start|>", "<|vision_end|>", "<|image_pad|>",
    "<|video_pad|>", "<tool_call>", "</tool_call>",
)  # fmt: skip

PARTS = """{%- macro parts(content) -%}
{%- if content is string -%}{{- content -}}
{%- else -%}{%- for part in content -%}
{%- if part.type == 'image' -%}<|vision_start|><|image_pad|><|vision_end|>{%- else -%}{{- part.text -}}{%- endif -%}
{%- endfor -%}{%- endif -%}
{%- endmacro -%}
"""
TOOLS = """{%- if messages[0].role == 'system' or tools -%}
{{- '<|im_start|>system\n' -}}
{%- if messages[0].role == 'system' -%}{{- parts(messages[0].content) -}}{%- endif -%}
{%- if tools -%}{{- '\n# Tools\n' -}}{%- for tool in tools -%}{{- tool | tojson + '\n' -}}{%- endfor -%}{%- endif -%}
{{- '<|im_end|>\n' -}}
{%- endif -%}
"""
CALLS = """{%- if message.tool_calls -%}{%- for call in message.tool_calls -%}
{{- '\n<tool_call>\n{"name": "' + call.function.name + '", "arguments": ' -}}
{{- call.function.arguments | tojson + '}\n</tool_call>' -}}
{%- endfor -%}{%- endif -%}
"""
RESULT = "{{- '<|im_start|>user\n<tool_response>\n' + parts(message.content) + '\n</tool_response><|im_end|>\n' -}}\n"
LOOP = """{%- for message in messages -%}
{%- if message.role == 'user' -%}
{{- '<|im_start|>user\n' + parts(message.content) + '<|im_end|>\n' -}}
{%- elif message.role == 'assistant' -%}
{{- '<|im_start|>assistant\n' -}}@THOUGHT@{{- parts(message.content) -}}@CALLS@{{- '<|im_end|>\n' -}}
{%- elif message.role == 'tool' -%}
@RESULT@{%- endif -%}
{%- endfor -%}
{%- if add_generation_prompt -%}{{- '<|im_start|>assistant\n' -}}@PROMPT@{%- endif -%}
"""


def template(parts=PARTS, tools=TOOLS, calls=CALLS, result=RESULT, thought="", prompt="", loop=LOOP) -> str:
    for mark, text in (("THOUGHT", thought), ("CALLS", calls), ("RESULT", result), ("PROMPT", prompt)):
        loop = loop.replace(f"@{mark}@", text)
    return parts + tools + loop


GOOD = template()
TEXT_RESULT = """{%- set said = message.content if message.content is string else message.content
  | selectattr('type', 'equalto', 'text') | map(attribute='text') | join('') -%}
{{- '<|im_start|>user\n<tool_response>\n' + said + '\n</tool_response><|im_end|>\n' -}}
"""
PRINTED_RESULT = "{{- '<|im_start|>tool\n' ~ message.content ~ '<|im_end|>\n' -}}\n"
EMPTY_THOUGHT = (
    "{%- if loop.last and '<think>' not in parts(message.content) -%}{{- '<think>\n\n</think>\n\n' -}}{%- endif -%}"
)
"""For the last message only: adding a message removes it."""
NO_THOUGHTS = LOOP.replace(
    "{{- parts(message.content) -}}",
    "{%- set last = namespace(n=0) -%}{%- for m in messages -%}{%- if m.role == 'user' -%}"
    "{%- set last.n = loop.index0 -%}{%- endif -%}{%- endfor -%}"
    "{{- parts(message.content) if loop.index0 > last.n else parts(message.content).split('</think>')[-1] -}}",
)
"""Thoughts of replies before the last question are removed."""

DEFECTS = {
    "images": template(parts=PARTS.replace("<|vision_start|><|image_pad|><|vision_end|>", "")),
    "calls": template(calls=""),
    "tool-images": template(result=TEXT_RESULT),
    "prefix": template(thought=EMPTY_THOUGHT),
    "image-token": template(parts=PARTS.replace("<|image_pad|>", "<|picture_pad|>")),
}
"""Name of the check that must find it → template."""


def write_folder(path: Path, chat_template: str, place: str = "jinja", patch_size: int = 0) -> Path:
    """A model folder with a byte-level tokenizer; with a patch size, also a processor of LLaVA."""
    path.mkdir(parents=True, exist_ok=True)
    alphabet = [chr(code) for code in (*range(33, 127), *range(161, 173), *range(174, 256), *range(256, 324))]
    added = [
        {"id": len(alphabet) + number, "content": text, "special": True, "single_word": False, "lstrip": False,
         "rstrip": False, "normalized": False}
        for number, text in enumerate(SPECIAL)
    ]  # fmt: skip
    byte_level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": False, "use_regex": False}
    vocabulary = {"type": "BPE", "vocab": {letter: number for number, letter in enumerate(alphabet)}, "merges": []}
    files = {
        "tokenizer.json": {"version": "1.0", "added_tokens": added, "model": vocabulary, "pre_tokenizer": byte_level,
                           "decoder": byte_level, "normalizer": None, "post_processor": None},
        "tokenizer_config.json": {"tokenizer_class": "Qwen2TokenizerFast", "eos_token": "<|im_end|>",
                                  "pad_token": "<|endoftext|>", "model_max_length": 32768},
        "config.json": {"model_type": "llava", "vision_config": {"patch_size": 14},
                        "image_token_index": len(alphabet) + SPECIAL.index("<|image_pad|>")},
    }  # fmt: skip
    if patch_size:
        files["preprocessor_config.json"] = {
            "image_processor_type": "CLIPImageProcessor", "processor_class": "LlavaProcessor", "do_resize": True,
            "size": {"shortest_edge": 56}, "do_center_crop": True, "crop_size": {"height": 56, "width": 56},
            "do_rescale": True, "do_normalize": True, "image_mean": [0.5, 0.5, 0.5], "image_std": [0.5, 0.5, 0.5],
        }  # fmt: skip
        files["processor_config.json"] = {
            "processor_class": "LlavaProcessor", "patch_size": patch_size, "image_token": "<|image_pad|>",
            "vision_feature_select_strategy": "default", "num_additional_image_tokens": 1,
        }  # fmt: skip
    if place == "jinja":
        (path / "chat_template.jinja").write_text(chat_template)
    elif place == "list":
        files["tokenizer_config.json"]["chat_template"] = [
            {"name": "default", "template": "{{ raise_exception('no tools here') }}"},
            {"name": "tool_use", "template": chat_template},
        ]
    elif place == "json":
        files["chat_template.json"] = {"chat_template": chat_template}
    elif place == "config":
        files["tokenizer_config.json"]["chat_template"] = chat_template
    for name, content in files.items():
        (path / name).write_text(json.dumps(content))
    return path
