from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any, NamedTuple

from sightline._capture.interruptions import let_through
from sightline._client.state import warn
from sightline._mask.secret_texts import mask_text
from sightline._settings.text_of import TEXTS, kind_of, text_of

MAX_TAGS = 50
_MAX_NAME_LENGTH = 500
_MAX_TITLE_LENGTH = 100
_KINDS = frozenset({"graph", "node", "tool", "llm", "retriever", "span"})
_PURPOSES = ("live", "experiment", "replay", "playground", "judge")
_BYTES = (bytes, bytearray, memoryview)


class LeftOut(NamedTuple):
    field: str
    got: str
    text: str


class GivenFields:
    """The fields that describe what one event is about, read one by one: what is not as the schema has it becomes a text or is
    left out, and the rest stays."""

    __slots__ = ("left_out", "size", "title")

    def __init__(self) -> None:
        self.size = 0
        """About as many bytes as they hold."""
        self.left_out: list[LeftOut] | None = None
        """What was not kept; None when all was."""
        self.title = ""
        """How the application calls what the event is about."""

    def name(self, value: Any, otherwise: str) -> str:
        name = value if type(value) is str else self.label("name", value)
        self.title = cut = name[:_MAX_NAME_LENGTH] if name else otherwise
        self.size += len(cut)
        return cut

    def label(self, field: str, value: Any, maximum: int = _MAX_NAME_LENGTH) -> str | None:
        """A text that may be missing."""
        if value is None:
            return None
        text = value if type(value) is str else text_of(value)
        if text is None:
            self.leave_out(field, value, TEXTS)
            return None
        cut = text[:maximum]
        self.size += len(cut)
        return cut

    def tags(self, value: Any) -> list[str] | None:
        if value is None:
            return None
        items = value[: MAX_TAGS + 1] if type(value) is list else _first_items(value, MAX_TAGS + 1)
        if items is None or len(items) > MAX_TAGS:
            self.leave_out("tags", value, f"at most {MAX_TAGS}, each {TEXTS}", "is left out" if items is None else "is cut")
        tags = [self.label("tags", item) for item in (items or [])[:MAX_TAGS]]
        return [tag for tag in tags if tag is not None] or None

    def kind(self, value: Any) -> str:
        kind = value if type(value) is str else text_of(value)
        if kind in _KINDS:
            return kind
        if value is not None:
            self.leave_out("kind", value, f"one of {', '.join(sorted(_KINDS))}")
        return "span"

    def purpose(self, value: Any) -> str | None:
        purpose = value if type(value) is str else text_of(value)
        if purpose in _PURPOSES:
            return purpose
        if value is not None:
            self.leave_out("purpose", value, f"one of {', '.join(_PURPOSES)}")
        return None

    def lack(self, field: str, value: Any, takes: str) -> None:
        """What nothing can be recorded without is none."""
        self.leave_out(field, value, takes, "is needed, so nothing is recorded")

    def leave_out(self, field: str, value: Any, takes: str, fate: str = "is left out") -> None:
        got = kind_of(value)
        self.left_out = [
            *(self.left_out or ()),
            LeftOut(field, got, f"{field} {fate}: it takes {takes}, and was given {got}"),
        ]


def tell_left_out(operation: str, fields: GivenFields) -> None:
    title = mask_text(fields.title)[:_MAX_TITLE_LENGTH]
    for field, got, text in fields.left_out or ():
        warn(f"{operation} {field} {got}", f'{operation} "{title}": {text}')


def lasting(items: Any) -> Any:
    """An iterator would be used up by the first call of a decorated function."""
    if items is None or type(items) is list:
        return items
    try:
        return list(islice(items, MAX_TAGS + 1)) if isinstance(items, Iterator) else items
    except BaseException as error:
        let_through(error)
        return items


def _first_items(value: Any, maximum: int) -> list[Any] | None:
    """Those of a list, a set or whatever else gives one after the other; a single text is a list of one."""
    if text_of(value) is not None:
        return [value]
    try:
        is_several = isinstance(value, Iterable) and not isinstance(value, (Mapping, *_BYTES))
        return list(islice(value, maximum)) if is_several else None
    except BaseException as error:
        let_through(error)
        return None
