from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from sightline._capture.loose_values import as_count, as_mapping, as_text, read, usage_of, without_none
from sightline._capture.recorder import Outcome
from sightline._providers.open_call import CallStart
from sightline._providers.post_calls import Collector, ProviderCall
from sightline._providers.provider_values import CollectedText, answered_outcome, captured, pick_settings

_REASONING = frozenset({"thinking", "redacted_thinking"})


class MessageCall(ProviderCall):
    def start(self, request: Mapping[str, Any]) -> CallStart:
        system, messages = request.get("system"), request.get("messages")
        asked = [{"role": "system", "content": system}] if isinstance(system, (str, list)) and system else []
        said = list(messages) if isinstance(messages, (list, tuple)) else []
        settings = pick_settings(request, "temperature", "max_tokens", "stream")
        return CallStart("anthropic.messages", as_text(request.get("model")), captured([*asked, *said]), settings)

    def read_answer(self, answer: Any) -> Outcome:
        held = as_mapping(answer)
        blocks = held.get("content") or ()
        return answered_outcome(
            model=held.get("model"),
            usage=_usage(held.get("usage")),
            output={
                "role": held.get("role") or "assistant",
                "content": [without_none(as_mapping(block)) for block in blocks if read(block, "type") not in _REASONING],
            },
            reasoning=[text for block in blocks if (text := as_text(read(block, "thinking"))) is not None],
            tools=[as_text(read(block, "name")) or "" for block in blocks if read(block, "type") == "tool_use"],
            attributes={"stop_reason": held.get("stop_reason")},
        )

    def collect(self) -> Collector:
        return _MessageCollector(self)


class _Block:
    def __init__(self, start: Any) -> None:
        self._start = without_none(as_mapping(start))
        self._pieces = {"text": CollectedText(), "thinking": CollectedText(), "partial_json": CollectedText()}

    def add(self, delta: Any) -> None:
        for name, collected in self._pieces.items():
            collected.add(read(delta, name))

    def whole(self) -> dict[str, Any]:
        said = {name: collected.read() for name, collected in self._pieces.items()}
        given = said.pop("partial_json")
        return {**self._start, **without_none(said), **({} if given is None else {"input": _parse(given)})}


class _MessageCollector(Collector):
    def __init__(self, call: MessageCall) -> None:
        self._call = call
        self._message: dict[str, Any] = {}
        self._blocks: dict[Any, _Block] = {}

    def add(self, chunk: Any) -> bool:
        match read(chunk, "type"):
            case "message_start":
                self._message = dict(as_mapping(read(chunk, "message")))
            case "message_delta":
                # The counts are those of the whole message so far; a count that is missing here stays as it was.
                counted = {**as_mapping(self._message.get("usage")), **without_none(as_mapping(read(chunk, "usage")))}
                self._message = {**self._message, **as_mapping(read(chunk, "delta")), "usage": counted}
            case "content_block_start":
                self._blocks[read(chunk, "index")] = _Block(read(chunk, "content_block"))
            case "content_block_delta":
                block = self._blocks.get(read(chunk, "index"))
                if block is not None:
                    block.add(read(chunk, "delta"))
        # A tool's name comes with the beginning of its block, everything else in pieces.
        delta = read(chunk, "delta")
        pieces = (*(read(delta, name) for name in ("text", "thinking", "partial_json")), read(chunk, "content_block", "name"))
        return any(as_text(piece) for piece in pieces)

    def outcome(self) -> Outcome:
        return self._call.read_answer({**self._message, "content": [block.whole() for block in self._blocks.values()]})


def _usage(usage: Any) -> dict[str, Any] | None:
    """Anthropic counts cached tokens apart; the event schema's input contains them."""
    uncached = as_count(read(usage, "input_tokens"))
    cached = as_count(read(usage, "cache_read_input_tokens"))
    written = as_count(read(usage, "cache_creation_input_tokens"))
    return usage_of(
        usage,
        input_tokens=None if uncached is None else uncached + (cached or 0) + (written or 0),
        output_tokens=as_count(read(usage, "output_tokens")),
        cache_read_tokens=cached,
        cache_write_tokens=written,
        reasoning_tokens=as_count(read(usage, "output_tokens_details", "thinking_tokens")),
    )


def _parse(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text
