from __future__ import annotations

import hashlib
import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

from sightline._evaluate.calls import call, ends_all
from sightline._evaluate.errors import EvaluationError
from sightline._evaluate.json_values import error_text, short_text
from sightline._settings.text_of import kind_of, number_of

Evaluators = Sequence[Callable[..., Any]] | Mapping[str, Callable[..., Any]]

# Parameters of evaluators, and what those of `openevals` and `agentevals` call the same.
_PARAMETERS = {name: name for name in ("input", "output", "expected", "metadata", "trace")}
_PLURAL = {"inputs": "input", "outputs": "output", "reference_outputs": "expected"}
_MAX_LENGTH = 200


class NoScoreError(Exception):
    """What an evaluator gave is no score."""


class Evaluator:
    """A function that scores one run by what its parameters name."""

    def __init__(self, function: Callable[..., Any], name: str | None) -> None:
        self.function = function() if isinstance(function, type) else function
        inner: Any = self.function
        while isinstance(inner, partial):
            inner = inner.func
        self.name = (name or getattr(inner, "__name__", None) or type(inner).__name__).strip()[:_MAX_LENGTH]
        self.version = str(getattr(inner, "__version__", None) or _hash_source(self.function, inner))[:_MAX_LENGTH]
        self.higher_is_better = bool(getattr(inner, "higher_is_better", True))
        self._parameters = self._read_parameters()

    def describe(self) -> dict[str, Any]:
        return {"name": self.name, "version": self.version, "higher_is_better": self.higher_is_better}

    async def score(self, values: Mapping[str, Any], within: float) -> dict[str, Any]:
        """Its score as it is reported; missing, with the reason, where it has none."""
        score = {"name": self.name, "evaluator_version": self.version, "value": None}
        try:
            given = {parameter: values[source] for parameter, source in self._parameters.items()}
            return score | read_score(await call(self.function, within, **given))
        except BaseException as error:
            if ends_all(error):
                raise
            return score | {"error": (str(error) if isinstance(error, NoScoreError) else error_text(error))[:1000]}

    def _read_parameters(self) -> dict[str, str]:
        """What each parameter is given. One that takes all there is, as those of `autoevals` do, gets input, output, expected."""
        try:
            parameters = inspect.signature(self.function).parameters.values()
        except (TypeError, ValueError):
            raise EvaluationError(f"The evaluator {self.name} is no function whose parameters can be read.") from None
        named = [each for each in parameters if each.kind in {each.POSITIONAL_OR_KEYWORD, each.KEYWORD_ONLY}]
        rest = [each for each in parameters if each.kind is each.VAR_KEYWORD]
        known = {each.name: source for each in named if (source := (_PARAMETERS | _PLURAL).get(each.name)) is not None}
        for each in parameters:
            if each.default is each.empty and each.name not in known and each.kind not in {each.VAR_KEYWORD, each.VAR_POSITIONAL}:
                raise EvaluationError(f"The evaluator {self.name} takes {each.name}; it may take {', '.join(_PARAMETERS)}.")
        offered = {"input", "output", "expected"} if rest and not known.keys() & _PLURAL.keys() else set()
        return {name: name for name in offered} | known


def read_evaluators(given: Evaluators) -> list[Evaluator]:
    named = given.items() if isinstance(given, Mapping) else [(None, each) for each in given]
    evaluators = [Evaluator(function, name) for name, function in named]
    names = [each.name for each in evaluators]
    twin = next((name for name in names if names.count(name) > 1), None)
    if twin is not None:
        raise EvaluationError(f'Two evaluators are called {twin}; name them: evaluators={{"one": …, "other": …}}.')
    return evaluators


def read_score(given: Any) -> dict[str, Any]:
    """A number or a yes or no, or what holds one as `score` or `value`, with its explanation. @raises NoScoreError"""
    if isinstance(given, list | tuple):
        if len(given) != 1:
            raise NoScoreError(f"it gave {len(given)} scores; one that gives several is to be told how to make one of them")
        given = given[0]
    names = ("score", "value", "comment", "explanation", "metadata")
    held = {name: given.get(name) if isinstance(given, Mapping) else getattr(given, name, None) for name in names}
    if isinstance(given, Mapping) or hasattr(given, "score") or hasattr(given, "value"):
        given = held["value"] if held["score"] is None else held["score"]
    rationale = held["metadata"].get("rationale") if isinstance(held["metadata"], Mapping) else None
    explanation = held["comment"] or held["explanation"] or rationale
    value = given.item() if callable(getattr(given, "item", None)) else given
    number = value if isinstance(value, bool) else None if isinstance(value, str) else number_of(value)
    if number is None:
        what = "a text" if isinstance(value, str) else kind_of(value)
        raise NoScoreError(f"it gave {what}; a score is a number, or True or False")
    return {"value": number, "explanation": None if explanation is None else short_text(explanation)}


def _hash_source(function: Any, inner: Any) -> str:
    """Of its code, and of the plain values that it was made with: they make what it scores, too."""
    held: list[Any] = []
    while isinstance(function, partial):
        held += [*function.args, *sorted(function.keywords.items())]
        function = function.func
    code = getattr(inner, "__code__", None)
    try:
        source = inspect.getsource(inner if code is not None else type(inner))
    except (OSError, TypeError):
        source = "" if code is None else code.co_code.hex()
        held += () if code is None else code.co_consts
    for cell in getattr(inner, "__closure__", None) or ():
        with suppress(ValueError):
            # It raises where it is not filled yet.
            held.append(cell.cell_contents)
    held += sorted(getattr(getattr(inner, "__self__", inner), "__dict__", {}).items())
    return hashlib.sha256("\n".join([source, *_plain(held)]).encode(errors="replace")).hexdigest()[:12]


def _plain(values: Iterable[Any]) -> list[str]:
    """Those whose text is the same in every process."""
    simple = (str, int, float, bool)
    return [repr(each) for each in values if all(isinstance(part, simple) for part in (each if type(each) is tuple else (each,)))]
