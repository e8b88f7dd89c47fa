from __future__ import annotations

import collections
import dataclasses
import datetime
import decimal
import enum
import json
import pathlib
import time
import uuid

import pytest
from langchain_core.messages import AIMessage
from pydantic import BaseModel, SecretStr
from stream import Stream

from sightline import observe, trace, trace_tool
from sightline._capture.chat_message import ReasoningPolicy
from sightline._capture.snapshot import PAYLOAD_LIMITS, take_snapshot
from sightline._event.event_text import write_event_text

POLICY = ReasoningPolicy(capture=True, maximum=50_000)
SECRET = "hunter2-Zq8"


def copied(value):
    return take_snapshot(value, POLICY).value


def published(value) -> str:
    return write_event_text({"input": copied(value)}).content.decode()


class Color(enum.Enum):
    RED = "red"


class Account(BaseModel):
    name: str
    password: str = SECRET
    pin: SecretStr = SecretStr(SECRET)


@dataclasses.dataclass
class Point:
    x: int
    token: str = SECRET


class Slotted:
    __slots__ = ("_hidden", "shown")

    def __init__(self):
        self._hidden, self.shown = SECRET, 1


class Client:
    def __init__(self):
        self.url = "https://api"
        self.api_key = SECRET
        self._session = object()

    @property
    def never_read(self):
        raise AssertionError("a property was run")


class Array:
    shape = (3, 4)
    dtype = "float32"


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (datetime.datetime(2026, 1, 2, 3, tzinfo=datetime.UTC), "2026-01-02T03:00:00+00:00"),
        (datetime.timedelta(seconds=90), 90.0),
        (decimal.Decimal("1.10"), "1.10"),
        (uuid.UUID(int=7), "00000000-0000-0000-0000-000000000007"),
        (pathlib.PurePosixPath("/a/b"), "/a/b"),
        (Color.RED, "red"),
        (b"abc", "[binary: 3 bytes]"),
        ((1, 2), [1, 2]),
        ({3}, [3]),
        (collections.deque([1]), [1]),
        (collections.OrderedDict(a=1), {"a": 1}),
        (Point(1), {"x": 1, "token": "[masked]"}),
        (Slotted(), {"shown": 1}),
        (Client(), {"url": "https://api", "api_key": "[masked]"}),
        (Array(), "[Array: 3 × 4]"),
        (Account(name="a"), {"name": "a", "password": "[masked]", "pin": "[SecretStr]"}),
        (ValueError("x"), {"name": "ValueError", "message": "x"}),
        (len, "[function len]"),
        (Color, "[class Color]"),
        ((number for number in range(3)), "[generator]"),
        (float("nan"), "nan"),
        (2**60, 2**60),
        (2**5000, "[integer limit]"),
        ({1: "a", None: "b", (1, "x"): "c"}, {"1": "a", "None": "b", "1, x": "c"}),
        (object(), "[object]"),
    ],
)  # fmt: skip
def test_an_object_becomes_plain(value, expected):
    assert copied(value) == expected
    json.dumps(copied(value))


class Response:
    """As those of HTTP clients: reading `content` reads the body, `shape` is nobody's business."""

    def __init__(self):
        self.status_code = 200

    @property
    def content(self):
        raise AssertionError("the body was read")

    additional_kwargs = response_metadata = content
    tool_call_id = content


def test_properties_are_not_run():
    assert copied(Response()) == {"status_code": 200}


def test_a_generator_is_not_consumed():
    numbers = (number for number in range(3))
    copied([numbers])
    assert list(numbers) == [0, 1, 2]


def test_chat_messages_are_as_the_typescript_sdk_has_them():
    message = AIMessage(
        [{"type": "thinking", "thinking": "hm", "signature": "x"}, {"type": "text", "text": "Hi"}],
        id="m1",
        tool_calls=[{"name": "search", "args": {"q": 1}, "id": "c1"}],
        additional_kwargs={"reasoning_content": "long thought"},
    )
    plain = take_snapshot(message, ReasoningPolicy(capture=True, maximum=4)).value
    assert plain["type"] == "ai"
    assert plain["content"] == [{"type": "thinking", "text": "hm"}, {"type": "text", "text": "Hi"}]
    assert plain["tool_calls"][0]["name"] == "search"
    assert plain["additional_kwargs"] == {"reasoning_content": "long"}
    without = take_snapshot(message, ReasoningPolicy(capture=False, maximum=4)).value
    assert without["content"] == [{"type": "text", "text": "Hi"}]
    assert "additional_kwargs" not in without


def test_a_cycle_and_depth_end():
    loop: dict[str, object] = {}
    loop["self"] = loop
    deep: object = "end"
    for _ in range(1000):
        deep = [deep]
    assert copied(loop) == {"self": "[circular]"}
    assert "[depth limit]" in json.dumps(copied(deep))


def test_what_is_too_much_is_cut_and_says_so():
    assert copied("x" * 100_000) == "x" * 65_536 + "...[cut: 100000 characters]"
    assert copied(list(range(1500)))[-1] == "[500 more]"
    assert len(copied({str(number): number for number in range(1500)})) == 1001
    assert len(json.dumps(copied(["y" * 60_000] * 100))) < PAYLOAD_LIMITS.size * 1.2


@pytest.mark.parametrize(
    "value",
    [
        ["x" * 1000] * 100_000,
        {f"key {number}": number for number in range(300_000)},
        [[[]] * 1000] * 1000,
        "z" * 20_000_000,
        {"k" * 1_000_000: 1},
    ],
    ids=["many texts", "300,000 keys", "lists of empty lists", "20 MB of text", "a long key"],
)
def test_time_is_bounded_whatever_the_size(value):
    times = []
    for _ in range(5):
        started_at = time.perf_counter()
        copied(value)
        times.append(time.perf_counter() - started_at)
    assert min(times) < 0.05


def test_hostile_objects_break_nothing():
    class Hostile:
        def __getattribute__(self, name):
            raise RuntimeError("hostile")

    class Liar(dict):
        def items(self):
            raise RuntimeError("hostile")

    class Endless(dict):
        def items(self):
            while True:
                yield "x", 1

    assert copied({"a": Hostile(), "b": Liar(x=1)}) == {"a": "[unreadable]", "b": "[unreadable]"}
    assert copied(Endless(x=1))["x"] == 1


def test_a_name_that_is_no_text_becomes_one_or_stops_nothing(stream: Stream):
    class Hostile:
        def __getattribute__(self, name):
            raise RuntimeError("hostile")

        def __bool__(self):
            raise RuntimeError("hostile")

    class Text(str):
        def __len__(self):
            raise RuntimeError("hostile")

    for name in (Hostile(), Text("x"), 7, b"x"):
        with trace(name), observe(name), trace_tool(name):
            pass
    assert [start["name"] for start in stream.read().traces] == ["trace", "x", "7", "x"]


CARRIERS = {
    "mapping": {"apiKey": SECRET, "inner": {"db-password": SECRET}},
    "keyed by a secret": {f"Bearer {SECRET}": 1},
    "set": {f"Authorization: Bearer {SECRET}"},
    "error": ValueError(f"login with password={SECRET} failed"),
    "spellings": dict.fromkeys(
        ("PASSWORD", "Pass-Word", "client secret", "XAPIKEY", "ｐａｓｓｗｏｒｄ", "pass\u200bword", "x" * 300 + "_password"),
        SECRET,
    ),
    "under a secret key": {"credentials": {"user": "me", "raw": [SECRET]}},
    "raw headers": ["Authorization", SECRET, "Accept", "text/html"],
    "pair": ("x-api-key", SECRET),
    "arguments": ["run", "--db-password", SECRET, "--verbose"],
    "tags": [{"Key": "API_KEY", "Value": SECRET}],
    "JSON text": json.dumps({"deep": [{"password": SECRET}], "text": json.dumps({"token": SECRET})}),
    "object": Client(),
    "model": Account(name="a"),
}  # fmt: skip


@pytest.mark.parametrize("name", CARRIERS)
def test_no_secret_leaves(name):
    assert SECRET not in published({"wrapped": CARRIERS[name]})


def test_a_list_of_two_sentences_about_a_password_is_kept():
    sentences = ["I forgot the password of my account", "A colleague sets a new one"]
    assert copied(sentences) == sentences


def test_nul_and_halves_of_surrogate_pairs_do_not_leave(stream: Stream):
    with trace("t\x00", input={"a\x00": ["x\x00y", "\ud800", "😀"]}):
        pass
    assert stream.read().traces[0]["input"] == {"a\ufffd": ["x\ufffdy", "\ufffd", "😀"]}


class TestMaskFunction:
    def test_gets_a_copy_of_every_payload_and_decides(self, idle_stream: Stream):
        seen = []

        def mask(payload, field):
            seen.append(field)
            return "[mine]" if field == "input" else payload

        idle_stream.initialize(mask=mask)
        with trace("t", input={"a": 1}) as run:
            run.output = {"b": 2}
        recorded = idle_stream.read()
        assert recorded.traces[0]["input"] == "[mine]"
        assert recorded.trace_ends[0]["output"] == {"b": 2}
        assert seen == ["input", "output"]

    @pytest.mark.parametrize("failing", ["raises", "coroutine"])
    def test_that_fails_withholds_the_payload(self, idle_stream: Stream, failing):
        def raises(payload, field):
            raise RuntimeError("no")

        async def coroutine(payload, field):
            return payload

        idle_stream.initialize(mask=raises if failing == "raises" else coroutine)
        with trace("t", input={"a": 1}):
            pass
        assert idle_stream.read().traces[0]["input"] == "[withheld: the mask function failed]"
