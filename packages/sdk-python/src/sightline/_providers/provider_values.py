from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sightline._capture.chat_message import ReasoningPolicy, bound_message_reasoning, plain_content
from sightline._capture.loose_values import as_mapping, as_text
from sightline._capture.recorder import Outcome
from sightline._client.state import state

MAX_TEXT_LENGTH = 1_048_576
"""Characters of one stream that are kept; what is recorded is cut again, shorter."""


def captured(messages: Any) -> Any:
    """Prompts and answers leave the process only after `wrap_llm_adapter`, and the reasoning in them as the settings say."""
    publisher = state.publisher
    if not state.capture_prompts or publisher is None or messages is None:
        return None
    policy = ReasoningPolicy(publisher.settings.capture_reasoning, publisher.settings.reasoning_max_length)
    if isinstance(messages, (list, tuple)):
        plain = plain_content(list(messages), policy)
        return [bound_message_reasoning(message, policy) for message in plain]
    return bound_message_reasoning(messages, policy)


def answered_outcome(
    *,
    model: Any,
    usage: dict[str, Any] | None,
    output: Any,
    reasoning: list[str],
    tools: list[str],
    attributes: Mapping[str, Any],
) -> Outcome:
    """The outcome of an answered model call. The reasoning is recorded apart, wherever answers are recorded."""
    return Outcome(
        "success",
        model=as_text(model),
        usage=usage,
        output=captured(output),
        reasoning="\n".join(reasoning) or None if state.capture_prompts else None,
        attributes={**attributes, "tool_calls": tools} if tools else attributes,
    )


def pick_settings(request: Mapping[str, Any], *names: str) -> dict[str, Any]:
    """The entries of a request that are set, as attributes of its call; the clients mark the others by objects of their own."""
    return {name: value for name in names if isinstance(value := request.get(name), (str, int, float, bool))}


def mappings(values: Any) -> list[Mapping[str, Any]]:
    return [as_mapping(value) for value in values] if isinstance(values, (list, tuple)) else []


class CollectedText:
    """Text that comes in pieces."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._length = 0

    def add(self, piece: Any) -> None:
        if isinstance(piece, str) and self._length < MAX_TEXT_LENGTH:
            self._pieces.append(piece)
            self._length += len(piece)

    def read(self) -> str | None:
        return "".join(self._pieces) or None
