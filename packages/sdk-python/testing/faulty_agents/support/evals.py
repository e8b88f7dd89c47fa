"""`python -m support.evals DATASET NAME`: evaluates the agent, and prints the experiment's id."""

from __future__ import annotations

import sys
from typing import Any

import sightline

from .classify import classify
from .decide import decide
from .lookup import lookup
from .reply import reply

sightline.initialize_redis_publisher().wait()


async def run(request: dict[str, Any]) -> str:
    """What was said, without how it was worded."""
    with sightline.observe(name="support"):
        decision = decide(request, lookup(request, classify(request)))
        return reply(request, decision).partition(".")[0]


def right(output: Any, expected: Any) -> bool:
    return bool(output == expected)


dataset, name = sys.argv[1:]
print(sightline.evaluate(run, dataset, [right], name=name, repetitions=2).experiment["id"])
