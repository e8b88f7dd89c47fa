"""Captures what agents do and publishes it to a Sightline stream, without the observed application noticing."""

from sightline._capture.carry import carry_trace
from sightline._capture.recorder import ObservationKind, TracePurpose
from sightline._capture.score import TraceReference, current_trace, score
from sightline._capture.span import observe, trace, trace_tool
from sightline._client.initialize import Verification, close_redis_publisher, initialize_redis_publisher
from sightline._client.pending import Pending
from sightline._client.state import metrics_text, wrap_llm_adapter
from sightline._evaluate.errors import EvaluationError
from sightline._evaluate.evaluate import aevaluate, aevaluate_experiment, evaluate, evaluate_experiment
from sightline._evaluate.result import EvaluationResult
from sightline._langgraph.builder import callback_handler, create_traced_graph, trace_graph
from sightline._prompts.get_prompt import aget_prompt, get_prompt
from sightline._prompts.prompt import Prompt, PromptError
from sightline._providers.clients import wrap_anthropic, wrap_openai
from sightline._replay.errors import RecordedError, ReplayRefusedError, ReplayStoppedError
from sightline._replay.replay import ReplayOptions, ReplayResult, areplay, replay
from sightline._settings.settings import MaskFunction, PayloadField
from sightline._settings.version import SDK_VERSION

__version__ = SDK_VERSION

__all__ = [
    "EvaluationError",
    "EvaluationResult",
    "MaskFunction",
    "ObservationKind",
    "PayloadField",
    "Pending",
    "Prompt",
    "PromptError",
    "RecordedError",
    "ReplayOptions",
    "ReplayRefusedError",
    "ReplayResult",
    "ReplayStoppedError",
    "TracePurpose",
    "TraceReference",
    "Verification",
    "__version__",
    "aevaluate",
    "aevaluate_experiment",
    "aget_prompt",
    "areplay",
    "callback_handler",
    "carry_trace",
    "close_redis_publisher",
    "create_traced_graph",
    "current_trace",
    "evaluate",
    "evaluate_experiment",
    "get_prompt",
    "initialize_redis_publisher",
    "metrics_text",
    "observe",
    "replay",
    "score",
    "trace",
    "trace_graph",
    "trace_tool",
    "wrap_anthropic",
    "wrap_llm_adapter",
    "wrap_openai",
]
