from __future__ import annotations

import ast
import builtins
from collections.abc import Sequence
from contextlib import suppress

from sightline._evaluate.errors import EvaluationError


class ReplayRefusedError(EvaluationError):
    """What was recorded can't be replayed; `reasons` names each step and field."""

    def __init__(self, reasons: list[str]) -> None:
        super().__init__(f"The trace can't be replayed: {'; '.join(reasons[:20])}")
        self.reasons = reasons


class ReplayStoppedError(Exception):
    """Raised in place of a call that the recording does not answer."""


class RecordedError(Exception):
    """An error that was recorded, whose class is not known here; its class is derived from this one and has the recorded name."""


def recorded_error(text: str, classes: Sequence[type[Exception]]) -> Exception:
    """An error that reads as the recorded text does, of one of `classes` or a built-in one, whose constructor is not called."""
    name, _, message = text.partition(": ")
    known = [*classes, getattr(builtins, name, None)]
    found = [kind for kind in known if isinstance(kind, type) and issubclass(kind, Exception) and kind.__name__ == name]
    kind: type[Exception] = found[0] if found else type(name if name.isidentifier() else "RecordedError", (RecordedError,), {})
    error = kind.__new__(kind)
    error.args = (message,) if message else ()
    if issubclass(kind, KeyError):
        with suppress(ValueError, SyntaxError):
            # It writes what it was given as Python does.
            error.args = (ast.literal_eval(message),)
    return error
