from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, TypedDict

from sightline._evaluate.errors import EvaluationError
from sightline._evaluate.evaluators import Evaluators
from sightline._evaluate.run_item import Task

MAX_REPETITIONS = 100
MAX_CONCURRENCY = 1000


class EvaluateOptions(TypedDict, total=False):
    """What of an evaluation need not be told."""

    repetitions: int
    """How often each item is run; 1 by default."""
    concurrency: int
    """Runs at the same time; 8 by default."""
    baseline: str | None
    """What it is compared with: a branch, of whose experiments the newest are taken together, or an experiment's id."""
    margin: float | None
    """The difference that matters; the platform's, 0.1, by default."""
    name: str | None
    """Of the experiment; the task's name by default."""
    config: Mapping[str, Any] | None
    """What the task was set up with, such as its model and prompt, to be found again."""
    split: str | None
    """The part of the dataset that is run; all of it by default."""
    timeout: float
    """Seconds that a run, and each evaluator, may take; 300 by default."""
    max_runs: int | None
    """Ends the experiment after so many runs."""
    resume: str | bool | None
    """Goes on with an experiment that did not end, by its id; `True`: with the newest of the dataset at this commit."""
    api_url: str | None
    api_key: str | None
    project_id: str | None
    console_url: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    task: Task
    dataset: str
    evaluators: Evaluators
    repetitions: int = 1
    concurrency: int = 8
    baseline: str | None = None
    margin: float | None = None
    name: str | None = None
    config: Mapping[str, Any] | None = None
    split: str | None = None
    timeout: float = 300.0
    max_runs: int | None = None
    resume: str | bool | None = None
    api_url: str | None = None
    api_key: str | None = None
    project_id: str | None = None
    console_url: str | None = None

    def __post_init__(self) -> None:
        """@raises EvaluationError: for what can't be run."""
        if not callable(self.task):
            raise EvaluationError("The task must be a function of the item's input; of a graph give its ainvoke or invoke.")
        _check("repetitions", self.repetitions, MAX_REPETITIONS)
        _check("concurrency", self.concurrency, MAX_CONCURRENCY)
        if self.max_runs is not None:
            _check("max_runs", self.max_runs, 10**9)
        if not self.timeout > 0:
            raise EvaluationError("timeout must be seconds above 0.")

    @property
    def task_name(self) -> str:
        task: Any = self.task
        while isinstance(task, partial):
            task = task.func
        return str(getattr(task, "__name__", None) or type(task).__name__)[:150]


def _check(name: str, value: int, maximum: int) -> None:
    if type(value) is not int or not 1 <= value <= maximum:
        raise EvaluationError(f"{name} must be a whole number from 1 to {maximum}.")
