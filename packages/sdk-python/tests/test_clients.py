"""The real clients of OpenAI and Anthropic, against a server that answers as theirs do."""

from __future__ import annotations

import asyncio
from typing import Any

import anthropic
import openai
import pytest
from model_server import model_server
from pydantic import BaseModel
from stream import Stream

from sightline import trace, wrap_anthropic, wrap_llm_adapter, wrap_openai

ASKED: Any = [{"role": "user", "content": "Hi"}]
CHAT_USAGE = {"input_tokens": 20, "output_tokens": 4, "cache_read_tokens": 8, "reasoning_tokens": 2}
MESSAGE_USAGE = {"input_tokens": 45, "output_tokens": 7, "cache_read_tokens": 30, "cache_write_tokens": 5}


@pytest.fixture(scope="module")
def address():
    with model_server() as url:
        yield url


@pytest.fixture
def chat(address):
    with openai.OpenAI(base_url=address, api_key="k", max_retries=0) as client:
        yield wrap_openai(client)


@pytest.fixture
def claude(address):
    with anthropic.Anthropic(base_url=address, api_key="k", max_retries=0) as client:
        yield wrap_anthropic(client)


def only_call(recorded) -> Any:
    [start] = recorded.starts
    [end] = recorded.ends
    usage = end.get("usage")
    if usage is not None:
        assert usage.pop("raw")
    return start, end


def test_a_chat_completion(stream: Stream, chat):
    wrap_llm_adapter()
    with trace("t"):
        assert chat.chat.completions.create(model="gpt-x", messages=ASKED, temperature=0).choices[0].message.content == "Hello"
    start, end = only_call(stream.read())
    assert (start["kind"], start["name"], start["model"], start["input"]) == ("llm", "openai.chat", "gpt-x", ASKED)
    assert start["attributes"] == {"temperature": 0}
    assert end["output"] == {"role": "assistant", "content": "Hello"}
    assert (end["model"], end["usage"], end["reasoning"]["text"]) == ("gpt-x-2026", CHAT_USAGE, "Greet back.")


def test_prompts_and_answers_stay_without_wrap_llm_adapter(stream: Stream, chat, claude):
    chat.chat.completions.create(model="gpt-x", messages=ASKED)
    claude.messages.create(model="claude-x", max_tokens=9, system="Be kind", messages=ASKED)
    recorded = stream.read()
    assert len(recorded.traces) == 2
    for event in (*recorded.starts, *recorded.ends, *recorded.traces, *recorded.trace_ends):
        assert not {"input", "output", "reasoning"} & event.keys()


def test_a_streamed_chat_completion(stream: Stream, chat):
    wrap_llm_adapter()
    chunks = list(
        chat.chat.completions.create(model="gpt-x", messages=ASKED, stream=True, stream_options={"include_usage": True})
    )
    assert len(chunks) == 7
    _, end = only_call(stream.read())
    assert end["output"]["content"] == "Hello"
    assert end["output"]["tool_calls"][0]["function"] == {"name": "search", "arguments": '{"q":1}'}
    assert (end["usage"], end["attributes"]["finish_reasons"]) == (CHAT_USAGE, ["tool_calls"])
    assert end["attributes"]["tool_calls"] == ["search"]
    assert end["time_to_first_token_ms"] >= 0


def test_a_stream_that_is_left_early_is_interrupted(stream: Stream, chat):
    answer = chat.chat.completions.create(model="gpt-x", messages=ASKED, stream=True)
    next(iter(answer))
    answer._iterator.close()
    answer.close()
    _, end = only_call(stream.read())
    assert (end["status"], end["attributes"]["cancelled"]) == ("interrupted", True)


def test_a_stream_that_is_closed_early_is_interrupted_while_its_handle_lives(stream: Stream, chat, address):
    asked: Any = {"model": "gpt-x", "messages": ASKED, "stream": True}
    with chat.chat.completions.create(**asked) as left:
        next(iter(left))
    with chat.chat.completions.create(**asked) as unread:
        pass
    with chat.chat.completions.create(**asked) as whole:
        assert list(whole)

    async def later() -> Any:
        async with openai.AsyncOpenAI(base_url=address, api_key="k", max_retries=0) as client:
            async with await wrap_openai(client).chat.completions.create(**asked) as answer:
                await anext(aiter(answer))
            return answer

    handles = [left, unread, whole, asyncio.run(later())]
    assert [end["status"] for end in stream.read().ends] == ["interrupted", "interrupted", "success", "interrupted"]
    assert len(handles) == 4


class Answer(BaseModel):
    text: str = ""


def test_the_client_s_own_helpers(stream: Stream, chat):
    with chat.chat.completions.stream(model="gpt-x", messages=ASKED, stream_options={"include_usage": True}) as events:
        assert events.get_final_completion().choices[0].message.content == "Hello"
    with chat.responses.stream(model="gpt-x", input="Hi") as answers:
        assert answers.get_final_response().output_text == "Hi"
    raw = chat.with_options(timeout=5).chat.completions.with_raw_response.create(model="gpt-x", messages=ASKED)
    assert raw.parse().id == "c1"
    recorded = stream.read()
    assert [start["name"] for start in recorded.starts] == ["openai.chat", "openai.responses", "openai.chat"]
    assert [end.get("usage", {}).get("input_tokens") for end in recorded.ends] == [20, 10, 20]
    assert recorded.ends[2]["attributes"]["raw_response"] is True


def test_an_answer_whose_body_the_application_reads_itself(stream: Stream, chat, address):
    wrap_llm_adapter()
    asked: Any = {"model": "gpt-x", "messages": ASKED}
    completions = chat.chat.completions
    streamed: Any = {**asked, "stream": True, "stream_options": {"include_usage": True}}
    assert completions.with_raw_response.create(**asked).http_response.json()["id"] == "c1"
    assert len(list(completions.with_raw_response.create(**streamed).parse())) == 7
    with completions.with_streaming_response.create(**asked) as answer:
        assert answer.parse().id == "c1"
    with completions.with_streaming_response.create(**asked) as answer:
        assert b"c1" in answer.read()
    with completions.with_streaming_response.create(**streamed) as answer:
        assert len(list(answer.parse())) == 7

    async def later() -> None:
        async with openai.AsyncOpenAI(base_url=address, api_key="k", max_retries=0) as client:
            completions = wrap_openai(client).chat.completions
            assert (await completions.with_raw_response.create(**asked)).parse().id == "c1"
            async with completions.with_streaming_response.create(**asked) as answer:
                assert b"c1" in await answer.read()
            async with completions.with_streaming_response.create(**streamed) as answer:
                assert len([chunk async for chunk in await answer.parse()]) == 7

    asyncio.run(later())
    with completions.with_streaming_response.create(**asked) as answer:
        assert list(answer.iter_bytes())
    *known, unknown = stream.read().ends
    for end in known:
        assert (end["output"]["content"], end["usage"]["input_tokens"]) == ("Hello", 20)
    assert len(known) == 8
    assert (unknown["status"], unknown["attributes"]) == ("success", {"raw_response": True})


def test_a_response_and_an_embedding(stream: Stream, chat):
    wrap_llm_adapter()
    chat.responses.create(model="gpt-x", input="Hi")
    list(chat.responses.create(model="gpt-x", input="Hi", stream=True))
    chat.embeddings.create(model="embed-x", input="Hi", encoding_format="float")
    recorded = stream.read()
    for end in recorded.ends[:2]:
        assert [item["type"] for item in end["output"]] == ["function_call", "message"]
        assert (end["reasoning"]["text"], end["attributes"]["tool_calls"]) == ("Think.", ["search"])
        assert end["usage"]["reasoning_tokens"] == 1
    assert recorded.ends[2]["usage"]["input_tokens"] == 3


def test_a_failed_call_fails_as_before(stream: Stream, chat, claude):
    with pytest.raises(openai.BadRequestError, match="no such model"):
        chat.chat.completions.create(model="failing", messages=ASKED)
    with pytest.raises(anthropic.BadRequestError, match="no such model"):
        claude.messages.create(model="failing", max_tokens=9, messages=ASKED)
    recorded = stream.read()
    assert [end["status"] for end in recorded.ends] == ["failure", "failure"]
    assert all("no such model" in end["error"] for end in recorded.ends)


def test_a_message(stream: Stream, claude):
    wrap_llm_adapter()
    claude.messages.create(model="claude-x", max_tokens=9, system="Be kind", messages=ASKED)
    start, end = only_call(stream.read())
    assert start["input"] == [{"role": "system", "content": "Be kind"}, *ASKED]
    assert [block["type"] for block in end["output"]["content"]] == ["text", "tool_use"]
    assert (end["usage"], end["reasoning"]["text"]) == (MESSAGE_USAGE, "Let me see.")
    assert end["attributes"] == {"stop_reason": "tool_use", "tool_calls": ["search"]}


@pytest.mark.parametrize("way", ["create", "stream"])
def test_a_streamed_message(stream: Stream, claude, way):
    wrap_llm_adapter()
    if way == "create":
        list(claude.messages.create(model="claude-x", max_tokens=9, messages=ASKED, stream=True))
    else:
        with claude.messages.stream(model="claude-x", max_tokens=9, messages=ASKED) as events:
            assert events.get_final_message().content[1].text == "Looking"
    _, end = only_call(stream.read())
    assert end["output"]["content"][1]["input"] == {"q": "cats"}
    assert (end["usage"], end["reasoning"]["text"]) == (MESSAGE_USAGE, "Let me see.")
    assert end["time_to_first_token_ms"] >= 0


def test_the_asynchronous_clients(stream: Stream, address):
    wrap_llm_adapter()

    async def run() -> None:
        async with (
            openai.AsyncOpenAI(base_url=address, api_key="k") as chat,
            anthropic.AsyncAnthropic(base_url=address, api_key="k") as claude,
        ):
            wrap_openai(wrap_openai(chat))
            wrap_anthropic(claude)
            with trace("t"):
                await chat.chat.completions.create(model="gpt-x", messages=ASKED)
                async for _ in await chat.chat.completions.create(model="gpt-x", messages=ASKED, stream=True):
                    pass
                async with claude.messages.stream(model="claude-x", max_tokens=9, messages=ASKED) as events:
                    await events.until_done()

    asyncio.run(run())
    recorded = stream.read()
    assert recorded.tree == ["llm openai.chat < -", "llm openai.chat < -", "llm anthropic.messages < -"]
    assert [end["status"] for end in recorded.ends] == ["success"] * 3
    assert recorded.ends[2]["usage"]["input_tokens"] == 45
