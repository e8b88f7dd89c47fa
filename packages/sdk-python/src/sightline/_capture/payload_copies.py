from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

from sightline._capture.chat_message import ReasoningPolicy
from sightline._capture.given_fields import GivenFields
from sightline._capture.interruptions import let_through
from sightline._capture.known_objects import short_message
from sightline._capture.loose_values import quietly
from sightline._capture.reasoning import bound_reasoning
from sightline._capture.snapshot import PAYLOAD_LIMITS, SMALL_LIMITS, Limits, take_snapshot
from sightline._capture.stack_trace import is_told_below, read_stack
from sightline._mask import WITHHELD
from sightline._settings.settings import PayloadField, Settings

_MAX_ERROR_LENGTH = 8192
_MAX_MESSAGE_LENGTH = 500
"""Of an error behind the one that was raised."""
_MARKED = frozenset({"input", "output", "error"})


class PayloadCopies(GivenFields):
    """The copies one event is made of, bounded and masked, and how many bytes they hold together."""

    __slots__ = ("_mask", "_masked", "_reasoning")

    def __init__(self, settings: Settings) -> None:
        super().__init__()
        self._mask = settings.mask
        self._masked: dict[str, bool] = {}
        """What the application's mask changed, as attributes say it: a replay can't answer by that."""
        self._reasoning = ReasoningPolicy(settings.capture_reasoning, settings.reasoning_max_length)

    def payload(self, value: Any, field: PayloadField, limits: Limits = PAYLOAD_LIMITS) -> Any:
        if value is None:
            return None
        bounded = self._copy(value, limits)
        if self._mask is None:
            return bounded
        # The mask may change the very copy that it gets.
        before = repr(bounded)
        masked = self._apply_mask(bounded, field, limits)
        if repr(masked) != before and field in _MARKED:
            self._masked[f"masked_{field}"] = True
        return masked

    def attributes(self, values: Any, metadata: Any = None) -> dict[str, Any] | None:
        """Attributes, and metadata as one of them."""
        if metadata is None and (values is None or (type(values) is dict and not values)):
            return self._masked or None
        bounded: Any = self._entries(values, SMALL_LIMITS)
        if metadata is not None:
            bounded["metadata"] = self._entries(metadata, SMALL_LIMITS)
        if self._mask is not None:
            bounded = self._apply_mask(bounded, "attributes", SMALL_LIMITS)
        return {**(bounded if isinstance(bounded, dict) else {}), **self._masked} or None

    def error_text(self, error: Any) -> str | None:
        return None if error is None else self.text(error_message(error), _MAX_ERROR_LENGTH, "error")

    def stack(self, error: Any, step: str, around: str | None) -> dict[str, Any] | None:
        """From where a failure of a step came; None where that can't be read, and where a step right below tells it."""

        def message_of(behind: BaseException) -> str:
            message = quietly(lambda: short_message(behind, _MAX_MESSAGE_LENGTH))
            return self.text("[unreadable]" if message is None else message, _MAX_MESSAGE_LENGTH, "error")

        stack = quietly(lambda: None if is_told_below(error, step, around) else read_stack(error, message_of))
        if stack is None:
            return None
        self.size += stack.length
        return stack.field

    def text(self, text: str, maximum: int, field: PayloadField) -> str:
        bounded = self.payload(text[:maximum], field, SMALL_LIMITS)
        return bounded if isinstance(bounded, str) else WITHHELD

    def usage(self, measured: Mapping[str, Any] | None) -> dict[str, Any] | None:
        if measured is None:
            return None
        counts = {key: value for key, value in measured.items() if key != "raw"}
        raw = self.payload(measured.get("raw"), "usage", SMALL_LIMITS)
        return {**counts, "raw": raw} if isinstance(raw, dict) else counts

    def reasoning(self, text: str | None) -> dict[str, Any] | None:
        if text is None or not self._reasoning.capture:
            return None
        if self._mask is not None:
            limits = PAYLOAD_LIMITS._replace(text=len(text), size=len(text) + 8)
            masked = self._apply_mask(text, "reasoning", limits)
            text = masked if isinstance(masked, str) else WITHHELD
        bounded = bound_reasoning(text, self._reasoning.maximum)
        self.size += len(bounded["text"])
        return bounded

    def tool_entry(self, tool: Mapping[str, Any] | None) -> dict[str, Any] | None:
        if tool is None:
            return None
        parameters: Any = self._entries(tool["parameters"], PAYLOAD_LIMITS)
        if self._mask is not None:
            parameters = self._apply_mask(parameters, "parameters", PAYLOAD_LIMITS)
        return {
            "tool_name": self.name(tool["tool_name"], "tool"),
            "parameters": parameters if isinstance(parameters, dict) else {"withheld": parameters},
            "result": self.payload(tool["result"], "result"),
            "timestamp": tool["timestamp"],
            "status": tool["status"],
        }

    def _entries(self, value: Any, limits: Limits) -> dict[str, Any]:
        """A list or a single value stands under `value`, so that it is found by a key like any other."""
        copied = {} if value is None else self._copy(value, limits)
        return copied if isinstance(copied, dict) else {"value": copied}

    def _apply_mask(self, bounded: Any, field: PayloadField, limits: Limits) -> Any:
        """Fails closed: what the application's function could not mask does not leave."""
        try:
            masked = self._mask(bounded, field) if self._mask is not None else bounded
            if inspect.isawaitable(masked):
                if inspect.iscoroutine(masked):
                    masked.close()
                return WITHHELD
            return self._copy(masked, limits)
        except BaseException as error:
            let_through(error)
            return WITHHELD

    def _copy(self, value: Any, limits: Limits) -> Any:
        copied = take_snapshot(value, self._reasoning, limits)
        self.size += copied.size
        return copied.value


def error_message(error: Any) -> str:
    """Whatever is raised may raise when it is read; that it failed must be recorded all the same."""
    try:
        if isinstance(error, BaseException):
            message = short_message(error, _MAX_ERROR_LENGTH)
            return f"{type(error).__name__}: {message}" if message else type(error).__name__
        return str(error)[:_MAX_ERROR_LENGTH]
    except BaseException as unreadable:
        let_through(unreadable)
        return "[unreadable]"
