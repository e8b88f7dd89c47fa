from __future__ import annotations

import math
import re
from collections.abc import Iterable
from itertools import islice
from typing import Any, NamedTuple

from sightline._capture.chat_message import ReasoningPolicy, is_chat_message, plain_message
from sightline._capture.interruptions import let_through
from sightline._capture.known_objects import known_object
from sightline._mask import MASKED
from sightline._mask.safe_text import MAX_KEY_LENGTH, safe_key
from sightline._mask.secret_keys import is_secret_key, is_secret_value
from sightline._settings.text_of import MAX_INTEGER_BITS

_OBJECT_SIZE = 64
"""Bytes that an object, an entry or a number holds beside its texts; so lists of empty lists end, too."""
_ENTRY_SIZE = 16
_FEW_KEYS = 16
_MAX_FLAG_LENGTH = 64
_MAX_WORDS_OF_A_NAME = 3
_PAIR = 2
_FLAG_OR_HEADER = re.compile(r"(?:--?[\w-]+|(?:proxy-)?authorization|(?:set-)?cookie|x-[\w-]+)", re.IGNORECASE)
_VALUE_KEYS = ("value", "Value")
"""What lies under these may be named secret by what lies under one of the others."""
_NAME_KEYS = ("name", "key", "header", "Name", "Key")


class Limits(NamedTuple):
    depth: int
    items: int
    """Entries of one list, keys of one object."""
    text: int
    """Characters of one text."""
    size: int
    """Characters of one payload's texts and keys, and what the rest holds beside them."""


PAYLOAD_LIMITS = Limits(depth=16, items=1000, text=65_536, size=131_072)
SMALL_LIMITS = Limits(depth=8, items=1000, text=8192, size=32_768)


class Snapshot(NamedTuple):
    value: Any
    size: int
    """About as many bytes as it holds."""


def take_snapshot(value: Any, reasoning: ReasoningPolicy, limits: Limits = PAYLOAD_LIMITS) -> Snapshot:
    """A plain, bounded copy that always serialises and shares nothing with the application but texts; values of secret keys
    are masked. Bounds apply while walking, so its time is bounded, too. Never raises, whatever the objects do."""
    walk = _Walk(reasoning, limits)
    copied = walk.copy(value)
    return Snapshot(copied, limits.size - walk.left)


class _Walk:
    __slots__ = ("ancestors", "items", "left", "limits", "reasoning", "text")

    def __init__(self, reasoning: ReasoningPolicy, limits: Limits) -> None:
        self.reasoning = reasoning
        self.limits = limits
        self.items = limits.items
        self.text = limits.text
        self.left = limits.size
        self.ancestors: list[int] = []

    def copy(self, value: Any) -> Any:
        if self.left <= 0:
            return "[size limit]"
        kind = type(value)
        if kind is str:
            return self._copy_text(value)
        if value is None or kind is bool:
            self.left -= _ENTRY_SIZE
            return value
        if kind is int:
            return self._copy_integer(value)
        if kind is float:
            self.left -= _ENTRY_SIZE
            return value if math.isfinite(value) else str(value)
        flat = self._copy_flat(value) if kind is dict else None
        return self._copy_object(value, kind) if flat is None else flat

    def _copy_flat(self, value: dict[Any, Any]) -> dict[str, Any] | None:
        """Copies a dict of texts under harmless keys, as most messages are, in a third of the time; None for any other."""
        if len(value) > _FEW_KEYS:
            return None
        # First, as another thread may change it meanwhile.
        copied = value.copy()
        left = self.left - _OBJECT_SIZE
        for key, text in copied.items():
            known = _known_keys.get(key)
            if known is None or not known.is_harmless or type(text) is not str or len(text) > self.text:
                return None
            left -= len(text) + known.size + 2
        if left <= 0:
            return None
        self.left = left
        return copied

    def _copy_text(self, text: str) -> str:
        """What is derived from `str`, as members of enumerations are, comes out plain."""
        maximum = min(self.text, self.left)
        length = str.__len__(text)
        if length <= maximum:
            self.left -= length + 2
            return text if type(text) is str else str.__str__(text)
        self.left -= maximum + 2
        return f"{str.__getitem__(text, slice(maximum))}...[cut: {length} characters]"

    def _copy_integer(self, value: int) -> Any:
        bits = value.bit_length()
        self.left -= _ENTRY_SIZE + (bits >> 2)
        return value if bits <= MAX_INTEGER_BITS else "[integer limit]"

    def _copy_object(self, value: Any, kind: type) -> Any:
        identity = id(value)
        if identity in self.ancestors:
            return "[circular]"
        if len(self.ancestors) >= self.limits.depth:
            return "[depth limit]"
        self.left -= _OBJECT_SIZE
        self.ancestors.append(identity)
        try:
            if kind is dict:
                return self._copy_mapping(value)
            if isinstance(value, (list, tuple)):
                return self._copy_list(value)
            if isinstance(value, str):
                return self._copy_text(value)
            if isinstance(value, (int, float)):
                return self.copy(int(value) if isinstance(value, int) else float(value))
            if isinstance(value, dict):
                return self._copy_mapping(value)
            if is_chat_message(value):
                return self._copy_entries(plain_message(value, self.reasoning).items())
            return self._copy_known(value)
        except BaseException as error:
            let_through(error)
            return "[unreadable]"
        finally:
            self.ancestors.pop()

    def _copy_known(self, value: Any) -> Any:
        known = known_object(value)
        if known.kind == "value":
            return self.copy(known.value)
        if known.kind == "items":
            return self._copy_items(known.value, known.size)
        return self._copy_entries(known.value)

    def _copy_list(self, given: Any) -> list[Any]:
        """A list, with what is secret in pairs (`["authorization", "Bearer …"]`) and arguments (`["--password", "…"]`)
        masked."""
        copied: list[Any] = []
        length = len(given)
        before: Any = None
        for item in given[: self.items]:
            if self.left <= 0:
                break
            self.left -= _ENTRY_SIZE
            if type(before) is str and is_secret_key(before[:MAX_KEY_LENGTH]) and _tells_secret(before, item, length):
                copied.append(MASKED)
            else:
                copied.append(self.copy(item))
            before = item
        if len(copied) < length:
            copied.append(f"[{length - len(copied)} more]")
        return copied

    def _copy_items(self, items: Iterable[Any], size: int) -> list[Any]:
        copied: list[Any] = []
        for item in list(islice(items, self.items)):
            if self.left <= 0:
                break
            self.left -= _ENTRY_SIZE
            copied.append(self.copy(item))
        if len(copied) < size:
            copied.append(f"[{size - len(copied)} more]")
        return copied

    def _copy_mapping(self, value: dict[Any, Any]) -> dict[str, Any]:
        # Taken at once, as threads may change it; one more than is copied, so that the copy says that there are more.
        # What is derived from dict may say a length that its items do not have, or have no end.
        is_short = type(value) is dict and len(value) <= self.items
        entries = list(value.items() if is_short else islice(value.items(), self.items + 1))
        value_key = next((key for key in _VALUE_KEYS if key in value), None)
        if value_key is not None and _names_secret(value, value_key):
            entries = [(key, MASKED if key == value_key else item) for key, item in entries]
        return self._copy_entries(entries)

    def _copy_entries(self, entries: Iterable[tuple[Any, Any]]) -> dict[str, Any]:
        copied: dict[str, Any] = {}
        maximum, text_limit = self.items, self.text
        for count, (key, value) in enumerate(entries):
            if count >= maximum or self.left <= 0:
                copied["..."] = "[more keys]"
                break
            name = key if type(key) is str else _key_text(key)
            known = _known_keys.get(name) or _look_at_key(name)
            self.left -= known.size
            if known.is_secret and is_secret_value(name, value):
                copied[known.safe] = MASKED
            elif type(value) is str and len(value) <= text_limit and len(value) <= self.left:
                # As `copy` does; most values are texts, and most of the time goes into calls.
                self.left -= len(value) + 2
                copied[known.safe] = value
            else:
                copied[known.safe] = self.copy(value)
        return copied


class _Key(NamedTuple):
    safe: str
    """As it may leave the process."""
    is_secret: bool
    is_harmless: bool
    """Leaves as it is, and so does any text under it."""
    size: int


# The same few keys come again with every event.
_known_keys: dict[str, _Key] = {}
_MAX_KNOWN_KEYS = 4000
_MAX_KNOWN_LENGTH = 64


def _look_at_key(name: str) -> _Key:
    safe, is_secret = safe_key(name), is_secret_key(name)
    is_harmless = safe == name and not is_secret and name not in _VALUE_KEYS
    key = _Key(safe, is_secret, is_harmless, min(len(name), MAX_KEY_LENGTH) + _ENTRY_SIZE)
    if len(name) <= _MAX_KNOWN_LENGTH:
        if len(_known_keys) >= _MAX_KNOWN_KEYS:
            _known_keys.clear()
        _known_keys[name] = key
    return key


def _key_text(key: Any) -> str:
    if isinstance(key, str):
        return str.__str__(key)
    if key is None or isinstance(key, (int, float)):
        return str(key)
    if isinstance(key, tuple) and len(key) <= _FEW_KEYS and all(isinstance(part, (str, int)) for part in key):
        return ", ".join(str(part)[:MAX_KEY_LENGTH] for part in key)
    return f"[{type(key).__name__}]"


def _tells_secret(before: str, item: Any, length: int) -> bool:
    """Whether an item of a list is what the text before it names. A sentence that speaks of a password names no value: what
    follows it, in a list of two texts, is the next text."""
    is_name = length == _PAIR and len(before[:256].split(None, 4)) <= _MAX_WORDS_OF_A_NAME
    is_flag = len(before) <= _MAX_FLAG_LENGTH and _FLAG_OR_HEADER.fullmatch(before) is not None
    return (is_name or is_flag) and is_secret_value(before, item)


def _names_secret(value: dict[Any, Any], value_key: str) -> bool:
    """`{"name": "authorization", "value": "Bearer …"}`, in the spellings of headers, variables and tags."""
    return any(isinstance(name := value.get(key), str) and is_secret_value(name, value[value_key]) for key in _NAME_KEYS)
