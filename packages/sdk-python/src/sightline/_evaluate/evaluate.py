from __future__ import annotations

import asyncio
import os
from typing import Unpack

from sightline._client.state import state
from sightline._evaluate.errors import EvaluationError
from sightline._evaluate.evaluation import Evaluation
from sightline._evaluate.evaluators import Evaluators
from sightline._evaluate.plan import EvaluateOptions, Plan
from sightline._evaluate.result import EvaluationResult
from sightline._evaluate.run_item import Task


def evaluate(task: Task, dataset: str, evaluators: Evaluators = (), **options: Unpack[EvaluateOptions]) -> EvaluationResult:
    """Runs the task, a function or a coroutine function, with the input of every item of a dataset, scores what it gives, and
    compares that with a baseline. Raises `EvaluationError` where it can't; Ctrl-C cancels it, and `resume` goes on.

    result = sightline.evaluate(agent, dataset="refunds", evaluators=[exact_match], repetitions=3, baseline="main")
    print(result)
    """
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(aevaluate(task, dataset, evaluators, **options))
    raise EvaluationError("An event loop runs here, which evaluate() would block: use `await sightline.aevaluate(…)`.")


async def aevaluate(
    task: Task, dataset: str, evaluators: Evaluators = (), **options: Unpack[EvaluateOptions]
) -> EvaluationResult:
    """`evaluate` within a running event loop."""
    plan = Plan(task=task, dataset=dataset, evaluators=evaluators, **options)
    known = "" if state.publisher is None else state.publisher.settings.console_url
    console_url = plan.console_url or known or os.environ.get("OBS_CONSOLE_URL", "")
    return await Evaluation(plan, console_url).run()
