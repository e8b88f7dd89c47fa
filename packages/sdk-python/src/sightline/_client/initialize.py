from __future__ import annotations

import threading
from concurrent.futures import Future
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from sightline._capture.interruptions import let_through
from sightline._capture.payload_copies import error_message
from sightline._client.at_exit import install_exit_hooks
from sightline._client.pending import Pending, settled
from sightline._client.state import state
from sightline._publish.publish_failure import classify_failure
from sightline._publish.publisher import Publisher
from sightline._publish.stream_connection import StreamState
from sightline._settings.settings import (
    DEFAULT_BUFFER_BYTES,
    DEFAULT_BUFFER_EVENTS,
    DEFAULT_STREAM_LENGTH,
    MaskFunction,
    Options,
    Unusable,
    read_settings,
)
from sightline._settings.warnings import DEFAULT_LOGGER, Warnings

if TYPE_CHECKING:
    import logging

VERIFICATION_DEADLINE = 2.5
CLOSE_DEADLINE = 2.0


@dataclass(frozen=True, slots=True)
class Verification:
    """What was found at the start; an application may ignore it."""

    ok: bool
    """Redis takes events and, when asked to look, a consumer is not known to be down and the project not known to be missing."""
    enabled: bool
    """Whether events are recorded at all. True with Redis down: they wait in a bounded buffer."""
    redis: Literal["up", "down", "unchecked"]
    consumer: Literal["up", "down", "unknown", "unchecked"]
    reason: str | None = None
    """What is not as it should be."""


def initialize_redis_publisher(
    redis_url: str | None = None,
    stream_name: str | None = None,
    project_id: str | None = None,
    max_stream_length: int = DEFAULT_STREAM_LENGTH,
    verify_consumer: bool = False,
    *,
    enabled: bool | None = None,
    capture_reasoning: bool | None = None,
    reasoning_max_length: int | None = None,
    console_url: str | None = None,
    mask: MaskFunction | None = None,
    logger: logging.Logger | None = None,
    max_buffer_bytes: int = DEFAULT_BUFFER_BYTES,
    max_buffer_events: int = DEFAULT_BUFFER_EVENTS,
) -> Pending[Verification]:
    """Starts publishing at once and looks whether Redis is there. Never raises. What is not given comes from the `OBS_*`
    variables.

    The answer is there within about two seconds and may be ignored: `await initialize_redis_publisher()` in a coroutine,
    `initialize_redis_publisher().wait()` in plain code.
    """
    try:
        options = Options(
            redis_url=redis_url,
            stream_name=stream_name,
            project_id=project_id,
            max_stream_length=max_stream_length,
            enabled=enabled,
            capture_reasoning=capture_reasoning,
            reasoning_max_length=reasoning_max_length,
            console_url=console_url,
            mask=mask,
            logger=logger,
            max_buffer_bytes=max_buffer_bytes,
            max_buffer_events=max_buffer_events,
        )
        return _initialize(options, verify_consumer=verify_consumer)
    except BaseException as error:
        let_through(error)
        enabled_now = state.publisher is not None
        return settled(Verification(False, enabled_now, "unchecked", "unchecked", error_message(error)))


def close_redis_publisher() -> Pending[None]:
    """Sends what is left for at most two seconds and lets go. Never raises; calling it again, or before any start, does
    nothing. `await close_redis_publisher()` in a coroutine, `close_redis_publisher().wait()` in plain code; the end of the
    process waits for it in any case."""
    with state.changing:
        publisher = state.publisher
        state.publisher = None
    if publisher is None:
        return settled(None)
    future: Future[None] = Future()
    try:
        threading.Thread(target=_close, args=(publisher, future), name="sightline-close").start()
    except RuntimeError:
        # The interpreter is ending and starts no threads any more.
        _close(publisher, future)
    return Pending(future, CLOSE_DEADLINE + 1, lambda: None)


def _initialize(options: Options, *, verify_consumer: bool) -> Pending[Verification]:
    settings = read_settings(options)
    with state.changing:
        if state.publisher is not None:
            close_redis_publisher().wait()
        if isinstance(settings, Unusable):
            if not settings.switched_off:
                logger = options.logger or DEFAULT_LOGGER
                Warnings(logger).say("settings", f"observability is off: {settings.reason}")
            return settled(Verification(False, False, "unchecked", "unchecked", settings.reason))
        publisher = Publisher(settings, state.metrics)
        state.publisher = publisher
    install_exit_hooks(lambda: close_redis_publisher().wait())
    found = publisher.probe()
    answer: Future[Verification] = Future()
    found.add_done_callback(
        lambda probe: answer.set_result(_verification(probe, settings.project_id, verify_consumer=verify_consumer))
    )
    consumer: Literal["unknown", "unchecked"] = "unknown" if verify_consumer else "unchecked"
    return Pending(answer, VERIFICATION_DEADLINE, lambda: Verification(False, True, "down", consumer, "Redis does not answer"))


def _verification(probe: Future[StreamState], project_id: str, *, verify_consumer: bool) -> Verification:
    error = probe.exception()
    if error is not None:
        failure = classify_failure(error)
        redis: Literal["up", "down"] = "up" if failure.reason == "wrong_type" else "down"
        return Verification(False, True, redis, "unknown" if verify_consumer else "unchecked", failure.message)
    if not verify_consumer:
        return Verification(True, True, "up", "unchecked")
    if probe.result().consumer_alive is None:
        return Verification(True, True, "up", "unknown")
    if not probe.result().consumer_alive:
        return Verification(False, True, "up", "down", "no consumer is alive; events wait in the stream")
    if probe.result().is_project_missing:
        return Verification(False, True, "up", "up", f"there is no project {project_id}; its events are set aside")
    return Verification(True, True, "up", "up")


def _close(publisher: Publisher, future: Future[None]) -> None:
    try:
        publisher.close(CLOSE_DEADLINE)
    except Exception:
        state.metrics.count_dropped("closed", 1)
    future.set_result(None)
