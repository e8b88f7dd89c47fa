"""Which prompt a model call is made with: the one whose text is among its messages, unless the code says another."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator, Mapping
from contextvars import ContextVar
from itertools import islice
from typing import Any

PromptReference = Mapping[str, Any]
"""`name` and `version`, as the event schema has them."""

chosen_prompt: ContextVar[PromptReference | None] = ContextVar("sightline_prompt", default=None)
"""What `Prompt.use` says of the calls around which it runs."""

_MAX_TEXTS = 1_000
_MAX_CHARACTERS = 8_000_000
_MAX_LOOKED_AT = 2_000
"""Parts of one call's messages, of whatever type."""
_MAX_DEPTH = 6


class _CompiledTexts:
    """What prompts were compiled to, the newest of this process."""

    def __init__(self) -> None:
        self.begin_anew()

    def begin_anew(self) -> None:
        """In a forked process: another thread of the parent may have held the lock."""
        self._lock = threading.Lock()
        self._known: dict[str, PromptReference] = {}
        self._characters = 0

    def add(self, text: str, reference: PromptReference) -> None:
        if not text.strip() or len(text) > _MAX_CHARACTERS:
            return
        with self._lock:
            if self._known.pop(text, None) is None:
                self._characters += len(text)
            self._known[text] = reference
            while len(self._known) > _MAX_TEXTS or self._characters > _MAX_CHARACTERS:
                oldest = next(iter(self._known))
                del self._known[oldest]
                self._characters -= len(oldest)

    def find(self, messages: Any) -> PromptReference | None:
        if not self._known:
            return None
        parts = islice(_parts_of(messages, _MAX_DEPTH), _MAX_LOOKED_AT)
        return next((found for part in parts if isinstance(part, str) and (found := self._known.get(part)) is not None), None)


_compiled = _CompiledTexts()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_compiled.begin_anew)


def remember_compiled(text: str, reference: PromptReference) -> None:
    _compiled.add(text, reference)


def used_prompt(messages: Any) -> PromptReference | None:
    """Of a model call with these messages, in whatever form a library has them."""
    return chosen_prompt.get() or _compiled.find(messages)


def _parts_of(value: Any, depth: int) -> Iterator[Any]:
    yield value
    if depth > 0 and value is not None and not isinstance(value, (str, bytes, int, float)):
        # LangChain's messages are objects with a content.
        inner = value.values() if isinstance(value, Mapping) else value if isinstance(value, (list, tuple)) else None
        for part in [getattr(value, "content", None)] if inner is None else inner:
            yield from _parts_of(part, depth - 1)
