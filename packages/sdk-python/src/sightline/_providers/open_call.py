from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from sightline._capture.recorder import (
    OpenObservation,
    OpenTrace,
    Outcome,
    end_observation,
    end_trace,
    note_first_token,
    start_observation,
    start_trace,
)
from sightline._client.state import ActiveSpan, current_span


class CallStart(NamedTuple):
    name: str
    model: str | None
    input: Any
    attributes: Mapping[str, Any]
    messages: Any = None
    """Whatever holds the text that the model is asked with."""


class OpenCall:
    """A model call that is under way; only its first end counts."""

    def __init__(self, observation: OpenObservation, trace: OpenTrace | None) -> None:
        self.observation = observation
        self._trace = trace
        self._is_ended = False

    def note_first_token(self) -> None:
        note_first_token(self.observation)

    def end(self, outcome: Outcome) -> None:
        if self._is_ended:
            return
        self._is_ended = True
        end_observation(self.observation, outcome)
        if self._trace is not None:
            end_trace(self._trace, Outcome(outcome.status, output=outcome.output, error=outcome.error))


def open_call(start: CallStart) -> OpenCall | None:
    """A call of the running trace, or of a trace of its own when none is running. None when nothing is recorded."""
    parent = current_span()
    trace = start_trace(start.name, input=start.input) if parent is None else None
    if trace is not None:
        parent = ActiveSpan(trace.trace_id, None, None)
    if parent is None:
        return None
    observation = start_observation(
        parent.trace_id,
        parent.observation_id,
        "llm",
        start.name,
        model=start.model,
        messages=start.messages,
        input=start.input,
        attributes=start.attributes,
    )
    return None if observation is None else OpenCall(observation, trace)
