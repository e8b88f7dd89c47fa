"""What an application's objects do while they are read stays in them; what interrupts the application goes on."""

from __future__ import annotations

import asyncio
import signal
import time
from typing import Any

import pytest
from stream import Stream

from sightline import initialize_redis_publisher, observe, score, trace, trace_tool
from sightline._settings.warnings import DEFAULT_LOGGER

TRACE_ID = "0192f7a0-0000-7000-8000-00000000000a"


class OwnBase(BaseException):
    """As the outcomes of test runners and the cancellations of event loops are."""


class Raising:
    """Raises whenever anybody asks it anything."""

    def __init__(self, error: BaseException) -> None:
        object.__setattr__(self, "error", error)

    def __getattribute__(self, _name: str) -> Any:
        raise object.__getattribute__(self, "error")

    def __str__(self) -> str:
        raise object.__getattribute__(self, "error")

    __repr__ = __bool__ = __len__ = __iter__ = __hash__ = __str__


class RaisingMapping(dict[Any, Any]):
    def __init__(self, error: BaseException) -> None:
        super().__init__(a=1)
        self.error = error

    def items(self) -> Any:
        raise self.error

    __len__ = __contains__ = items


class RaisingError(Exception):
    def __init__(self, error: BaseException) -> None:
        self.error = error

    def __str__(self) -> str:
        raise self.error


def use_everywhere(value: Any) -> None:
    @observe()
    def work(given, *more, **named):
        return given

    assert work(value, value, named=[value]) is value
    with trace("x", thread_id=value, tags=value, metadata=value, input=value), observe(value, attributes=value) as step:
        step.update(value=value)
        step.output = {"in": [value]}
    with trace_tool("x", parameters=value) as call:
        call.output = value
    assert score(value, 1, trace_id=TRACE_ID) is False
    assert score("x", value, trace_id=TRACE_ID) is False
    score("x", 1, trace_id=TRACE_ID, comment=value)
    assert score("x", 1 << 100_000, trace_id=TRACE_ID) is False


@pytest.mark.parametrize(
    "error", [ValueError("mine"), SystemExit(3), GeneratorExit(), asyncio.CancelledError(), OwnBase(), MemoryError()], ids=repr
)
def test_what_objects_raise_stays_in_them(stream: Stream, error: BaseException):
    for value in (Raising(error), RaisingMapping(error)):
        use_everywhere(value)
    raised = RaisingError(error)
    with pytest.raises(RaisingError) as caught, observe("fails", input=raised):
        raise raised
    assert caught.value is raised
    assert stream.read().find("fails")[1]["error"] == "[unreadable]"
    assert initialize_redis_publisher(Raising(error)).wait().ok is False  # type: ignore[arg-type]


@pytest.mark.parametrize("raised", [SystemExit(7), KeyboardInterrupt(), TimeoutError("limit")], ids=repr)
def test_what_a_handler_of_signals_raises_goes_on(stream: Stream, raised: BaseException):
    class SlowError(Exception):
        def __str__(self) -> str:
            signal.raise_signal(signal.SIGUSR1)
            return "slow"

    def stop(_number, _frame):
        raise raised

    before = signal.signal(signal.SIGUSR1, stop)
    try:
        with pytest.raises(type(raised)), trace("interrupted", input=SlowError()):
            pytest.fail("the body runs although the application was interrupted")
    finally:
        signal.signal(signal.SIGUSR1, before)


@pytest.mark.parametrize(
    "error",
    [ValueError([1] * 3_000_000), ValueError("y" * 30_000_000), ValueError({n: n for n in range(1_000_000)}, "more")],
    ids=["list", "text", "dict"],
)
def test_a_long_exception_is_read_no_further_than_it_is_recorded(stream: Stream, error: ValueError):
    started_at = time.process_time()
    with pytest.raises(ValueError), observe("fails"):
        raise error
    assert time.process_time() - started_at < 0.3
    with observe("holds", input=error):
        pass
    text = stream.read().find("fails")[1]["error"]
    assert text.startswith(("ValueError: [1, 1, 1", "ValueError: yyy", "ValueError: ({0: 0, 1: 1"))
    assert len(text) <= 8300


def test_short_exceptions_are_told_in_their_own_words(stream: Stream):
    for error in (ValueError("a"), ValueError("a", 1), ValueError(["a", 2]), KeyError("k"), OSError(2, "gone"), ValueError()):
        with pytest.raises(type(error)), observe(repr(error)):
            raise error
        text = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
        assert stream.read().find(repr(error))[1]["error"] == text
        stream.initialize()


def test_arguments_that_the_sdk_has_not_leave_the_work_alone(stream: Stream, caplog: pytest.LogCaptureFixture):
    assert stream.initialize(logger=DEFAULT_LOGGER).ok
    unknown: Any = {"nme": "x", "colour": 1}

    @observe("decorated", **unknown)
    def work(given: int) -> int:
        return given + 1

    assert work(1) == 2
    for recording in (trace, observe, trace_tool):
        with recording("one", "too many", **unknown) as run:
            run.output = 1
    with observe("updated") as step:
        step.update({"a": 1})
        step.update("more", b=2)
    recorded = stream.read()
    assert recorded.find("decorated")[1]["status"] == "success"
    assert [recorded.find(name)[1]["status"] for name in ("updated", "one")] == ["success", "success"]
    assert any("takes a name and" in record.message for record in caplog.records)


def test_a_clock_that_raises_leaves_the_work_alone(stream: Stream, monkeypatch: pytest.MonkeyPatch):
    def refuse() -> float:
        raise RuntimeError("no clock here")

    @observe()
    def work() -> int:
        return 1

    with monkeypatch.context() as replaced:
        for name in ("perf_counter", "time_ns", "monotonic"):
            replaced.setattr(time, name, refuse)
        assert work() == 1
        with trace("timeless"), observe("inside") as step, trace_tool("tool") as call:
            step.output = call.output = 2
        assert trace_tool()(lambda: 3)() == 3
    with observe("afterwards"):
        pass
    assert stream.read().find("afterwards")[1]["status"] == "success"
