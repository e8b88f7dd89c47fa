from __future__ import annotations

import hashlib
import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from sightline._evaluate.calls import call
from sightline._evaluate.errors import EvaluationError
from sightline._evaluate.json_values import error_text
from sightline._settings.text_of import kind_of, number_of

Evaluators = Sequence[Callable[..., Any]] | Mapping[str, Callable[..., Any]]

# What each is called by evaluators here, and in `openevals` and `agentevals`.
_PARAMETERS = {
    "input": "input",
    "inputs": "input",
    "output": "output",
    "outputs": "output",
    "expected": "expected",
    "reference_outputs": "expected",
    "metadata": "metadata",
    "trace": "trace",
}
_MAX_NAME_LENGTH = 200
_SIMPLE = (str, int, float, bool)


class Evaluator:
    """A function that scores one run by what its parameters name."""

    def __init__(self, function: Callable[..., Any], name: str | None) -> None:
        self.function = function() if isinstance(function, type) else function
        inner = _innermost(self.function)
        self.name = (name or getattr(inner, "__name__", None) or type(inner).__name__).strip()[:_MAX_NAME_LENGTH]
        self.version = str(getattr(inner, "__version__", None) or _hash_source(self.function))[:_MAX_NAME_LENGTH]
        self.higher_is_better = bool(getattr(inner, "higher_is_better", True))
        self._parameters = self._read_parameters()

    def describe(self) -> dict[str, Any]:
        return {"name": self.name, "version": self.version, "higher_is_better": self.higher_is_better}

    async def score(self, values: Mapping[str, Any], within: float) -> dict[str, Any]:
        """Its score as it is reported; missing, with the reason, where it has none."""
        try:
            given = {parameter: values[_PARAMETERS[parameter]] for parameter in self._parameters}
            value, explanation = read_score(await call(self.function, within, **given))
            found = {"value": value, "explanation": explanation}
        except (Exception, SystemExit) as error:
            found = {"value": None, "error": (str(error) if isinstance(error, NoScoreError) else error_text(error))[:2000]}
        return {"name": self.name, "evaluator_version": self.version, **found}

    def _read_parameters(self) -> tuple[str, ...]:
        try:
            parameters = inspect.signature(self.function).parameters.values()
        except (TypeError, ValueError):
            raise EvaluationError(f"The evaluator {self.name} is no function whose parameters can be read.") from None
        named = [each for each in parameters if each.kind in {each.POSITIONAL_OR_KEYWORD, each.KEYWORD_ONLY}]
        for each in parameters:
            is_needed = each.default is each.empty and each.kind not in {each.VAR_KEYWORD, each.VAR_POSITIONAL}
            if is_needed and (each.name not in _PARAMETERS or each not in named):
                offered = ", ".join(sorted(set(_PARAMETERS.values())))
                raise EvaluationError(f"The evaluator {self.name} takes {each.name}; parameters are called {offered}.")
        known = tuple(each.name for each in named if each.name in _PARAMETERS)
        takes_all = any(each.kind is each.VAR_KEYWORD for each in parameters)
        if takes_all and not {"inputs", "outputs", "reference_outputs"} & set(known):
            # As those of `autoevals`.
            known = tuple(dict.fromkeys((*known, "input", "output", "expected")))
        return known


class NoScoreError(Exception):
    """What an evaluator gave is no score."""


def read_evaluators(given: Evaluators) -> list[Evaluator]:
    named = list(given.items()) if isinstance(given, Mapping) else [(None, each) for each in given]
    evaluators = [Evaluator(function, name) for name, function in named]
    names = [each.name for each in evaluators]
    twin = next((name for name in names if names.count(name) > 1), None)
    if twin is not None:
        raise EvaluationError(f'Two evaluators are called {twin}; name them: evaluators={{"one": …, "other": …}}.')
    return evaluators


def read_score(given: Any) -> tuple[float | bool, str | None]:
    """A number or a yes or no, or what holds one as `score` or `value`, with its explanation."""
    explanation = None
    if isinstance(given, Mapping) or hasattr(given, "score") or hasattr(given, "value"):
        names = ("score", "value", "comment", "explanation", "metadata")
        found = {name: given.get(name) if isinstance(given, Mapping) else getattr(given, name, None) for name in names}
        metadata = found["metadata"]
        rationale = metadata.get("rationale") if isinstance(metadata, Mapping) else None
        explanation = found["comment"] or found["explanation"] or rationale
        given = found["value"] if found["score"] is None else found["score"]
    value = given.item() if callable(getattr(given, "item", None)) else given
    if isinstance(value, bool):
        return value, _as_explanation(explanation)
    if isinstance(value, str):
        raise NoScoreError("it gave a text; a score is a number, or True or False")
    number = number_of(value)
    if number is None:
        raise NoScoreError(f"it gave {kind_of(value)}; a score is a number, or True or False")
    return number, _as_explanation(explanation)


def _as_explanation(given: Any) -> str | None:
    return None if given is None else str(given)[:10_000]


def _innermost(function: Any) -> Any:
    while isinstance(function, partial):
        function = function.func
    return function


def _hash_source(function: Any) -> str:
    """Of its code, and of the plain values that it was made with: they make what it scores, too."""
    held: list[str] = []
    while isinstance(function, partial):
        held += [f"{each!r}" for each in (*function.args, *sorted(function.keywords.items())) if _is_plain(each)]
        function = function.func
    code = getattr(function, "__code__", None)
    for cell in getattr(function, "__closure__", None) or ():
        try:
            held += [repr(cell.cell_contents)] if _is_plain(cell.cell_contents) else []
        except ValueError:
            # It is not filled yet.
            continue
    if code is None:
        held += [f"{each!r}" for each in sorted(getattr(function, "__dict__", {}).items()) if _is_plain(each)]
    try:
        source = inspect.getsource(function if code is not None else type(function))
    except (OSError, TypeError):
        source = (
            "" if code is None else f"{code.co_code!r} {code.co_names} {[each for each in code.co_consts if _is_plain(each)]}"
        )
    return hashlib.sha256("\n".join([source, *held]).encode(errors="replace")).hexdigest()[:12]


def _is_plain(value: Any) -> bool:
    return all(isinstance(each, _SIMPLE) for each in value) if isinstance(value, tuple) else isinstance(value, _SIMPLE)
