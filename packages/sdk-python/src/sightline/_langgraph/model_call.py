from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from sightline._capture.chat_message import reasoning_text
from sightline._capture.loose_values import as_count, as_list, as_mapping, as_text, read, usage_of


class ModelResult(NamedTuple):
    model: str | None
    usage: dict[str, Any] | None
    reasoning: str | None
    response: Any


def requested_model(metadata: Mapping[str, Any], parameters: Any) -> str | None:
    """The model's name before it answers: what LangChain's metadata says, else the request's parameters."""
    return as_text(metadata.get("ls_model_name")) or as_text(read(parameters, "model")) or as_text(read(parameters, "model_name"))


def read_model_result(result: Any) -> ModelResult:
    """Reads an LLMResult: name, tokens and reasoning lie where the provider's package put them."""
    output = as_mapping(read(result, "llm_output"))
    generations = [one for some in as_list(read(result, "generations")) for one in as_list(some)]
    messages = [message for one in generations if (message := getattr(one, "message", None)) is not None]
    first = messages[0] if messages else None
    response = as_mapping(read(first, "response_metadata"))
    reasoning = "\n".join(filter(None, map(reasoning_text, messages)))
    return ModelResult(
        model=as_text(response.get("model_name"))
        or as_text(response.get("model"))
        or as_text(output.get("model_name"))
        or as_text(output.get("model")),
        usage=_read_usage(
            read(first, "usage_metadata"),
            response.get("token_usage") or response.get("usage") or output.get("token_usage"),
        ),
        reasoning=reasoning or None,
        response=messages or [read(one, "text") for one in generations],
    )


def has_streamed_content(token: Any, chunk: Any) -> bool:
    """Whether a chunk of a stream holds a piece of the answer: text, reasoning or a tool call. The first and the last often
    hold none."""
    message = getattr(chunk, "message", None)
    return bool(as_text(token)) or bool(getattr(message, "tool_call_chunks", None)) or reasoning_text(message) is not None


def _read_usage(counted: Any, raw: Any) -> dict[str, Any] | None:
    """LangChain's input tokens contain the cached ones, as the event schema wants it."""
    provider = as_mapping(raw)

    def count(name: str, provider_name: str) -> int | None:
        for found in (read(counted, name), provider.get(provider_name), provider.get(name)):
            if as_count(found) is not None:
                return as_count(found)
        return None

    return usage_of(
        provider or counted,
        input_tokens=count("input_tokens", "prompt_tokens"),
        output_tokens=count("output_tokens", "completion_tokens"),
        cache_read_tokens=as_count(read(counted, "input_token_details", "cache_read")),
        cache_write_tokens=as_count(read(counted, "input_token_details", "cache_creation")),
        reasoning_tokens=as_count(read(counted, "output_token_details", "reasoning")),
    )
