"""The face for TRL, played by hand and by a trainer; needs the extra `trl` (`make envs`)."""

import io
import json

import numpy as np
import pytest

pytest.importorskip("trl")

from PIL import Image  # noqa: E402

from envs.faces.scripted import calls_of, natively, open_agent, text_of  # noqa: E402
from pixelproof.contract import Artefact  # noqa: E402
from pixelproof.envs.trl import environment_factory, reward_function, training_rows  # noqa: E402

pytestmark = pytest.mark.slow


def pixels(part):
    return np.asarray(Image.open(io.BytesIO(part.data)).convert("RGB")) if isinstance(part, Artefact) else part


def test_ten_seeds_through_trl_and_through_a_run_give_equal_text_pixels_and_reward():
    environment = open_agent()
    items = environment.first(10)
    expected = natively(environment, items)
    kind, calibrated, exact = environment_factory(environment), reward_function(), reward_function("exact")
    for number, row in enumerate(training_rows(environment, 10)):
        instance = kind()
        first = instance.reset(**row)
        assert [block["type"] for block in first] == ["text", "image", "text"]
        blocks = [block for call, arguments in calls_of(number) for block in getattr(instance, call)(**arguments)]
        said = [[{"role": "assistant", "content": text_of(number)}]]
        paid = calibrated(completions=said, environments=[instance]) + exact(completions=said, environments=[instance])
        shown, _, exact_reward, calibrated_reward = expected[row["item"]]
        assert paid == [calibrated_reward, exact_reward]
        for block, part in zip(blocks, shown, strict=True):
            assert (
                np.array_equal(pixels(part), np.asarray(block["image"])) if "image" in block else block["text"] == part
            )


def test_tools_become_the_schemas_that_the_bench_has():
    from transformers.utils import get_json_schema

    environment = open_agent()
    kind = environment_factory(environment)
    for tool in environment.play(environment.first(1)[0]).tools:
        function = get_json_schema(getattr(kind(), tool.name))["function"]
        assert set(function["parameters"]["properties"]) == set(tool.parameters["properties"])
        assert sorted(function["parameters"].get("required", [])) == sorted(tool.parameters.get("required", []))
        json.dumps(function)


def test_two_steps_of_grpo(tmp_path):
    from datasets import Dataset
    from transformers import Qwen3Config, Qwen3ForCausalLM
    from trl import GRPOConfig, GRPOTrainer

    from envs.faces.tiny import byte_tokenizer
    from pixelproof.envs import open_environment

    environment = open_environment("pixelart", calibrate=4)
    tokenizer = byte_tokenizer()
    small = {"hidden_size": 16, "intermediate_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2}
    config = Qwen3Config(
        vocab_size=len(tokenizer), max_position_embeddings=8192, num_key_value_heads=2, head_dim=8, **small
    )
    paid = []

    def calibrated(**given):
        paid.extend(reward_function()(**given))
        return paid[-len(given["completions"]) :]

    trainer = GRPOTrainer(
        model=Qwen3ForCausalLM(config),
        reward_funcs=calibrated,
        environment_factory=environment_factory(environment),
        train_dataset=Dataset.from_list(training_rows(environment, 4)),
        processing_class=tokenizer,
        args=GRPOConfig(
            output_dir=str(tmp_path), max_steps=2, per_device_train_batch_size=2, num_generations=2, use_cpu=True,
            bf16=False, report_to="none", save_strategy="no", max_completion_length=16, gradient_checkpointing=False,
        ),
    )  # fmt: skip
    trainer.train()
    assert len(paid) == 4 and all(value is not None and value <= 0 for value in paid)
