from __future__ import annotations

import asyncio
import contextlib
import json
from typing import Any

import pytest
from stream import Stream

from sightline import observe, trace


def stack_of(stream: Stream, body: Any) -> dict[str, Any]:
    return stacks_of(stream, body)[0]


def stacks_of(stream: Stream, *bodies: Any) -> list[dict[str, Any]]:
    for body in bodies:
        with contextlib.suppress(BaseException), observe("fails"):
            body()
    recorded = stream.read()
    # The trace fails with the same exception, which its step has told.
    assert not any("stack" in end for end in recorded.trace_ends)
    return [end["stack"] for end in recorded.ends]


def functions_of(error: dict[str, Any]) -> list[tuple[str, bool]]:
    return [(frame["function"], frame.get("own", False)) for frame in error["frames"]]


def parse(text: str) -> Any:
    secret_of_mine = "a local value"  # noqa: F841 -- It must not be told.
    return json.loads(text)


def test_a_failure_tells_its_calls_and_its_cause(stream: Stream):
    def wraps() -> None:
        try:
            parse("{")
        except ValueError as error:
            raise LookupError("no such order") from error

    stack = stack_of(stream, wraps)
    failure, cause = stack["errors"]
    assert functions_of(failure) == [("wraps", True), ("stacks_of", True)]
    assert failure["frames"][0]["file"].endswith("tests/test_stack_trace.py")
    assert failure["frames"][0]["line"] > 0
    assert {"type", "message", "relation"}.isdisjoint(failure)
    assert (cause["relation"], cause["of"], cause["type"]) == ("cause", 0, "JSONDecodeError")
    assert cause["message"].startswith("Expecting property name")
    assert functions_of(cause)[0] == ("JSONDecoder.raw_decode", False)
    assert functions_of(cause)[-2:] == [("parse", True), ("wraps", True)]
    assert "a local value" not in stream.read().text
    assert len(stack["commit"]) == 40


def test_a_context_is_told_unless_it_was_suppressed(stream: Stream):
    def handles(suppressed: bool) -> None:
        try:
            parse("{")
        except ValueError:
            if suppressed:
                raise KeyError("hidden") from None
            raise KeyError("shown")  # noqa: B904 -- That is the question.

    shown, hidden = stacks_of(stream, lambda: handles(False), lambda: handles(True))
    assert [error.get("relation") for error in shown["errors"]] == [None, "context"]
    assert len(hidden["errors"]) == 1


def test_members_of_a_group_are_told_each_with_its_cause(stream: Stream):
    async def fails(name: str) -> None:
        try:
            parse("{")
        except ValueError as error:
            raise LookupError(name) from error

    async def all_at_once() -> None:
        async with asyncio.TaskGroup() as group:
            for name in ("one", "two"):
                group.create_task(fails(name))

    stack = stack_of(stream, lambda: asyncio.run(all_at_once()))
    told = [(error.get("relation"), error.get("of"), error.get("message", "")[:3]) for error in stack["errors"]]
    assert told == [(None, None, ""), ("member", 0, "one"), ("member", 0, "two"), ("cause", 1, "Exp"), ("cause", 2, "Exp")]


def test_the_newest_calls_and_the_first_errors_are_kept(stream: Stream):
    def deeper(depth: int) -> None:
        if depth:
            deeper(depth - 1)
        raise LookupError("bottom")

    def chain(left: int) -> None:
        try:
            chain(left - 1) if left else deeper(100)
        except LookupError as error:
            raise LookupError("x" * 10_000) from error

    def group() -> None:
        raise ExceptionGroup("many", [ValueError(str(number)) for number in range(100)])

    deep, chained, grouped = stacks_of(stream, lambda: deeper(100), lambda: chain(10), group)
    assert [len(error["frames"]) for error in deep["errors"]] == [50]
    assert deep["errors"][0]["omitted"] == 53
    assert (len(chained["errors"]), chained["omitted"]) == (6, 1)
    assert len(chained["errors"][1]["message"]) <= 600
    assert len(json.dumps(chained)) < 20_000
    assert (len(grouped["errors"]), grouped["omitted"]) == (21, 80)


def test_messages_are_masked_and_circles_end(stream: Stream):
    def circle() -> None:
        first, second = ValueError("password=hunter2secret"), KeyError("sk-proj-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa")
        first.__cause__, second.__cause__ = second, first
        raise first

    assert len(stack_of(stream, circle)["errors"]) == 2
    assert "sk-proj-aaaa" not in stream.read().text


def test_a_stack_is_told_once_by_the_deepest_step(stream: Stream):
    def innermost() -> None:
        with observe("innermost"):
            parse("{")

    with pytest.raises(LookupError), trace("t"), observe("wrapping"):
        try:
            with observe("passing"):
                innermost()
        except ValueError as error:
            raise LookupError("no such order") from error
    recorded = stream.read()
    told = {name: "stack" in recorded.find(name)[1] for name in ("innermost", "passing", "wrapping")}
    assert told == {"innermost": True, "passing": False, "wrapping": True}
    assert "stack" not in recorded.trace_ends[0]


def test_a_stack_that_no_failed_step_right_below_tells_is_told_again(stream: Stream):
    kept: list[BaseException] = []
    with pytest.raises(ValueError), trace("t"), observe("raises it again"):
        with observe("goes on"):
            for name in ("first", "second"):
                with contextlib.suppress(ValueError), observe(name):
                    try:
                        parse("{")
                    except ValueError as error:
                        kept.append(error)
                        raise kept[0]  # noqa: B904 -- The same one twice.
        raise kept[0]
    recorded = stream.read()
    assert all("stack" in recorded.find(name)[1] for name in ("first", "second", "raises it again"))
    assert "stack" not in recorded.find("goes on")[1]


class UnreadableError(ValueError):
    @property
    def __cause__(self) -> Any:
        raise RuntimeError("not to be read")


def test_what_can_not_be_read_costs_the_stack_alone(stream: Stream):
    with pytest.raises(UnreadableError), trace("t"), observe("fails"):
        raise UnreadableError("mine")
    end = stream.read().find("fails")[1]
    assert (end["status"], end["error"], end.get("stack")) == ("failure", "UnreadableError: mine", None)


def test_a_cancelled_call_has_none(stream: Stream):
    with contextlib.suppress(KeyboardInterrupt), observe("left"):
        raise KeyboardInterrupt
    assert "stack" not in stream.read().find("left")[1]
