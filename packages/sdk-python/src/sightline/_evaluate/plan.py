from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from functools import partial
from typing import Any

from sightline._evaluate.errors import EvaluationError
from sightline._evaluate.evaluators import Evaluators
from sightline._evaluate.run_item import Task


@dataclass(frozen=True, slots=True, kw_only=True)
class Scoring:
    """How runs are scored, compared and told."""

    concurrency: int = 8
    baseline: str | None = None
    """What it is compared with: a branch, of whose experiments the newest are taken together, or an experiment's id."""
    margin: float | None = None
    """The difference that matters; the platform's, 0.1, by default."""
    timeout: float = 300.0
    """Seconds that a run, and each evaluator, may take."""
    api_url: str | None = None
    api_key: str | None = None
    project_id: str | None = None
    console_url: str | None = None


@dataclass(frozen=True, slots=True)
class Plan(Scoring):
    """What is evaluated, and how: what `evaluate` is called with."""

    task: Task | None = None
    dataset: str = ""
    """Its name or its id."""
    evaluators: Evaluators = ()
    _: KW_ONLY
    outputs: Mapping[str, Any] | None = None
    """In place of a task: outputs that exist, by their items' ids. An item without one is a missing run."""
    repetitions: int = 1
    name: str | None = None
    """Of the experiment; the task's name by default."""
    config: Mapping[str, Any] | None = None
    """What the task was set up with, such as its model and prompt, to be found again."""
    split: str | None = None
    max_runs: int | None = None
    """Ends the experiment after so many runs."""
    max_cost: float | None = None
    """Dollars; ends the experiment soon after its traces cost more, by the prices of the project."""
    resume: str | bool | None = None
    """Goes on with an experiment that did not end, by its id; `True`: with the newest of the dataset at this commit."""

    def __post_init__(self) -> None:
        if (self.task is None) == (self.outputs is None) or not (self.task is None or callable(self.task)):
            what = "a function of the item's input; of a graph give its ainvoke or invoke"
            raise EvaluationError(f"The task must be {what}; or give outputs that exist, by their items' ids.")
        if not self.dataset:
            raise EvaluationError("Give the dataset: its name or its id.")
        if self.outputs is not None and self.repetitions != 1:
            raise EvaluationError("Outputs that exist are one for each item: leave repetitions at 1.")
        _check_whole("repetitions", self.repetitions, 100)
        _check_whole("max_runs", 1 if self.max_runs is None else self.max_runs, 10**9)
        _check_scoring(self)
        if self.max_cost is not None and not self.max_cost > 0:
            raise EvaluationError("max_cost must be dollars above 0.")

    @property
    def task_name(self) -> str:
        if self.task is None:
            return "outputs"
        task: Any = self.task
        while isinstance(task, partial):
            task = task.func
        # A graph's own name says more than that of its method.
        owner = getattr(getattr(task, "__self__", None), "name", None)
        return str(owner or getattr(task, "__name__", None) or type(task).__name__)[:200]


@dataclass(frozen=True, slots=True)
class ExperimentPlan(Scoring):
    """An experiment that is scored once more: what `evaluate_experiment` is called with."""

    experiment: str
    """Its id; it has to be finished."""
    evaluators: Evaluators

    def __post_init__(self) -> None:
        _check_scoring(self)


def _check_scoring(plan: Scoring) -> None:
    _check_whole("concurrency", plan.concurrency, 1000)
    if not plan.timeout > 0:
        raise EvaluationError("timeout must be seconds above 0.")


def _check_whole(name: str, value: int, maximum: int) -> None:
    if type(value) is not int or not 1 <= value <= maximum:
        raise EvaluationError(f"{name} must be a whole number from 1 to {maximum}.")
