from __future__ import annotations

from decimal import Decimal
from typing import NamedTuple
from uuid import UUID

from sightline._capture.first_trace import trace_address
from sightline._capture.interruptions import let_through
from sightline._capture.recorder import record_score
from sightline._client.state import current_span
from sightline._settings.text_of import TextLike


class TraceReference(NamedTuple):
    """Where the running code is being recorded, so that a log line can name it and a score can be given later, by somebody
    else."""

    trace_id: str
    observation_id: str | None

    @property
    def url(self) -> str | None:
        """The trace in the console; None unless `console_url` or `OBS_CONSOLE_URL` says where that is."""
        return trace_address(self.trace_id)


def score(
    name: str,
    value: float | Decimal | str,
    *,
    comment: TextLike | None = None,
    trace_id: str | UUID | None = None,
    observation_id: str | UUID | None = None,
) -> bool:
    """Gives the running trace or observation, or the one that is named, a value: a number, or True or False. Answers whether
    it was recorded: False outside of any trace, for a value that is no finite number, and with the SDK switched off; what it
    lacks is said in the log. Never raises."""
    try:
        running = current_span() if trace_id is None else None
        if running is not None:
            trace_id = running.trace_id
            observation_id = running.observation_id if observation_id is None else observation_id
        return record_score(trace_id, observation_id, name, value, comment)
    except BaseException as error:
        let_through(error)
        return False


def current_trace() -> TraceReference | None:
    """The running trace and observation; None where nothing is recorded."""
    running = current_span()
    return None if running is None else TraceReference(running.trace_id, running.observation_id)
