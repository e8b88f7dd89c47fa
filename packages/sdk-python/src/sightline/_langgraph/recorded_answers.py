"""Chat models and tools of LangChain, answered in a replay. Callbacks can't answer, so their base classes are changed, once."""

from __future__ import annotations

import copy
import functools
import inspect
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any, cast

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.runnables.config import var_child_runnable_config
from langchain_core.tools import BaseTool

from sightline._client.state import current_replay
from sightline._langgraph.run_records import find_run
from sightline._replay.session import Call, recorded_call

_changed: set[type] = set()
_GIVEN = ("content", "tool_calls", "invalid_tool_calls", "id", "name")
_FIELDS = (*_GIVEN, "usage_metadata", "response_metadata", "additional_kwargs")


def answer_framework_calls() -> None:
    """Without a replay under way, what this changes goes on as before."""
    if _changed:
        return
    _changed.update((BaseChatModel, BaseTool))
    model, tool = cast("Any", BaseChatModel), cast("Any", BaseTool)
    model._generate_with_cache = _or_answer(model._generate_with_cache, _ask_model)
    model._agenerate_with_cache = _or_answer(model._agenerate_with_cache, _ask_model)
    model.stream, model.astream = _or_one_chunk(model.stream, model.astream)
    tool.run, tool.arun = _with_asking_tool(tool.run), _with_asking_tool(tool.arun)


def _or_answer(method: Callable[..., Any], ask: Callable[..., tuple[Any] | None]) -> Callable[..., Any]:
    """The method, in whose place `ask`, which is given the same, may have an answer."""

    @functools.wraps(method)
    def now(*given: Any, **more: Any) -> Any:
        answer = ask(*given, **more)
        return method(*given, **more) if answer is None else answer[0]

    @functools.wraps(method)
    async def later(*given: Any, **more: Any) -> Any:
        answer = ask(*given, **more)
        return await method(*given, **more) if answer is None else answer[0]

    return later if inspect.iscoroutinefunction(method) else now


def _or_one_chunk(stream: Callable[..., Any], astream: Callable[..., Any]) -> tuple[Callable[..., Any], Callable[..., Any]]:
    @functools.wraps(stream)
    def stream_or_answer(self: Any, *given: Any, **more: Any) -> Iterator[Any]:
        if current_replay.get() is None:
            yield from stream(self, *given, **more)
        else:
            yield _chunk(self.invoke(*given, **more))

    @functools.wraps(astream)
    async def astream_or_answer(self: Any, *given: Any, **more: Any) -> AsyncIterator[Any]:
        if current_replay.get() is None:
            async for chunk in astream(self, *given, **more):
                yield chunk
        else:
            yield _chunk(await self.ainvoke(*given, **more))

    return stream_or_answer, astream_or_answer


def _with_asking_tool(run: Callable[..., Any]) -> Callable[..., Any]:
    """Runs a copy of the tool that asks for its answer where its function would be called: callbacks are told as ever."""

    @functools.wraps(run)
    def run_or_answer(tool: Any, *given: Any, **more: Any) -> Any:
        if current_replay.get() is not None:
            asking = copy.copy(tool)
            for name in ("_run", "_arun"):
                object.__setattr__(asking, name, _or_answer(getattr(tool, name), functools.partial(_ask_tool, tool)))
            tool = asking
        return run(tool, *given, **more)

    return run_or_answer


def _ask_model(_model: Any, _messages: Any, _stop: Any = None, run_manager: Any = None, **_: Any) -> tuple[Any] | None:
    call = _call_of_run(getattr(run_manager, "run_id", None), "llm")
    if call is None:
        return None
    messages = [AIMessage(**{name: plain[name] for name in _FIELDS if name in plain}) for plain in call.value()]
    return (ChatResult(generations=[ChatGeneration(message=message) for message in messages]),)


def _ask_tool(tool: Any, *_: Any, **__: Any) -> tuple[Any] | None:
    config = var_child_runnable_config.get() or {}
    call = _call_of_run(getattr(config.get("callbacks"), "parent_run_id", None), f"tool {tool.name}")
    if call is None:
        return None
    value, failed = call.value(), call.answer["failed_call_id"]
    if failed is not None:
        # The tool told of its failure in a message of its own.
        value = ToolMessage(content=value, name=tool.name, status="error", tool_call_id=failed)
    return ((value, None) if tool.response_format == "content_and_artifact" else value,)


def _call_of_run(run_id: Any, label: str) -> Call | None:
    record = find_run(run_id) if current_replay.get() is not None else None
    observation = None if record is None else record.observation
    return recorded_call(None if observation is None else observation.observation_id, label)


def _chunk(message: Any) -> AIMessageChunk:
    held = {name: value for name in _FIELDS if (value := getattr(message, name, None)) is not None}
    return AIMessageChunk(**held, chunk_position="last")
