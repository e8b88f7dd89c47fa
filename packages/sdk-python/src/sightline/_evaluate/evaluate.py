from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any, ParamSpec, TypeVar

from sightline._evaluate.errors import EvaluationError
from sightline._evaluate.evaluation import Evaluation
from sightline._evaluate.plan import ExperimentPlan, Plan
from sightline._evaluate.result import EvaluationResult
from sightline._evaluate.score_experiment import score_experiment

Options = ParamSpec("Options")
_Plan = TypeVar("_Plan")
_Evaluate = Callable[Options, EvaluationResult]
_Later = Callable[Options, Awaitable[EvaluationResult]]


def _taking(
    name: str, plan: Callable[Options, _Plan], work: Callable[[_Plan], Awaitable[EvaluationResult]], about: str
) -> tuple[_Evaluate[Options], _Later[Options]]:
    """Both functions take what a plan is made of."""

    def evaluate(*given: Options.args, **named: Options.kwargs) -> EvaluationResult:
        with suppress(RuntimeError):
            asyncio.get_running_loop()
            raise EvaluationError(f"An event loop runs here, which {name}() would block: use `await sightline.a{name}(…)`.")
        return asyncio.run(later(*given, **named))

    async def later(*given: Options.args, **named: Options.kwargs) -> EvaluationResult:
        return await work(plan(*given, **named))

    functions: tuple[Any, Any] = (evaluate, later)
    texts = (about, f"`{name}` within a running event loop.")
    for function, called, text in zip(functions, (name, f"a{name}"), texts, strict=True):
        function.__name__ = function.__qualname__ = called
        function.__doc__ = text
        function.__signature__ = inspect.signature(plan).replace(return_annotation="EvaluationResult")
    return evaluate, later


evaluate, aevaluate = _taking(
    "evaluate",
    Plan,
    lambda plan: Evaluation(plan).run(),
    """Runs the task, a function or a coroutine function, with the input of every item of a dataset, scores what it gives,
        and compares that with a baseline. Raises `EvaluationError` where it can't; Ctrl-C cancels it, and `resume` goes on.

        result = sightline.evaluate(agent, dataset="refunds", evaluators=[exact_match], repetitions=3, baseline="main")
        print(result)

        Outputs that exist are scored by `evaluate(dataset="refunds", outputs={item_id: output}, evaluators=[exact_match])`.
        """,
)

evaluate_experiment, aevaluate_experiment = _taking(
    "evaluate_experiment",
    ExperimentPlan,
    score_experiment,
    """Scores the runs of a finished experiment by further evaluators, from the outputs that it kept; nothing is run again. Scores
        are reported as it goes: called once more, it fills those that are missing. Raises `EvaluationError` where it can't.

        result = sightline.evaluate_experiment("019b…", [concise], baseline="main")
        """,
)
