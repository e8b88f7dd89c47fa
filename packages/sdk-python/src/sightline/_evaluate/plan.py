from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from functools import partial
from typing import Any

from sightline._evaluate.errors import EvaluationError
from sightline._evaluate.evaluators import Evaluators
from sightline._evaluate.run_item import Task


@dataclass(frozen=True, slots=True)
class Plan:
    """What is evaluated, and how: what `evaluate` is called with."""

    task: Task
    dataset: str
    """Its name or its id."""
    evaluators: Evaluators = ()
    _: KW_ONLY
    repetitions: int = 1
    concurrency: int = 8
    baseline: str | None = None
    """What it is compared with: a branch, of whose experiments the newest are taken together, or an experiment's id."""
    margin: float | None = None
    """The difference that matters; the platform's, 0.1, by default."""
    name: str | None = None
    """Of the experiment; the task's name by default."""
    config: Mapping[str, Any] | None = None
    """What the task was set up with, such as its model and prompt, to be found again."""
    split: str | None = None
    timeout: float = 300.0
    """Seconds that a run, and each evaluator, may take."""
    max_runs: int | None = None
    """Ends the experiment after so many runs."""
    max_cost: float | None = None
    """Dollars; ends the experiment soon after its traces cost more, by the prices of the project."""
    resume: str | bool | None = None
    """Goes on with an experiment that did not end, by its id; `True`: with the newest of the dataset at this commit."""
    api_url: str | None = None
    api_key: str | None = None
    project_id: str | None = None
    console_url: str | None = None

    def __post_init__(self) -> None:
        if not callable(self.task):
            raise EvaluationError("The task must be a function of the item's input; of a graph give its ainvoke or invoke.")
        for name, value, maximum in (
            ("repetitions", self.repetitions, 100),
            ("concurrency", self.concurrency, 1000),
            ("max_runs", 1 if self.max_runs is None else self.max_runs, 10**9),
        ):
            if type(value) is not int or not 1 <= value <= maximum:
                raise EvaluationError(f"{name} must be a whole number from 1 to {maximum}.")
        for name, number, unit in (
            ("timeout", self.timeout, "seconds"),
            ("max_cost", 1 if self.max_cost is None else self.max_cost, "dollars"),
        ):
            if not number > 0:
                raise EvaluationError(f"{name} must be {unit} above 0.")

    @property
    def task_name(self) -> str:
        task: Any = self.task
        while isinstance(task, partial):
            task = task.func
        # A graph's own name says more than that of its method.
        owner = getattr(getattr(task, "__self__", None), "name", None)
        return str(owner or getattr(task, "__name__", None) or type(task).__name__)[:200]
