from __future__ import annotations

import threading
from collections.abc import Callable
from contextvars import ContextVar
from typing import TYPE_CHECKING, NamedTuple

from sightline._publish.publisher import Publisher
from sightline._settings.metrics import Metrics
from sightline._settings.warnings import DEFAULT_LOGGER, Warnings

if TYPE_CHECKING:
    from sightline._replay.session import Session


class ActiveSpan(NamedTuple):
    """Where in which trace the running code is."""

    trace_id: str
    observation_id: str | None
    """None directly under the trace."""
    inside_run: str | None
    """The framework's run this was opened inside, if any."""


class State:
    """The SDK's one client. The application calls plain functions (`observe`, `score`, …) from anywhere, without handing
    anything around, so there is one per process."""

    def __init__(self) -> None:
        self.changing = threading.RLock()
        """Held while a publisher is started or taken away."""
        self.publisher: Publisher | None = None
        self.capture_prompts = False
        self.is_first_trace_told = False
        """Whether this process has said where its first trace is."""
        self.metrics = Metrics()
        self.framework_span: Callable[[], ActiveSpan | None] | None = None
        """Set by an integration: the framework's run around the running code."""


state = State()
own_span: ContextVar[ActiveSpan | None] = ContextVar("sightline_span", default=None)
current_replay: ContextVar[Session | None] = ContextVar("sightline_replay", default=None)
"""The one around the running code."""


_unconfigured = Warnings(DEFAULT_LOGGER)


def warn(reason: str, message: str) -> None:
    """Says something to the application's log, at most once a minute for each reason; to the SDK's logger before there is a
    publisher."""
    if state.publisher is None:
        _unconfigured.say(reason, message)
    else:
        state.publisher.warn(reason, message)


def current_span() -> ActiveSpan | None:
    """The innermost span around the running code: one of ours, unless the framework opened a run inside it."""
    own = own_span.get()
    framework = state.framework_span() if state.framework_span is not None else None
    return own if framework is None or (own is not None and own.inside_run == framework.inside_run) else framework


def framework_run() -> str | None:
    framework = state.framework_span() if state.framework_span is not None else None
    return None if framework is None else framework.inside_run


def wrap_llm_adapter() -> None:
    """Turns on the capture of prompts, responses and reasoning of model calls, by whichever integration, for the whole
    process. Without it they are recorded with model, usage, status and time only. Never raises."""
    state.capture_prompts = True


def metrics_text() -> str:
    """The SDK's metrics in the Prometheus text format, for the application's `GET /metrics`. Stream length, consumer lag and
    heartbeat are those of the last look, at most ten seconds old while Redis answers."""
    return state.metrics.format()
