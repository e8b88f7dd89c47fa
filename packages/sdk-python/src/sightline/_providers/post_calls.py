from __future__ import annotations

import contextlib
import functools
import inspect
import weakref
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from time import perf_counter
from typing import Any

from sightline._capture.loose_values import quietly
from sightline._capture.outcomes import failed_outcome
from sightline._capture.recorder import Outcome
from sightline._client.state import state
from sightline._providers.open_call import CallStart, OpenCall, open_call
from sightline._providers.recorded_answers import send_recorded
from sightline._replay.session import recorded_call

_TRACED = "__sightline_traced__"


_ASKED = ("system", "instructions", "messages", "input")
"""Where requests hold what a model is asked with."""


class Collector(ABC):
    """One for each stream: is given every chunk, and is then asked what they made up."""

    @abstractmethod
    def add(self, chunk: Any) -> bool:
        """Whether the chunk holds a piece of the answer."""

    @abstractmethod
    def outcome(self) -> Outcome: ...


class ProviderCall(ABC):
    """What a provider's requests and answers mean."""

    @abstractmethod
    def start(self, request: Mapping[str, Any]) -> CallStart: ...

    @abstractmethod
    def read_answer(self, answer: Any) -> Outcome: ...

    @abstractmethod
    def collect(self) -> Collector: ...


def trace_posts(resource: Any, calls: Mapping[str, ProviderCall]) -> None:
    """Looks at what a client's resource sends to these paths and gets back, in place: the client's own helpers (`parse`,
    `stream`, …) send that way, too. The application gets the very answer and the very stream that the client made."""
    post = getattr(resource, "_post", None)
    if post is None or getattr(post, _TRACED, False):
        return
    if inspect.iscoroutinefunction(post):

        @functools.wraps(post)
        async def traced_in_coroutine(path: str, **request: Any) -> Any:
            call, opened = _open(calls, path, request)
            if call is None or opened is None:
                recorded_call(None, f"POST {path}")
                return await post(path, **request)
            try:
                answer = await _send(post, opened, path, request)
            except BaseException as error:
                opened.end(failed_outcome(error))
                raise
            _watch(answer, call, opened)
            return answer

        traced: Callable[..., Any] = traced_in_coroutine
    else:

        @functools.wraps(post)
        def traced_post(path: str, **request: Any) -> Any:
            call, opened = _open(calls, path, request)
            if call is None or opened is None:
                recorded_call(None, f"POST {path}")
                return post(path, **request)
            try:
                answer = _send(post, opened, path, request)
            except BaseException as error:
                opened.end(failed_outcome(error))
                raise
            _watch(answer, call, opened)
            return answer

        traced = traced_post
    setattr(traced, _TRACED, True)
    resource._post = traced


def _send(post: Callable[..., Any], opened: OpenCall, path: str, request: Mapping[str, Any]) -> Any:
    recorded = recorded_call(opened.observation.observation_id, f"POST {path}")
    return post(path, **request) if recorded is None else send_recorded(post, recorded, path, request)


def trace_copies(client: Any, trace_client: Callable[[Any], object]) -> None:
    """Traces the clients that a client makes of itself with other options."""
    for name in ("copy", "with_options"):
        make = getattr(client, name, None)
        if make is not None and not getattr(make, _TRACED, False):
            setattr(client, name, _traced_copy(make, trace_client))


def _traced_copy(make: Callable[..., Any], trace_client: Callable[[Any], object]) -> Callable[..., Any]:
    @functools.wraps(make)
    def traced(*args: Any, **kwargs: Any) -> Any:
        copied = make(*args, **kwargs)
        quietly(lambda: trace_client(copied))
        return copied

    setattr(traced, _TRACED, True)
    return traced


def _open(
    calls: Mapping[str, ProviderCall], path: str, request: Mapping[str, Any]
) -> tuple[ProviderCall | None, OpenCall | None]:
    call = calls.get(path.partition("?")[0]) if isinstance(path, str) else None
    body = request.get("body")
    if call is None or state.publisher is None or not isinstance(body, Mapping):
        return None, None
    return call, quietly(lambda: open_call(call.start(body)._replace(messages=[body.get(name) for name in _ASKED])))


def _watch(answer: Any, call: ProviderCall, opened: OpenCall) -> None:
    iterator = quietly(lambda: getattr(answer, "_iterator", None))
    if isinstance(iterator, AsyncIterator):
        progress = _Progress(call.collect(), opened)
        answer._iterator = _watch_async(iterator, progress)
        _watch_close(answer, progress)
    elif isinstance(iterator, Iterator):
        progress = _Progress(call.collect(), opened)
        answer._iterator = _watch_sync(iterator, progress)
        _watch_close(answer, progress)
    elif hasattr(answer, "http_response"):
        _watch_raw(answer, call, opened)
    else:
        opened.end(quietly(lambda: call.read_answer(answer)) or Outcome("success"))


def _watch_raw(answer: Any, call: ProviderCall, opened: OpenCall) -> None:
    """An answer whose body the application reads itself. It is told when it is parsed, which is tried at once where it
    came whole, and else at its close; of a body that was read in another way nothing is known."""
    parse, close = answer.parse, getattr(answer, "close", None)
    streams: list[Any] = []

    def note(parsed: Any) -> Any:
        if not hasattr(parsed, "_iterator"):
            outcome = quietly(lambda: call.read_answer(parsed)) or Outcome("success")
            outcome.attributes = {**outcome.attributes, "raw_response": True}
            opened.end(outcome)
        elif not streams:
            streams.append(parsed)
            _watch(parsed, call, opened)
        return parsed

    def end_unless_streaming() -> None:
        if not streams:
            opened.end(Outcome("success", attributes={"raw_response": True}))

    def is_whole() -> bool:
        return hasattr(answer.http_response, "_content")

    if inspect.iscoroutinefunction(parse):

        async def parse_later(*args: Any, **options: Any) -> Any:
            return note(await parse(*args, **options))

        async def close_later() -> None:
            if is_whole():
                with contextlib.suppress(Exception):
                    note(await parse())
            end_unless_streaming()
            if close is not None:
                await close()

        answer.parse, answer.close = parse_later, close_later
    else:

        def parse_now(*args: Any, **options: Any) -> Any:
            return note(parse(*args, **options))

        def close_now() -> None:
            if is_whole():
                quietly(parse_now)
            end_unless_streaming()
            if close is not None:
                close()

        answer.parse, answer.close = parse_now, close_now
        if is_whole():
            quietly(parse_now)
            end_unless_streaming()
    weakref.finalize(answer, end_unless_streaming).atexit = False


class _Progress:
    """What passes through a stream, and how it ended."""

    def __init__(self, collector: Collector, opened: OpenCall) -> None:
        self._collector = collector
        self._opened = opened
        self._started_at = perf_counter()
        self._first_chunk: float | None = None

    def add(self, chunk: Any) -> None:
        if self._first_chunk is None:
            self._first_chunk = perf_counter() - self._started_at
        if quietly(lambda: self._collector.add(chunk)):
            self._opened.note_first_token()

    def end(self, error: BaseException | None = None) -> None:
        outcome = quietly(self._collector.outcome) or Outcome("success")
        first = {} if self._first_chunk is None else {"first_chunk_ms": round(self._first_chunk * 1000)}
        added: Mapping[str, Any] = {}
        if error is not None:
            failed = failed_outcome(error)
            outcome.status, outcome.error, added = failed.status, failed.error, failed.attributes
        outcome.attributes = {**outcome.attributes, **first, **added}
        self._opened.end(outcome)


def _watch_close(stream: Any, progress: _Progress) -> None:
    """A stream that is closed before its end was left, also where nobody collects what is left of it for long."""
    close = getattr(stream, "close", None)
    if inspect.iscoroutinefunction(close):

        async def close_later() -> None:
            progress.end(GeneratorExit())
            await close()

        stream.close = close_later
    elif close is not None:

        def close_now() -> None:
            progress.end(GeneratorExit())
            close()

        stream.close = close_now


def _watch_sync(chunks: Iterator[Any], progress: _Progress) -> Iterator[Any]:
    try:
        for chunk in chunks:
            progress.add(chunk)
            yield chunk
    except BaseException as error:
        progress.end(error)
        raise
    progress.end()


async def _watch_async(chunks: AsyncIterator[Any], progress: _Progress) -> AsyncIterator[Any]:
    try:
        async for chunk in chunks:
            progress.add(chunk)
            yield chunk
    except BaseException as error:
        progress.end(error)
        raise
    progress.end()
