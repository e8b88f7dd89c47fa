"""From where a failure came: its calls and those of the errors behind it, never the values that were in them."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any, NamedTuple

from sightline._capture.code_reference import is_application, is_own, name_of, reference

# As the event schema has them, and the SDK for TypeScript.
_MAX_FRAMES = 50
_MAX_CAUSES = 5
_MAX_MEMBERS = 20
_MAX_ERRORS = 30
_MAX_LENGTH = 16_384
_MAX_PATH_LENGTH = 4096
_MAX_TYPE_LENGTH = 500
_FRAME_LENGTH = 50
"""Characters of a frame's JSON beside its path and function."""


class Stack(NamedTuple):
    field: dict[str, Any]
    """As the event schema has it."""
    length: int
    """Characters, about."""


_PASSED_TO = "_sightline_passed_to"
"""On an exception, of which Python's own take no weak reference: the step around the one that failed with it last."""


def is_told_below(failure: Any, step: str, around: str | None) -> bool:
    """Whether a step right below has failed with the same exception, and so tells its stack. Notes where it goes on to."""
    held = getattr(failure, "__dict__", None)
    if type(held) is not dict:
        return False
    is_told = held.get(_PASSED_TO) == step
    held[_PASSED_TO] = around
    return is_told


class _Behind(NamedTuple):
    error: BaseException
    relation: str | None
    of: int | None
    causes: int


def read_stack(failure: Any, message_of: Callable[[BaseException], str]) -> Stack | None:
    """None for what is no exception. `message_of` gives a bounded text of an error."""
    if not isinstance(failure, BaseException):
        return None
    stack = _Writer()
    waiting = deque([_Behind(failure, None, None, 0)])
    seen = {id(failure)}
    while waiting:
        if len(stack.errors) == _MAX_ERRORS or stack.left <= 0:
            stack.omitted += len(waiting)
            break
        each = waiting.popleft()
        stack.add(each, message_of)
        for relation, error in _errors_behind(each.error):
            causes = each.causes if relation == "member" else each.causes + 1
            if id(error) in seen:
                continue
            if causes > _MAX_CAUSES:
                stack.omitted += 1
                continue
            seen.add(id(error))
            waiting.append(_Behind(error, relation, len(stack.errors) - 1, causes))
        if isinstance(each.error, BaseExceptionGroup):
            stack.omitted += max(0, len(each.error.exceptions) - _MAX_MEMBERS)
    return Stack(stack.to_field(), _MAX_LENGTH - stack.left)


def _errors_behind(error: BaseException) -> Iterator[tuple[str, BaseException]]:
    if error.__cause__ is not None:
        yield "cause", error.__cause__
    elif error.__context__ is not None and not error.__suppress_context__:
        yield "context", error.__context__
    if isinstance(error, BaseExceptionGroup):
        for member in islice(error.exceptions, _MAX_MEMBERS):
            yield "member", member


class _Writer:
    def __init__(self) -> None:
        self.errors: list[dict[str, Any]] = []
        self.omitted = 0
        self.left = _MAX_LENGTH
        self._origin: dict[str, Any] | None = None
        """Repository and commit of the first frame that is the application's own."""

    def add(self, behind: _Behind, message_of: Callable[[BaseException], str]) -> None:
        told: dict[str, Any] = {}
        if behind.relation is not None:
            # Of the failure itself the field `error` says it.
            kind, message = type(behind.error).__name__[:_MAX_TYPE_LENGTH], message_of(behind.error)
            told = {"relation": behind.relation, "of": behind.of, "type": kind, "message": message}
            self.left -= len(kind) + len(message)
        calls, count = _newest_calls(behind.error)
        told["frames"] = frames = []
        for file, line, name in calls:
            frame = self._frame(file, line, name)
            self.left -= len(frame["file"]) + len(name) + _FRAME_LENGTH
            if self.left < 0:
                break
            frames.append(frame)
        if count > len(frames):
            told["omitted"] = count - len(frames)
        self.errors.append(told)

    def _frame(self, file: str, line: int | None, name: str) -> dict[str, Any]:
        frame: dict[str, Any] = {"file": file[:_MAX_PATH_LENGTH]}
        if is_application(file):
            found = reference(file, line or 1, name)
            origin: dict[str, Any] = {key: found[key] for key in ("repo", "commit") if key in found}
            self._origin = origin if self._origin is None else self._origin
            # A file of another repository keeps its whole path.
            frame = {"file": found["file"] if origin == self._origin else frame["file"], "own": True}
        if line:
            frame["line"] = line
        frame["function"] = name
        return frame

    def to_field(self) -> dict[str, Any]:
        omitted = {"omitted": self.omitted} if self.omitted else {}
        return {**(self._origin or {}), "errors": self.errors, **omitted}


def _newest_calls(error: BaseException) -> tuple[list[tuple[str, int | None, str]], int]:
    """File, line and function of the newest calls, the newest first, and how many there are of all. The SDK's are none."""
    newest: deque[Any] = deque(maxlen=_MAX_FRAMES)
    count = 0
    trace = error.__traceback__
    while trace is not None:
        code = trace.tb_frame.f_code
        if not is_own(code.co_filename):
            newest.appendleft((code, trace.tb_lineno))
            count += 1
        trace = trace.tb_next
    return [(code.co_filename, line, name_of(code)) for code, line in newest], count
