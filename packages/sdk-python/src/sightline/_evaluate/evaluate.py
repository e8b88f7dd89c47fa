from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any, ParamSpec

from sightline._evaluate.errors import EvaluationError
from sightline._evaluate.evaluation import Evaluation
from sightline._evaluate.plan import Plan
from sightline._evaluate.result import EvaluationResult

Options = ParamSpec("Options")


def _taking(
    plan: Callable[Options, Plan],
) -> tuple[Callable[Options, EvaluationResult], Callable[Options, Awaitable[EvaluationResult]]]:
    """Both functions take what a plan is made of."""

    def evaluate(*given: Options.args, **named: Options.kwargs) -> EvaluationResult:
        """Runs the task, a function or a coroutine function, with the input of every item of a dataset, scores what it gives,
        and compares that with a baseline. Raises `EvaluationError` where it can't; Ctrl-C cancels it, and `resume` goes on.

        result = sightline.evaluate(agent, dataset="refunds", evaluators=[exact_match], repetitions=3, baseline="main")
        print(result)
        """
        with suppress(RuntimeError):
            asyncio.get_running_loop()
            raise EvaluationError("An event loop runs here, which evaluate() would block: use `await sightline.aevaluate(…)`.")
        return asyncio.run(Evaluation(plan(*given, **named)).run())

    async def aevaluate(*given: Options.args, **named: Options.kwargs) -> EvaluationResult:
        """`evaluate` within a running event loop."""
        return await Evaluation(plan(*given, **named)).run()

    functions: tuple[Any, Any] = (evaluate, aevaluate)
    for function in functions:
        function.__signature__ = inspect.signature(plan).replace(return_annotation="EvaluationResult")
    return evaluate, aevaluate


evaluate, aevaluate = _taking(Plan)
