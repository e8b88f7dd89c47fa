from __future__ import annotations

import dataclasses
import datetime
import decimal
import enum
import fractions
import ipaddress
import pathlib
import re
import reprlib
import types
import uuid
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Literal, NamedTuple


class KnownObject(NamedTuple):
    """How an object that is not plain is copied: as another value, as a list, or as keys with values."""

    kind: Literal["value", "items", "entries"]
    value: Any
    size: int = 0


_TEXTS = (
    decimal.Decimal,
    fractions.Fraction,
    uuid.UUID,
    pathlib.PurePath,
    ipaddress.IPv4Address,
    ipaddress.IPv6Address,
    complex,
    range,
)
_MAX_MESSAGE_LENGTH = 65_536
_RUNNING = (types.CoroutineType, types.GeneratorType, types.AsyncGeneratorType, types.FrameType, types.TracebackType)
_CALLABLES = (types.FunctionType, types.BuiltinFunctionType, types.MethodType, types.MethodWrapperType)


def known_object(value: Any) -> KnownObject:
    """What the classes of the language and of common libraries hold, never running a generator, a property or a query."""
    if isinstance(value, (datetime.datetime, datetime.date, datetime.time)):
        return _text(value.isoformat())
    if isinstance(value, datetime.timedelta):
        return KnownObject("value", value.total_seconds())
    if isinstance(value, enum.Enum):
        return KnownObject("value", value.value)
    if isinstance(value, _TEXTS):
        return _text(str(value))
    if isinstance(value, (bytes, bytearray, memoryview)):
        return _text(f"[binary: {len(value)} bytes]")
    if isinstance(value, BaseException):
        return KnownObject("entries", _error_entries(value))
    if isinstance(value, (set, frozenset, deque)):
        return KnownObject("items", value, len(value))
    if isinstance(value, type):
        return _text(f"[class {value.__qualname__}]")
    if isinstance(value, _CALLABLES):
        return _text(f"[function {value.__name__}]")
    if isinstance(value, types.ModuleType):
        return _text(f"[module {value.__name__}]")
    if isinstance(value, re.Pattern):
        return _text(str(value.pattern))
    if isinstance(value, (*_RUNNING, Iterator)):
        return _text(f"[{type(value).__name__}]")
    if isinstance(value, Mapping):
        return KnownObject("entries", value.items())
    return _instance(value)


def _instance(value: Any) -> KnownObject:
    kind = type(value)
    if hasattr(kind, "shape") and (hasattr(kind, "dtype") or hasattr(kind, "dtypes")):
        # Arrays and frames of numbers are described, never copied.
        return _text(f"[{kind.__name__}: {' × '.join(map(str, value.shape))}]")
    if dataclasses.is_dataclass(value):
        names = [field.name for field in dataclasses.fields(value)]
        return KnownObject("entries", [(name, getattr(value, name, None)) for name in names])
    held = getattr(value, "__dict__", None)
    if isinstance(held, dict) and held:
        # A model of pydantic keeps there what it was given, extra fields apart.
        extra = getattr(value, "__pydantic_extra__", None)
        entries = {**held, **extra} if isinstance(extra, dict) else held
        own = [(name, item) for name, item in list(entries.items()) if not str(name).startswith("_")]
        return KnownObject("entries", own) if own else _text(f"[{kind.__qualname__}]")
    slots = getattr(kind, "__slots__", ())
    names = [slots] if isinstance(slots, str) else list(slots)
    entries_of_slots = [(name, getattr(value, name)) for name in names if name[:1] != "_" and hasattr(value, name)]
    return KnownObject("entries", entries_of_slots) if entries_of_slots else _text(f"[{kind.__qualname__}]")


def _text(text: str) -> KnownObject:
    return KnownObject("value", text)


def short_message(error: BaseException, maximum: int) -> str:
    """What `str` says, no longer than `maximum`; of an exception that only holds what it was given, without writing out to its
    end what is long."""
    if type(error).__str__ is BaseException.__str__ and not all(isinstance(part, str) for part in error.args):
        abridged = _Abridged(maximum)
        return abridged.repr(error.args[0] if len(error.args) == 1 else error.args)[:maximum]
    return str(error)[:maximum]


class _Abridged(reprlib.Repr):
    def __init__(self, maximum: int) -> None:
        super().__init__()
        self.maxstring = self.maxother = self.maxlong = maximum
        self.maxtuple = self.maxlist = self.maxdict = self.maxset = self.maxfrozenset = self.maxdeque = self.maxarray = 100


def _error_entries(error: BaseException) -> Iterable[tuple[str, Any]]:
    yield "name", type(error).__name__
    yield "message", short_message(error, _MAX_MESSAGE_LENGTH)
    if error.__cause__ is not None:
        yield "cause", error.__cause__
    if isinstance(error, BaseExceptionGroup):
        yield "errors", list(error.exceptions)
