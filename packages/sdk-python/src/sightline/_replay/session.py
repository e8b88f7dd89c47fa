from __future__ import annotations

import json
import threading
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from sightline._client.state import current_replay
from sightline._event.event_text import mask_texts
from sightline._replay.comparable import comparable, first_difference, to_key
from sightline._replay.errors import ReplayStoppedError, recorded_error

OnDivergence = Literal["stop", "live"]
ANSWERED = frozenset({"llm", "tool", "retriever"})
"""Kinds of steps whose calls are answered."""


@dataclass(slots=True)
class Call:
    """A call of the recording, or a visit of a node, as the platform lists them."""

    path: str
    """Names of the nodes around it, then its kind and name."""
    number: int
    """From 1, among those of its path."""
    input: Any
    key: str
    answer: Any
    """None where it is not answered: of a node, or a tool in which a graph ran."""
    errors: Sequence[type[Exception]]
    is_used: bool = False

    def value(self) -> Any:
        """What the call gave. Raises what it raised."""
        if self.answer["error"] is not None:
            raise recorded_error(self.answer["error"], self.errors)
        return self.answer["output"]


class Session:
    """A replay that is under way: told of every step that starts, it answers the calls among them from the recording."""

    def __init__(
        self, calls: Sequence[Mapping[str, Any]], on_divergence: OnDivergence = "stop", errors: Sequence[type[Exception]] = ()
    ) -> None:
        self._calls: list[Call] = []
        self._by_path: dict[str, list[Call]] = {}
        for each in calls:
            path, given = each["path"], comparable(each["input"])
            of_path = self._by_path.setdefault(path, [])
            of_path.append(Call(path, len(of_path) + 1, given, to_key(given), each["answer"], errors))
            self._calls.append(of_path[-1])
        self._on_divergence = on_divergence
        self._lock = threading.Lock()
        self._places: dict[str, str] = {}
        self._counts: Counter[str] = Counter()
        self._started: dict[str, tuple[str, Call | None]] = {}
        """Calls that have not asked for their answer."""
        self.divergence: str | None = None
        self.answered = 0
        self.live: list[str] = []
        self.is_stopped = False

    def note(self, started: dict[str, Any]) -> None:
        """A step starts, of which this is recorded, before texts in it are masked. Marks it where the replay diverges at it."""
        observation_id, kind, name = (started[key] for key in ("observation_id", "kind", "name"))
        attributes = started["attributes"] or {}
        is_call = kind in ANSWERED and attributes.get("source") != "_tools_executed"
        with self._lock:
            path = self._places.get(started["parent_id"], "")
            if is_call or kind == "node":
                path = " > ".join(filter(None, (path, f"{kind} {name}" if is_call else name)))
                before = self.divergence
                call = self._match(path, started["input"] if is_call else None, attributes) if before is None else None
                if is_call:
                    self._started[observation_id] = (path, call)
                if self.divergence != before:
                    started["attributes"] = {**attributes, "replay_divergence": self.divergence}
            self._places[observation_id] = path

    def answer(self, observation_id: str | None, label: str, *, is_block: bool = False) -> Call | None:
        """What answers the call; None where it is to be made. A block can't be answered, as it runs in any case."""
        with self._lock:
            path, call = self._started.pop(observation_id or "", (label, None))
            if call is not None and call.answer is None:
                return None
            if call is not None and not is_block:
                self.answered += 1
                return call
            self._diverge(path, self._counts[path] or 1, "it can't be answered")
            if self._on_divergence == "stop":
                self.is_stopped = True
                raise ReplayStoppedError(self.divergence)
            self.live.append(path)
            return None

    def finish(self) -> None:
        """The agent has ended: says what ran without being answered, and what was recorded and did not happen."""
        if self.is_stopped:
            return
        for path, call in self._started.values():
            answer = {"error": None, "failed_call_id": None} if call is None else call.answer
            # A call that failed when it was recorded may have failed before it was made.
            if answer is not None and answer["error"] is None and answer["failed_call_id"] is None:
                self.live.append(path)
                self._diverge(path, self._counts[path], "it can't be answered")
        for call in self._calls:
            if not call.is_used:
                self._diverge(call.path, call.number, "it was recorded, and did not happen")

    def _match(self, path: str, payload: Any, attributes: Mapping[str, Any]) -> Call | None:
        self._counts[path] += 1
        given = comparable(mask_texts(json.loads(json.dumps(payload))))
        key = to_key(given)
        unused = [call for call in self._by_path.get(path, ()) if not call.is_used]
        found = next((call for call in unused if call.key == key), None)
        if found is not None:
            http = found.answer and found.answer["http"]
            if http and http["is_stream"] != bool(attributes.get("stream")):
                self._diverge(path, found.number, "it was recorded as a stream, and is none now, or the other way round")
                return None
            found.is_used = True
        elif unused:
            place = first_difference(unused[0].input, given)
            self._diverge(path, unused[0].number, f"its input differs from the recorded one at {place}")
        else:
            self._diverge(path, self._counts[path], "the recording has none")
        return found

    def _diverge(self, path: str, number: int, how: str) -> None:
        self.divergence = self.divergence or f"{path}, call {number}: {how}"


def recorded_call(observation_id: str | None, label: str, *, is_block: bool = False) -> Call | None:
    """What answers the call in a replay; None where it is to be made. `label` names one of which nothing is recorded. Raises
    `ReplayStoppedError`. Without a replay under way, that is a look at a context variable."""
    session = current_replay.get()
    return None if session is None else session.answer(observation_id, label, is_block=is_block)
