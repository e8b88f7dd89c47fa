from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from sightline._capture.loose_values import as_mapping, read

_REASONING_BLOCKS = frozenset({"thinking", "reasoning", "redacted_thinking"})
_REASONING_KEYS = frozenset({"reasoning_content", "reasoning", "thinking"})
_COPIED_KEYS = (
    "id",
    "name",
    "tool_calls",
    "invalid_tool_calls",
    "tool_call_id",
    "status",
    "usage_metadata",
    "artifact",
)


class ReasoningPolicy(NamedTuple):
    """What happens to a model's reasoning inside messages: cut at `maximum` code points, or left out."""

    capture: bool
    maximum: int


def is_chat_message(value: object) -> bool:
    """LangChain's messages are recognised by what they hold, so that the package needs no LangChain. An attribute is not asked
    for: of a response of HTTP, `content` is a property that reads the body."""
    held = getattr(value, "__dict__", None)
    return isinstance(held, dict) and "additional_kwargs" in held and "response_metadata" in held and "content" in held


def plain_message(message: Any, policy: ReasoningPolicy) -> dict[str, Any]:
    plain: dict[str, Any] = {"type": message.type, "content": plain_content(message.content, policy)}
    for key in _COPIED_KEYS:
        value = getattr(message, key, None)
        if value is not None and value != []:
            plain[key] = value
    for key in ("additional_kwargs", "response_metadata"):
        kept = _plain_entries(getattr(message, key), policy)
        if kept:
            plain[key] = kept
    return plain


def bound_message_reasoning(message: Any, policy: ReasoningPolicy) -> Any:
    """The same for a message as a provider's own client takes and gives it."""
    if isinstance(message, (str, list, tuple)) or message is None:
        return message
    held = as_mapping(message)
    content = held.get("content")
    plain = _plain_entries(held, policy)
    if "content" in held:
        plain["content"] = plain_content(content, policy)
    return plain


def plain_content(content: Any, policy: ReasoningPolicy) -> Any:
    """A list of content blocks without reasoning, or with as much of it as may be recorded."""
    if not isinstance(content, list) or not any(_is_reasoning_block(block) for block in content):
        return content
    plain: list[Any] = []
    for block in content:
        if not _is_reasoning_block(block):
            plain.append(block)
        elif policy.capture:
            plain.append({"type": read(block, "type"), "text": block_text(block)[: policy.maximum]})
    return plain


def reasoning_text(message: Any) -> str | None:
    """The reasoning of a message, whichever provider's shape it has; None when there is none."""
    if not is_chat_message(message):
        return None
    content = message.content if isinstance(message.content, list) else []
    extras = message.additional_kwargs
    outside = extras.get("reasoning_content")
    blocks = [block_text(block) for block in content if _is_reasoning_block(block)]
    texts = [*blocks, outside if isinstance(outside, str) else block_text(extras.get("reasoning"))]
    return "\n".join(filter(None, texts)) or None


def block_text(block: Any) -> str:
    """Anthropic writes `thinking`, the standard block `reasoning`, OpenAI a `summary` of parts."""
    for key in ("thinking", "reasoning", "text"):
        value = read(block, key)
        if isinstance(value, str):
            return value
    summary = read(block, "summary")
    return "\n".join(block_text(part) for part in summary) if isinstance(summary, list) else ""


def _plain_entries(entries: Any, policy: ReasoningPolicy) -> dict[str, Any]:
    if not isinstance(entries, Mapping):
        return {}
    plain = {}
    for name, value in entries.items():
        if name not in _REASONING_KEYS:
            plain[name] = value
            continue
        text = value if isinstance(value, str) else block_text(value)
        if policy.capture and text:
            plain[name] = text[: policy.maximum]
    return plain


def _is_reasoning_block(block: Any) -> bool:
    return read(block, "type") in _REASONING_BLOCKS if not isinstance(block, str) else False
