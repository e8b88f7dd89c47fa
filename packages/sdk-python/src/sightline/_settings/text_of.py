from __future__ import annotations

import datetime
import decimal
import enum
import fractions
import ipaddress
import math
import numbers
import pathlib
import re
import uuid
from typing import Any

from sightline._capture.interruptions import let_through

TextLike = str | int | float | bytes | decimal.Decimal | enum.Enum | datetime.date | uuid.UUID
"""What is kept as a text."""

TEXTS = "a text, a number, a date or an identifier"
"""What fields that keep them as texts take, as a message says it."""

MAX_INTEGER_BITS = 4096
"""Writing a longer one in decimals takes the application's thread for up to seconds."""
_MAX_BYTES = 2000
_MAX_KIND_LENGTH = 60
_WORDS = (uuid.UUID, ipaddress.IPv4Address, ipaddress.IPv6Address, pathlib.PurePath)
# Other libraries' identifiers, which need not be installed.
_IDENTIFIERS = frozenset({"ObjectId", "ULID", "UUID"})
_NUMBER = re.compile(r"\s*[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[+-]?[0-9]+)?\s*", re.IGNORECASE | re.ASCII)


def text_of(value: Any) -> str | None:
    """The text of a value that is one thing; None for lists, objects and all else that holds several or none. Never raises."""
    if value is None or type(value) is str:
        return value
    try:
        return _read_text(value)
    except BaseException as error:
        let_through(error)
        return None


def number_of(value: Any) -> float | None:
    """The finite number that a value or its text is; a yes or no is none. Never raises."""
    try:
        if type(value) is not int and type(value) is not float:
            text = str(float(value)) if isinstance(value, fractions.Fraction) else text_of(value)
            value = float(text) if text is not None and _NUMBER.fullmatch(text) else math.nan
        return value if math.isfinite(value) else None
    except BaseException as error:
        # An integer may be larger than any fraction.
        let_through(error)
        return None


def kind_of(value: Any) -> str:
    """What kind of value it is, and never what it holds: a message may be read by others. Never raises."""
    if type(value) is float and not math.isfinite(value):
        return repr(value)
    # A metaclass may answer for the name by code of its own.
    return type.__dict__["__name__"].__get__(type(value))[:_MAX_KIND_LENGTH]  # type: ignore[no-any-return]


def _read_text(value: Any) -> str | None:
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, numbers.Integral):
        whole = int(value)
        return str(whole) if whole.bit_length() <= MAX_INTEGER_BITS else None
    if isinstance(value, (numbers.Real, decimal.Decimal)):
        return str(value) if math.isfinite(value) else None
    if isinstance(value, (bytes, bytearray, memoryview)):
        return bytes(value).decode() if len(value) <= _MAX_BYTES else None
    if isinstance(value, enum.Enum):
        return text_of(value.value)
    if isinstance(value, (datetime.date, datetime.time)):
        # What stands for no time in tables equals nothing.
        return value.isoformat() if value == value else None
    if isinstance(value, _WORDS) or type(value).__name__ in _IDENTIFIERS:
        return str(value)
    # A number of an array, as numpy and torch have them.
    return text_of(value.item()) if hasattr(type(value), "item") and value.shape == () else None
