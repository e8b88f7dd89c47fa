"""Measures one library in this process: `python cost_of.py LIBRARY SINK`. Prints a row for each size of payload as JSON."""

from __future__ import annotations

import json
import os
import random
import sys
import time
from collections.abc import Callable
from typing import Any

CASES = (
    ("1 KB", 1, 500, 1500),
    ("20 KB, 40 messages", 20, 500, 1000),
    ("20 KB, one text", 20, 20_000, 1000),
    ("100 KB, 200 messages", 100, 500, 500),
    ("100 KB, one text", 100, 100_000, 500),
)
"""What a call's messages are, how many kilobytes they have, characters of each, and calls."""
WARM_UP = 200
PAUSE = 0.001
"""A call a millisecond, as a busy application makes them; what a library does in the background happens in between."""
ANSWER = "The parcel is on its way."
WORDS = [
    "the",
    "agent",
    "reads",
    "orders",
    "and",
    "answers",
    "with",
    "what",
    "it",
    "has",
    "found",
    "about",
    "each",
    "parcel",
    "on",
    "its",
    "way",
    "to",
    "the",
    "customer",
    "in",
    "spring",
]

Call = Callable[[list[dict[str, str]]], None]
Messages = list[dict[str, str]]


def sightline(sink: str) -> tuple[Call, Callable[[], object]]:
    from sightline import close_redis_publisher, initialize_redis_publisher, observe, trace

    initialize_redis_publisher(sink, "bench", "4f6c1c8e-3b0a-4c57-9a55-2f1f4c8f7a10").wait()

    # Inside of a running trace, as the spans of the others are.
    trace("bench").__enter__()

    def call(messages: Messages) -> None:
        with observe("chat", kind="llm", input=messages) as step:
            step.output = ANSWER

    return call, lambda: close_redis_publisher().wait()


def opentelemetry(sink: str) -> tuple[Call, Callable[[], object]]:
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    provider = TracerProvider()
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(endpoint=f"{sink}/v1/traces")))
    tracer = provider.get_tracer("bench")

    def call(messages: Messages) -> None:
        with tracer.start_as_current_span("chat") as span:
            span.set_attribute("gen_ai.operation.name", "chat")
            span.set_attribute("gen_ai.input.messages", json.dumps(messages))
            span.set_attribute("gen_ai.output.messages", json.dumps(ANSWER))

    return call, provider.shutdown


def langfuse(sink: str) -> tuple[Call, Callable[[], object]]:
    os.environ["LANGFUSE_TRACING_ENABLED"] = "true"
    from langfuse import Langfuse

    client = Langfuse(public_key="pk-lf-x", secret_key="sk-lf-x", base_url=sink)

    def call(messages: Messages) -> None:
        with client.start_as_current_observation(name="chat", as_type="generation", input=messages) as generation:
            generation.update(output=ANSWER)

    return call, client.shutdown


def nothing(_sink: str) -> tuple[Call, Callable[[], object]]:
    return lambda _messages: None, lambda: None


def conversation(kilobytes: int, size: int, chance: random.Random) -> Messages:
    """Messages of about `size` characters, never the same."""
    messages, length = [], 0
    while length < kilobytes * 1000:
        text = " ".join(chance.choices(WORDS, k=max(1, min(size, kilobytes * 1000 - length) // 5)))
        messages.append({"role": "user" if len(messages) % 2 == 0 else "assistant", "content": text})
        length += len(text)
    return messages


def measure(call: Call, payload: str, kilobytes: int, size: int, calls: int) -> dict[str, Any]:
    # No two alike, so that nothing is saved by having been seen before.
    chance = random.Random(kilobytes * calls + size)
    given = [conversation(kilobytes, size, chance) for _ in range(calls)]
    took = []
    cpu = time.process_time()
    for number in range(calls):
        started_at = time.perf_counter()
        call(given[number])
        took.append(time.perf_counter() - started_at)
        time.sleep(PAUSE)
    spent = time.process_time() - cpu
    took.sort()
    return {
        "payload": payload,
        "p50_us": took[len(took) // 2] * 1e6,
        "p99_us": took[int(len(took) * 0.99)] * 1e6,
        "cpu_us": spent / calls * 1e6,
    }


def main(library: str, sink: str) -> None:
    call, close = {"sightline": sightline, "opentelemetry": opentelemetry, "langfuse": langfuse, "nothing": nothing}[library](
        sink
    )
    rows = []
    for *case, calls in CASES:
        measure(call, *case, WARM_UP)
        rows.append(measure(call, *case, calls))
    close()
    print(json.dumps(rows))


if __name__ == "__main__":
    main(*sys.argv[1:])
