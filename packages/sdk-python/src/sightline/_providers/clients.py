"""What an application calls; nothing of `openai` or `anthropic` is imported."""

from __future__ import annotations

from typing import Any, TypeVar

from sightline._capture.loose_values import quietly, read
from sightline._providers.anthropic_calls import MessageCall
from sightline._providers.openai_calls import ChatCompletionCall, EmbeddingCall, ResponseCall
from sightline._providers.post_calls import trace_copies, trace_posts
from sightline._settings.settings import is_switched_off

Client = TypeVar("Client")

_OPENAI_CALLS = {"/chat/completions": ChatCompletionCall(), "/responses": ResponseCall(), "/embeddings": EmbeddingCall()}
_OPENAI_RESOURCES = (("chat", "completions"), ("responses",), ("embeddings",))
_ANTHROPIC_CALLS = {"/v1/messages": MessageCall()}
_ANTHROPIC_RESOURCES = (("messages",), ("beta", "messages"))


def wrap_openai(client: Client) -> Client:
    """Records every model call of an `OpenAI` or `AsyncOpenAI` client (chat completions, responses, embeddings; streams, `parse`
    and `stream` too) with model, tokens and status, and after `wrap_llm_adapter()` prompts and answers. Returns the client it
    was given. A stream of chat completions tells its tokens only when it was asked to, with
    `stream_options={"include_usage": True}`.

    client = wrap_openai(OpenAI())
    """
    return _wrap(client, _trace_openai)


def wrap_anthropic(client: Client) -> Client:
    """Records every message an `Anthropic` or `AsyncAnthropic` client creates (streams too) with model, tokens and status, and
    after `wrap_llm_adapter()` prompts and answers. Returns the client it was given.

    client = wrap_anthropic(Anthropic())
    """
    return _wrap(client, _trace_anthropic)


def _wrap(client: Client, trace_client: Any) -> Client:
    if not is_switched_off():
        quietly(lambda: trace_client(client))
    return client


def _trace_openai(client: Any) -> None:
    for path in _OPENAI_RESOURCES:
        trace_posts(read(client, *path), _OPENAI_CALLS)
    trace_copies(client, _trace_openai)


def _trace_anthropic(client: Any) -> None:
    for path in _ANTHROPIC_RESOURCES:
        trace_posts(read(client, *path), _ANTHROPIC_CALLS)
    trace_copies(client, _trace_anthropic)
