from __future__ import annotations

import math
from typing import NamedTuple

from sightline._capture.interruptions import let_through
from sightline._capture.recorder import record_score
from sightline._client.state import current_span
from sightline._settings.settings import UUID


class TraceReference(NamedTuple):
    """Where the running code is being recorded, so that a score can be given later, by somebody else."""

    trace_id: str
    observation_id: str | None


def score(
    name: str,
    value: float,
    *,
    comment: str | None = None,
    trace_id: str | None = None,
    observation_id: str | None = None,
) -> bool:
    """Gives the running trace or observation, or the one that is named, a value; for yes and no 1 and 0. Answers whether it was
    recorded: False outside of any trace, for a value that is no finite number, and with the SDK switched off. Never raises."""
    try:
        return _score(name, value, comment, trace_id, observation_id)
    except BaseException as error:
        # An object may refuse to say of which class it is, and an integer may be larger than any fraction.
        let_through(error)
        return False


def _score(name: str, value: float, comment: str | None, trace_id: str | None, observation_id: str | None) -> bool:
    running = current_span()
    if trace_id is None and running is not None:
        trace_id = running.trace_id
        observation_id = observation_id or running.observation_id
    is_number = isinstance(value, (int, float)) and math.isfinite(value)
    if (
        not is_number
        or not isinstance(name, str)
        or name == ""
        or not all(map(_is_identifier, filter(None, (trace_id, observation_id))))
    ):
        return False
    return trace_id is not None and record_score(trace_id, observation_id, name, value, comment)


def current_trace() -> TraceReference | None:
    """The running trace and observation; None where nothing is recorded."""
    running = current_span()
    return None if running is None else TraceReference(running.trace_id, running.observation_id)


def _is_identifier(text: object) -> bool:
    return isinstance(text, str) and UUID.fullmatch(text) is not None
