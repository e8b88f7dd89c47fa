from __future__ import annotations

from typing import Any, NamedTuple

from sightline._prompts.prompt import Template


class Known(NamedTuple):
    """What the platform said of a prompt."""

    version: int
    template: Template
    config: dict[str, Any]


def read_answer(value: Any, name: str) -> Known | None:
    """None of anything that is no version of the prompt."""
    if not isinstance(value, dict) or value.get("name") != name:
        return None
    version, config = value.get("version"), value.get("config")
    template = read_template(value.get("template"))
    if type(version) is not int or version < 1 or template is None or not isinstance(config, dict):
        return None
    return Known(version, template, config)


def read_template(value: Any) -> Template | None:
    if isinstance(value, str):
        return value
    if not isinstance(value, list) or not value or not all(map(_is_message, value)):
        return None
    return [{"role": message["role"], "content": message["content"]} for message in value]


def _is_message(value: Any) -> bool:
    return isinstance(value, dict) and isinstance(value.get("role"), str) and isinstance(value.get("content"), str)
