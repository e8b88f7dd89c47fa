"""`python -m refunds.evals DATASET NAME`: evaluates the agent, and prints the experiment's id."""

from __future__ import annotations

import sys
from typing import Any

from langgraph.graph import END, START

import sightline

from .answer import answer
from .ask import ask
from .read import read
from .refund import refund
from .state import Refund
from .verify import verify

sightline.initialize_redis_publisher().wait()
sightline.wrap_llm_adapter()
graph = sightline.create_traced_graph(Refund, trace_name="refunds")
for node in (read, verify, refund, ask, answer):
    graph.add_node(node.__name__, node)
graph.add_edge(START, "read").add_edge("read", "verify").add_edge("refund", "answer").add_edge("ask", "answer").add_edge(
    "answer", END
)
agent = graph.compile()


async def run(given: dict[str, Any]) -> str:
    """What was said, without how it was worded."""
    return str((await agent.ainvoke(given))["said"]).partition(".")[0]


def right(output: Any, expected: Any) -> bool:
    return bool(output == expected)


dataset, name = sys.argv[1:]
print(sightline.evaluate(run, dataset, [right], name=name, repetitions=2).experiment["id"])
