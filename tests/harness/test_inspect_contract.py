"""Every name and behaviour of Inspect that the adapter relies on. Runs against any version of it.

Nothing here uses PixelProof: when a new release of Inspect breaks us, these tests say where.
"""

import base64
import inspect
import json
import math
import zipfile
from contextvars import ContextVar

import anyio
import inspect_ai
import pytest
from inspect_ai import Epochs, Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.log import read_eval_log, transcript
from inspect_ai.model import (
    ChatCompletionChoice,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageUser,
    ContentImage,
    ContentText,
    GenerateConfig,
    ModelAPI,
    ModelOutput,
    ModelUsage,
    get_model,
    model_roles,
    modelapi,
)
from inspect_ai.scorer import Metric, SampleScore, Score, Scorer, Target, Value, metric, scorer
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.tool import ToolChoice, ToolInfo
from inspect_ai.util import EarlyStop, LimitExceededError

pytestmark = pytest.mark.slow  # imports Inspect AI

PICTURE = "data:image/png;base64," + base64.b64encode(bytes(range(256)) * 8).decode()
SEEN: list[GenerateConfig] = []
POOLED: list[int] = []
FRAME: ContextVar[str] = ContextVar("frame", default="nothing")


class EchoAPI(ModelAPI):
    async def generate(
        self, input: list, tools: list[ToolInfo], tool_choice: ToolChoice, config: GenerateConfig
    ) -> ModelOutput:
        SEEN.append(config)
        text = input[-1].text
        if "fail" in text:
            raise ConnectionError("down")
        content = [ContentText(text=FRAME.get()), ContentImage(image=PICTURE)]
        message = ChatMessageAssistant(content=content, model=self.model_name, source="generate")
        return ModelOutput(
            model=self.model_name,
            choices=[ChatCompletionChoice(message=message, stop_reason="stop")],
            usage=ModelUsage(input_tokens=1, output_tokens=2, total_tokens=3),
            metadata={"ours": {"trace": [1, 2]}},
        )

    async def count_text_tokens(self, text: str) -> int:
        return len(text)


@modelapi(name="ppecho")
def echo() -> type[ModelAPI]:
    return EchoAPI


@solver
def asking() -> Solver:
    async def solve(state: TaskState, generate: Generate) -> TaskState:
        token = FRAME.set(f"{state.sample_id}#{state.epoch}")
        try:
            messages = [ChatMessageSystem(content="s"), ChatMessageUser(content=[ContentText(text=state.input_text)])]
            config = GenerateConfig(seed=100 * state.epoch + state.metadata["index"], modalities=["image"])
            state.output = await get_model().generate(messages, config=config)
        finally:
            FRAME.reset(token)
        state.messages = [*messages, state.output.message]
        return state

    return solve


@metric(scores="unreduced")
def pool(kind: str = "x") -> Metric:
    def compute(scores: list[SampleScore]) -> Value:
        POOLED.append(len(scores))
        counts = [score.score.metadata["counts"] for score in scores if score.score.metadata]
        return {
            "ratio": sum(c[0] for c in counts) / sum(c[1] for c in counts) if counts else math.nan,
            "none": math.nan,
        }

    return compute


@scorer(metrics=[pool("y")], name="ppmeasure")
def measuring() -> Scorer:
    async def measure(state: TaskState, target: Target) -> Score:
        index = state.metadata["index"]
        if index == 1:
            return Score.unscored(reason="scoring_failed", explanation="for a reason")
        transcript().info({"overlay": PICTURE}, source="pixelproof")
        judge = model_roles().get("judge")
        if judge is not None and state.store.get("told") is None:
            state.store.set("told", (await judge.generate("judge this")).completion)
        counts = [index + state.epoch, 10]
        return Score(value={"index": float(index), "missing": None}, reason="refusal", metadata={"counts": counts})

    return measure


class Gate:
    async def start_task(self, task, samples, epochs):
        return "gate"

    async def schedule_sample(self, id, epoch):
        return EarlyStop(id=id, epoch=epoch, reason="answered") if id == "a/2" and epoch == 1 else None

    async def complete_sample(self, id, epoch, scores):
        pass

    async def complete_task(self):
        return {}


def run(tmp_path, inputs, epochs=1, **more):
    SEEN.clear()
    POOLED.clear()
    samples = [Sample(id=f"a/{i}", input=text, metadata={"index": i}) for i, text in enumerate(inputs)]
    roles = more.pop("roles", None)
    the_task = Task(
        dataset=MemoryDataset(samples, name="d"),
        solver=asking(),
        scorer=measuring(),
        epochs=Epochs(epochs, more.pop("reducers", None)),
        early_stopping=more.pop("gate", None),
        model_roles=roles,
        name="ppcontract",
        version="1.0",
    )
    settings = dict(
        log_dir=str(tmp_path / "logs"), log_images=True, log_header_only=True, log_realtime=False, log_model_api=False,
        log_level="notset", display="none", score_display=False, ctl_server=False, fail_on_error=False,
        retry_on_error=0, max_retries=1, timeout=60, max_connections=None, max_tokens=None, temperature=0.5,
    )  # fmt: skip
    return inspect_ai.eval(the_task, model="ppecho/x", **(settings | more))[0]


def test_seed_modalities_and_context_reach_the_provider_in_every_epoch(tmp_path):
    log = run(tmp_path, ["ask"] * 3, epochs=2)
    assert log.status == "success"
    assert sorted(config.seed for config in SEEN) == [100, 101, 102, 200, 201, 202]
    assert all(config.modalities == ["image"] and config.temperature == 0.5 for config in SEEN)
    samples = read_eval_log(log.location).samples
    assert {sample.output.completion for sample in samples} == {f"a/{i}#{e}" for i in range(3) for e in (1, 2)}
    assert all(sample.output.metadata["ours"] == {"trace": [1, 2]} for sample in samples)
    assert all(sample.output.time is not None for sample in samples)


def test_the_users_limits_are_in_the_models_config(tmp_path):
    seen = []

    @solver
    def looking() -> Solver:
        async def solve(state: TaskState, generate: Generate) -> TaskState:
            seen.append((get_model().config.max_tokens, str(get_model())))
            return state

        return solve

    the_task = Task(dataset=MemoryDataset([Sample(id="1", input="x")]), solver=looking())
    inspect_ai.eval(the_task, model="ppecho/x", max_tokens=77, display="none", log_dir=str(tmp_path), ctl_server=False)
    assert seen == [(77, "ppecho/x")]


def test_unreduced_metrics_get_every_epoch_and_unscored_samples_are_left_out(tmp_path):
    log = run(tmp_path, ["ask"] * 3, epochs=3, reducers=["mean", "max"])
    (told,) = log.results.scores
    assert told.name == "ppmeasure" and told.reducer is None
    assert told.unscored_samples == 3 and told.scored_samples == POOLED[-1] == 6
    assert told.metrics["ratio"].value == pytest.approx(sum(i + e for i in (0, 2) for e in (1, 2, 3)) / 60)
    assert math.isnan(told.metrics["none"].value)


def test_a_metric_may_be_asked_about_nothing(tmp_path):
    log = run(tmp_path, ["fail", "ask"])
    assert log.results.scores[0].scored_samples == 0
    assert math.isnan(log.results.scores[0].metrics["ratio"].value)


def test_pictures_in_info_events_stay_out_of_everything_that_grows_with_reducers(tmp_path):
    log = run(tmp_path, ["ask"] * 4, epochs=2, reducers=["mean", "max"])
    with zipfile.ZipFile(log.location) as archive:
        sizes = {info.filename: info.file_size for info in archive.infolist()}
        assert {"header.json", "summaries.json", "reductions.json"} <= set(sizes)
    assert sizes["reductions.json"] + sizes["header.json"] + sizes["summaries.json"] < len(PICTURE) * 4
    sample = read_eval_log(log.location).samples[0]
    (info,) = [event for event in sample.events if event.event == "info" and event.source == "pixelproof"]
    assert info.data["overlay"].startswith("attachment://")
    assert sample.attachments[info.data["overlay"].removeprefix("attachment://")] == PICTURE


def test_pictures_can_be_kept_out_of_messages_and_events(tmp_path):
    log = run(tmp_path, ["ask"] * 2, log_images=False)
    for sample in read_eval_log(log.location).samples:
        told = sample.model_dump(mode="json", exclude={"output"})  # Inspect leaves outputs alone, so we empty them
        assert "base64," not in json.dumps(told) and "<base64-data-removed>" in json.dumps(told["messages"])


def test_a_failed_sample_is_an_error_while_the_log_says_success(tmp_path):
    log = run(tmp_path, ["ask", "fail", "ask"], retry_on_error=1)
    assert log.status == "success"
    assert (log.results.total_samples, log.results.completed_samples, len(SEEN)) == (3, 2, 4)


def test_early_stopping_skips_one_epoch_of_one_sample(tmp_path):
    log = run(tmp_path, ["ask"] * 3, epochs=2, gate=Gate())
    assert log.status == "success" and len(SEEN) == 5
    assert [(stop.id, stop.epoch) for stop in log.results.early_stopping.early_stops] == [("a/2", 1)]


def test_a_log_is_scored_again_without_the_model(tmp_path):
    log = read_eval_log(run(tmp_path, ["ask"] * 3, epochs=2, roles={"judge": "ppecho/judge"}).location)
    before = len(SEEN)
    again = inspect_ai.score(log, measuring(), action="overwrite", display="none")
    assert len(SEEN) == before == 10  # six answers; four judgements, which the sample's store remembers
    assert again.results.scores[0].metrics["ratio"].value == log.results.scores[0].metrics["ratio"].value


def test_a_role_that_does_not_exist_is_an_error_at_once(tmp_path):
    with pytest.raises(Exception, match="nobody"):
        run(tmp_path, ["ask"], roles={"judge": "nobody/x"})
    assert not SEEN


def test_a_model_that_does_not_exist_is_an_error_at_once(tmp_path):
    with pytest.raises(Exception, match="nobody"):
        inspect_ai.eval(Task(dataset=[Sample(input="x")]), model="nobody/x", display="none", log_dir=str(tmp_path))


def test_a_task_may_have_a_signature_made_at_run_time(tmp_path):
    def factory(**arguments):
        return Task(dataset=[Sample(input=str(sorted(arguments.items())))], solver=asking_nothing())

    parameters = [
        inspect.Parameter(n, inspect.Parameter.KEYWORD_ONLY, default=d) for n, d in (("grid", 24), ("seed", 0))
    ]
    factory.__signature__ = inspect.Signature(parameters, return_annotation=Task)
    factory.__name__ = "ppdynamic"
    task(name="ppdynamic")(factory)
    (log,) = inspect_ai.eval(
        "ppdynamic", task_args={"grid": 16}, model="ppecho/x", display="none", log_dir=str(tmp_path)
    )
    assert log.status == "success" and log.samples[0].input == "[('grid', 16)]"
    assert log.eval.task_args == {"grid": 16, "seed": 0}


@solver
def asking_nothing() -> Solver:
    async def solve(state: TaskState, generate: Generate) -> TaskState:
        return state

    return solve


def test_a_model_works_outside_an_evaluation():
    async def once():
        return await get_model("ppecho/alone", memoize=False).generate("hello", config=GenerateConfig(seed=3))

    assert anyio.run(once).completion == "nothing"


def test_names_that_have_no_test_of_their_own():
    assert issubclass(LimitExceededError, Exception)
    assert ModelOutput().choices == [] and ModelOutput().usage is None and ModelOutput().error is None
    assert {"refusal"} <= set(ContentText.model_fields) and isinstance(get_model("ppecho/z").api, EchoAPI)
    assert {"input_tokens_cache_read", "input_tokens_cache_write", "total_cost"} <= set(ModelUsage.model_fields)


def test_a_provider_can_be_kept_from_retries_and_greetings_of_its_own(monkeypatch):
    """The guard relies on the attribute of the client, and on the value that prevents a request about summaries."""
    assert GenerateConfig(reasoning_summary="none").reasoning_summary == "none"
    pytest.importorskip("openai")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-anything-0123456789")
    assert get_model("openai/gpt-5-x", memoize=False).api.client.max_retries == 2
