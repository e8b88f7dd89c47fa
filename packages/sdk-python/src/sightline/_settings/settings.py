from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import urlsplit

from sightline._settings.text_of import kind_of, number_of, text_of
from sightline._settings.warnings import DEFAULT_LOGGER

if TYPE_CHECKING:
    import logging

PayloadField = Literal["input", "output", "error", "reasoning", "parameters", "result", "attributes", "usage", "comment"]
"""Which part of an event a payload is, for a mask function that treats them differently."""

MaskFunction = Callable[[Any, PayloadField], Any]
"""Replaces what must not leave the process. It gets a bounded copy of the payload, never the application's own object,
after values of secret keys were masked; secrets within texts are masked after it. When it raises or answers a coroutine,
the whole payload is withheld."""

UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", re.IGNORECASE)
TRUE = frozenset({"true", "1", "yes", "on"})
FALSE = frozenset({"false", "0", "no", "off"})

DEFAULT_STREAM = "observability:events"
DEFAULT_STREAM_LENGTH = 100_000
DEFAULT_REASONING_LENGTH = 50_000
DEFAULT_BUFFER_BYTES = 32 * 1024 * 1024
DEFAULT_BUFFER_EVENTS = 50_000


@dataclass(frozen=True, slots=True)
class Options:
    """What the application asks for; None means the variable, else the default."""

    redis_url: str | None = None
    stream_name: str | None = None
    project_id: str | None = None
    max_stream_length: int = DEFAULT_STREAM_LENGTH
    enabled: bool | None = None
    capture_reasoning: bool | None = None
    reasoning_max_length: int | None = None
    console_url: str | None = None
    mask: MaskFunction | None = None
    logger: logging.Logger | None = None
    max_buffer_bytes: int = DEFAULT_BUFFER_BYTES
    max_buffer_events: int = DEFAULT_BUFFER_EVENTS


@dataclass(frozen=True, slots=True)
class Settings:
    redis_url: str
    stream_name: str
    project_id: str
    max_stream_length: int
    capture_reasoning: bool
    reasoning_max_length: int
    """Unicode code points."""
    console_url: str
    """Empty where nobody is told where traces can be seen."""
    mask: MaskFunction | None
    logger: logging.Logger
    max_buffer_bytes: int
    max_buffer_events: int


@dataclass(frozen=True, slots=True)
class Unusable:
    """Settings nothing can be published with; `switched_off` when that is what was asked for."""

    reason: str
    switched_off: bool


def read_settings(options: Options, environment: Mapping[str, str] | None = None) -> Settings | Unusable:
    """Options win over the `OBS_*` variables, those over the defaults. All that is wrong is named at once."""
    variables = os.environ if environment is None else environment
    problems: list[str] = []
    if not _read_flag("enabled", options.enabled, variables, "OBS_ENABLED", problems):
        return Unusable("switched off", switched_off=True)
    redis_url = _given_text("redis_url", options.redis_url, problems) or variables.get("OBS_REDIS_URL", "")
    project_id = _given_text("project_id", options.project_id, problems) or variables.get("OBS_PROJECT_ID", "")
    console_url = _given_text("console_url", options.console_url, problems)
    if not _is_redis_url(redis_url):
        state = "malformed" if redis_url else "no"
        problems.append(f"{state} Redis URL (redis_url or OBS_REDIS_URL; redis:// or rediss://)")
    if not UUID.fullmatch(project_id):
        problems.append(f"{'malformed' if project_id else 'no'} project id (project_id or OBS_PROJECT_ID; a UUID)")
    settings = Settings(
        redis_url=redis_url,
        stream_name=_given_text("stream_name", options.stream_name, problems)
        or variables.get("OBS_STREAM_NAME")
        or DEFAULT_STREAM,
        project_id=project_id.lower(),
        max_stream_length=_check_count("max_stream_length", options.max_stream_length, problems),
        capture_reasoning=_read_flag(
            "capture_reasoning", options.capture_reasoning, variables, "OBS_CAPTURE_REASONING", problems
        ),
        reasoning_max_length=_check_count(
            "reasoning_max_length (OBS_REASONING_MAX_LENGTH)",
            variables.get("OBS_REASONING_MAX_LENGTH") or DEFAULT_REASONING_LENGTH
            if options.reasoning_max_length is None
            else options.reasoning_max_length,
            problems,
        ),
        console_url=variables.get("OBS_CONSOLE_URL", "") if console_url is None else console_url,
        mask=options.mask,
        logger=options.logger or DEFAULT_LOGGER,
        max_buffer_bytes=_check_count("max_buffer_bytes", options.max_buffer_bytes, problems),
        max_buffer_events=_check_count("max_buffer_events", options.max_buffer_events, problems),
    )
    return Unusable("; ".join(problems), switched_off=False) if problems else settings


def is_switched_off() -> bool:
    """Whether the environment switches the SDK off, which then does not even attach to graphs."""
    return os.environ.get("OBS_ENABLED", "").strip().lower() in FALSE


def is_watched() -> bool:
    """Whether somebody watches this process as it runs: neither a CI nor a test, and its errors go to a terminal."""
    return sys.stderr.isatty() and not os.environ.get("CI") and not os.environ.get("PYTEST_CURRENT_TEST")


def cache_folder() -> Path:
    """Where this user's processes keep what a later one is to know."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "sightline-sdk"


def _read_flag(name: str, given: object, variables: Mapping[str, str], variable: str, problems: list[str]) -> bool:
    """An option may come from a file or a variable as a text, too, of which `"false"` means what it says."""
    text = _given_text(name, given, problems)
    if not text:
        name, text = variable, variables.get(variable, "")
    text = text.strip().lower()
    if text and text not in TRUE and text not in FALSE:
        problems.append(f"{name} must be true or false")
    return text not in FALSE


def _given_text(name: str, given: object, problems: list[str]) -> str | None:
    text = text_of(given)
    if text is None and given is not None:
        problems.append(f"{name} must be a text, not {kind_of(given)}")
    return text


def _check_count(name: str, given: object, problems: list[str]) -> int:
    number = number_of(given) or 0
    if number < 1 or number != number // 1:
        problems.append(f"{name} must be a whole number above 0")
    return int(number)


def _is_redis_url(text: object) -> bool:
    """Whether it is the address of a Redis, or of several nodes of a Redis Cluster."""
    try:
        parts = urlsplit(text) if isinstance(text, str) else None
    except ValueError:
        return False
    if parts is None or parts.scheme not in {"redis", "rediss"} or "://" not in str(text):
        return False
    hosts = parts.netloc.rpartition("@")[2].split(",")
    return len(hosts) == 1 or all(host.strip() for host in hosts)
