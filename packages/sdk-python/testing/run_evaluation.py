"""Evaluates a small agent in the way that is named, and prints what came of it as JSON."""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time
from collections.abc import Callable
from typing import Any, TypedDict

import sightline
from sightline import EvaluationError, EvaluationResult
from sightline._evaluate import api, run_item

# What is tried again is tried at once.
api.FIRST_WAIT = run_item.FIRST_WAIT = 0.02


class ProviderError(Exception):
    status_code = 503


class Refund(TypedDict):
    is_paid: bool
    answer: str


class Message:
    def __repr__(self) -> str:
        return "Message()"


@sightline.trace_tool()
def find_order(number: int) -> int:
    return number


def answer(given: Any) -> Any:
    """Does what the item's input says."""
    match given:
        case "fail":
            raise LookupError("no order")
        case "hang":
            time.sleep(60)
        case "away":
            raise ProviderError("overloaded")
        case {"wanted": wanted}:
            return wanted if "BASELINE" in os.environ else None
        case "large":
            return "x" * 1_000_001
        case "nul":
            return {"nul": "\0", "half": "\ud800"}
        case "fail with nul":
            raise LookupError("\0")
        case "odd":
            return {"message": Message()}
        case int():
            return find_order(given)
    return given


async def answer_later(given: Any) -> Any:
    await asyncio.sleep(0.01)
    return answer(given)


def slow(given: Any) -> Any:
    if given > 3:
        # Ctrl-C, as a terminal sends it; a thread goes on.
        os.kill(os.getpid(), 2)
        time.sleep(60)
    return given


def same(output: Any, expected: Any) -> bool:
    return bool(output == expected)


async def length(output: Any, trace: sightline.TraceReference | None) -> dict[str, Any]:
    return {"score": float(len(str(output))), "comment": "traced" if trace else "not traced"}


def concise(output: Any, trace: sightline.TraceReference | None) -> float:
    if "BROKEN" in os.environ and trace is None:
        raise ValueError("a bad day")
    return len(str(output)) / 10


def broken(input: Any) -> float:  # noqa: A002
    if input == "odd":
        return float("nan")
    raise ValueError("a bad day")


def main(way: str, dataset: str, resume: str | None = None) -> None:
    if os.environ.get("OBS_REDIS_URL"):
        sightline.initialize_redis_publisher().wait()
    evaluators: list[Callable[..., Any]] = [same, length, broken] if way == "all" else [same]
    task = graph_task() if way == "graph" else {"async": answer_later, "cancel": slow}.get(way, answer)
    try:
        if way == "again":
            print(json.dumps(_tell(sightline.evaluate_experiment(dataset, [same, concise]))))
            return
        if way == "outputs":
            outputs = json.loads(os.environ["OUTPUTS"])
            print(json.dumps(_tell(sightline.evaluate(dataset=dataset, outputs=outputs, evaluators=[same]))))
            return
        told = _tell(
            sightline.evaluate(
                task,
                dataset,
                evaluators,
                repetitions=2 if way == "all" else 1,
                concurrency=1 if way == "cancel" else 4,
                timeout=2,
                config={"model": "m-1"},
                baseline=os.environ.get("BASELINE"),
                max_runs=2 if way == "cap" else None,
                resume=resume,
            )
        )
    except EvaluationError as error:
        told = {"error": str(error)}
    except KeyboardInterrupt:
        told = {"interrupted": True}
    print(json.dumps(told))


def graph_task() -> Callable[[Any], Any]:
    graph = sightline.create_traced_graph(Refund, trace_name="refund-agent")
    graph.add_node("verify", lambda _state: {})
    graph.add_node("refund", lambda _state: {"answer": "refunded"})
    graph.add_node("ask", lambda _state: {"answer": "ask again"})
    graph.add_edge("__start__", "verify")
    graph.add_conditional_edges("verify", lambda state: "refund" if state["is_paid"] else "ask", ["refund", "ask"])
    return graph.compile(name="refund-agent").ainvoke


def _tell(result: EvaluationResult) -> dict[str, Any]:
    return {"experiment": result.experiment, "runs": result.runs, "table": str(result)}


main(*sys.argv[1:])
