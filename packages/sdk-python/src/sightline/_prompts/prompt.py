from __future__ import annotations

import copy
import json
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Literal

from sightline._client.used_prompt import chosen_prompt, remember_compiled

PromptSource = Literal["cache", "disk", "fallback", "none"]
Template = str | list[dict[str, str]]
_VARIABLE = re.compile(r"\{\{\s*([A-Za-z_][A-Za-z0-9_]*)\s*\}\}")


class PromptError(Exception):
    """A prompt can't be compiled: a variable is missing, or nothing is known of the prompt."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """A version of a prompt, as `get_prompt` has it."""

    name: str
    version: int | None
    """None of a fallback, and of nothing."""
    label: str | None
    """By which it was asked for; None where that was a version."""
    source: PromptSource
    """`cache`: of the platform; `disk`: what the platform last said to a process of this user; `fallback`; `none`."""
    is_stale: bool
    """It may have changed: the platform has not said it within `max_age`."""
    _template: Template | None
    _config: Mapping[str, Any]

    @property
    def template(self) -> Template | None:
        """A text, or messages with `role` and `content`; a copy. None where nothing is known."""
        return copy.deepcopy(self._template)

    @property
    def config(self) -> dict[str, Any]:
        """Model, parameters, tools; a copy."""
        return copy.deepcopy(dict(self._config))

    def compile(self, **variables: Any) -> Any:
        """The text, or the messages, with the values of its variables: texts as they are, all else as JSON. A model call of
        which this is a message is recorded with the prompt's name and version.

        Raises `PromptError`, which names the variables that are missing."""
        template = self._template
        if template is None:
            raise PromptError(f'Nothing is known of the prompt "{self.name}", and no fallback was given.')
        values: dict[str, str] = {}
        texts = [template] if isinstance(template, str) else [message["content"] for message in template]
        missing = sorted({name for text in texts for name in _VARIABLE.findall(text)} - variables.keys())
        if missing:
            raise PromptError(f'The prompt "{self.name}" needs {", ".join(missing)}.')

        def value_of(found: re.Match[str]) -> str:
            name = found[1]
            if name not in values:
                values[name] = _to_text(variables[name])
            return values[name]

        compiled = [_VARIABLE.sub(value_of, text) for text in texts]
        reference = self._reference
        # Others, such as a question alone, stand in calls that know nothing of the prompt.
        own = [len(_VARIABLE.sub("", text).strip()) for text in texts]
        if reference is not None and max(own) > 0:
            remember_compiled(compiled[own.index(max(own))], reference)
        if isinstance(template, str):
            return compiled[0]
        return [{**message, "content": text} for message, text in zip(template, compiled, strict=True)]

    @contextmanager
    def use(self) -> Iterator[None]:
        """Model calls within are recorded with this prompt, whatever their messages are: for texts that are changed after they
        were compiled."""
        token = chosen_prompt.set(self._reference)
        try:
            yield
        finally:
            chosen_prompt.reset(token)

    @property
    def _reference(self) -> Mapping[str, Any] | None:
        return None if self.version is None else {"name": self.name, "version": str(self.version)}


def _to_text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)
