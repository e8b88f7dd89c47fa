from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sightline._capture.loose_values import as_count, as_mapping, as_text, read, usage_of, without_none
from sightline._capture.recorder import Outcome
from sightline._providers.open_call import CallStart
from sightline._providers.post_calls import Collector, ProviderCall
from sightline._providers.provider_values import CollectedText, answered_outcome, captured, mappings, pick_settings

_ENDS = frozenset({"response.completed", "response.incomplete", "response.failed"})


class ChatCompletionCall(ProviderCall):
    def start(self, request: Mapping[str, Any]) -> CallStart:
        names = ("temperature", "max_tokens", "max_completion_tokens", "reasoning_effort", "stream")
        return CallStart(
            "openai.chat", as_text(request.get("model")), captured(request.get("messages")), pick_settings(request, *names)
        )

    def read_answer(self, answer: Any) -> Outcome:
        held = as_mapping(answer)
        choices = mappings(held.get("choices"))
        messages = [_whole(choice.get("message")) for choice in choices]
        reasons = [choice.get("finish_reason") for choice in choices]
        return _chat_outcome(held.get("model"), messages, reasons, held.get("usage"))

    def collect(self) -> Collector:
        return _ChatCollector()


class ResponseCall(ProviderCall):
    def start(self, request: Mapping[str, Any]) -> CallStart:
        given = request.get("input")
        messages = [{"role": "user", "content": given}] if isinstance(given, str) else given
        settings = pick_settings(request, "temperature", "max_output_tokens", "stream", "background")
        return CallStart("openai.responses", as_text(request.get("model")), captured(messages), settings)

    def read_answer(self, answer: Any) -> Outcome:
        held = as_mapping(answer)
        items = [_whole(item) for item in held.get("output") or ()]
        said = [item for item in items if item.get("type") != "reasoning"]
        thoughts = [item for item in items if item.get("type") == "reasoning"]
        parts = [part for item in thoughts for key in ("content", "summary") for part in item.get(key) or ()]
        outcome = answered_outcome(
            model=held.get("model"),
            usage=_usage(held.get("usage"), "input", "output"),
            output=said,
            reasoning=[text for part in parts if (text := as_text(read(part, "text"))) is not None],
            tools=[str(item.get("name")) for item in said if item.get("type") == "function_call"],
            attributes=without_none({"response_status": held.get("status"), "incomplete": held.get("incomplete_details")}),
        )
        if held.get("status") == "failed":
            outcome.status = "failure"
            outcome.error = as_text(read(held.get("error"), "message")) or "the response failed"
        return outcome

    def collect(self) -> Collector:
        return _ResponseCollector(self)


class EmbeddingCall(ProviderCall):
    def start(self, request: Mapping[str, Any]) -> CallStart:
        model = as_text(request.get("model"))
        return CallStart("openai.embeddings", model, captured(request.get("input")), pick_settings(request, "dimensions"))

    def read_answer(self, answer: Any) -> Outcome:
        held = as_mapping(answer)
        usage = _usage(held.get("usage"), "prompt", "completion")
        return Outcome("success", model=as_text(held.get("model")), usage=usage)

    def collect(self) -> Collector:
        return _ChatCollector()


class _Message:
    """A message of a chat that comes in pieces."""

    def __init__(self) -> None:
        self.role: str | None = None
        self.content = CollectedText()
        self.reasoning = CollectedText()
        self.refusal = CollectedText()
        self.calls: dict[Any, dict[str, Any]] = {}

    def add(self, delta: Any) -> bool:
        self.role = self.role or as_text(read(delta, "role"))
        reasoning = read(delta, "reasoning_content") or read(delta, "reasoning")
        pieces = ((self.content, read(delta, "content")), (self.refusal, read(delta, "refusal")), (self.reasoning, reasoning))
        for collected, piece in pieces:
            collected.add(piece)
        calls = read(delta, "tool_calls") or ()
        for given in calls:
            call = self.calls.setdefault(read(given, "index"), {"arguments": CollectedText()})
            call["id"] = call.get("id") or read(given, "id")
            call["type"] = call.get("type") or read(given, "type")
            call["name"] = call.get("name") or read(given, "function", "name")
            call["arguments"].add(read(given, "function", "arguments"))
        return bool(calls) or any(as_text(piece) for _, piece in pieces)

    def whole(self) -> dict[str, Any]:
        calls = [
            {
                "id": call["id"],
                "type": call["type"],
                "function": {"name": call["name"], "arguments": call["arguments"].read() or ""},
            }
            for call in self.calls.values()
        ]
        more = {
            "reasoning_content": self.reasoning.read(),
            "refusal": self.refusal.read(),
            "tool_calls": calls or None,
        }
        return {"role": self.role or "assistant", "content": self.content.read(), **without_none(more)}


class _ChatCollector(Collector):
    def __init__(self) -> None:
        self._messages: dict[int, _Message] = {}
        self._reasons: dict[int, Any] = {}
        self._model: str | None = None
        self._usage: Any = None

    def add(self, chunk: Any) -> bool:
        self._model = self._model or as_text(read(chunk, "model"))
        self._usage = read(chunk, "usage") or self._usage
        has_content = False
        for choice in read(chunk, "choices") or ():
            index = read(choice, "index") or 0
            message = self._messages.setdefault(index, _Message())
            has_content = message.add(read(choice, "delta")) or has_content
            self._reasons[index] = read(choice, "finish_reason") or self._reasons.get(index)
        return has_content

    def outcome(self) -> Outcome:
        messages = [message.whole() for message in self._messages.values()]
        return _chat_outcome(self._model, messages, list(self._reasons.values()), self._usage)


class _ResponseCollector(Collector):
    def __init__(self, call: ResponseCall) -> None:
        self._call = call
        self._last: Any = None
        self._model: Any = None

    def add(self, chunk: Any) -> bool:
        kind = as_text(read(chunk, "type")) or ""
        response = read(chunk, "response")
        self._model = self._model or read(response, "model")
        if kind in _ENDS:
            self._last = response
        return kind.endswith(".delta") and as_text(read(chunk, "delta")) is not None

    def outcome(self) -> Outcome:
        return self._call.read_answer(self._last or {"model": self._model})


def _chat_outcome(model: Any, messages: list[dict[str, Any]], reasons: list[Any], usage: Any) -> Outcome:
    reasoning, tools = [], []
    for message in messages:
        thought = as_text(message.pop("reasoning_content", None)) or as_text(message.pop("reasoning", None))
        reasoning += [] if thought is None else [thought]
        tools += [as_text(read(call, "function", "name")) or "" for call in message.get("tool_calls") or ()]
    return answered_outcome(
        model=model,
        usage=_usage(usage, "prompt", "completion"),
        output=messages[0] if len(messages) == 1 else messages,
        reasoning=reasoning,
        tools=tools,
        attributes={"finish_reasons": reasons},
    )


def _usage(usage: Any, given: str, made: str) -> dict[str, Any] | None:
    """Chat completions and responses name the same counts differently. Input contains the cached tokens, as the event schema
    wants it."""
    return usage_of(
        usage,
        input_tokens=as_count(read(usage, f"{given}_tokens")),
        output_tokens=as_count(read(usage, f"{made}_tokens")),
        cache_read_tokens=as_count(read(usage, f"{given}_tokens_details", "cached_tokens")),
        cache_write_tokens=as_count(read(usage, f"{given}_tokens_details", "cache_write_tokens")),
        reasoning_tokens=as_count(read(usage, f"{made}_tokens_details", "reasoning_tokens")),
    )


def _whole(model: Any) -> dict[str, Any]:
    """What a model of the client holds, fields apart that the client does not know."""
    return without_none({**as_mapping(model), **(getattr(model, "__pydantic_extra__", None) or {})})
