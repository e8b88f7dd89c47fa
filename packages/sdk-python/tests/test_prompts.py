"""`get_prompt` against a platform that is there, away, slow or out of its mind."""

from __future__ import annotations

import asyncio
import os
import signal
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import openai
import pytest
from langchain_core.language_models.fake_chat_models import FakeListChatModel
from langchain_core.messages import SystemMessage
from model_server import model_server
from prompt_server import FAULTS, GREETING, PromptServer
from stream import Stream

from sightline import PromptError, aget_prompt, callback_handler, get_prompt, observe, trace, wrap_openai
from sightline._prompts import get_prompt as room

NAME = GREETING["name"]
COMPILED = "Hello Ada! Ada is glad."


@pytest.fixture
def platform(monkeypatch: pytest.MonkeyPatch) -> Iterator[PromptServer]:
    server = PromptServer()
    monkeypatch.setenv("OBS_API_URL", server.url)
    monkeypatch.setenv("OBS_API_KEY", "studio_key")
    monkeypatch.setenv("OBS_PROJECT_ID", "4f6c1c8e-3b0a-4c57-9a55-2f1f4c8f7a10")
    begin_process()
    yield server
    server.close()


def begin_process() -> None:
    """Nothing is in memory."""
    room._prompts = room._Prompts()


def until_asked() -> None:
    """Waits for what is under way in the background."""
    for thread in threading.enumerate():
        if thread.name == "sightline-prompt":
            thread.join(10)


def test_a_prompt_is_compiled_and_says_what_it_is(platform: PromptServer):
    prompt = get_prompt(NAME)
    assert (prompt.version, prompt.label, prompt.source, prompt.is_stale) == (7, "production", "cache", False)
    assert prompt.config == {"model": "gpt-x", "temperature": 0.2}
    assert prompt.compile(name="Ada", mood="glad", more=1) == COMPILED
    assert prompt.compile(name={"a": [1, None]}, mood="{{name}}") == 'Hello {"a":[1,null]}! {"a":[1,null]} is {{name}}.'
    prompt.config["model"] = "another"
    assert get_prompt(NAME).config["model"] == "gpt-x"
    with pytest.raises(PromptError, match=r'The prompt "support/greeting" needs mood, name\.'):
        prompt.compile()


def test_messages_are_compiled_each(platform: PromptServer):
    messages = [{"role": "system", "content": "Be {{mood}}."}, {"role": "user", "content": "Hi"}]
    platform.answer = {**GREETING, "template": messages}
    prompt = get_prompt(NAME, label="staging")
    assert prompt.compile(mood="glad") == [{"role": "system", "content": "Be glad."}, {"role": "user", "content": "Hi"}]
    assert prompt.template == messages


def test_a_cached_call_opens_no_connection(platform: PromptServer):
    get_prompt(NAME)
    get_prompt(NAME, version=7, max_age=0)
    assert platform.connections == 2
    for _ in range(1000):
        assert get_prompt(NAME).source == get_prompt(NAME, version=7, max_age=0).source == "cache"
    assert platform.connections == 2


def test_what_is_old_is_refreshed_by_one_thread_in_the_background(platform: PromptServer):
    get_prompt(NAME, max_age=0)
    until_asked()
    platform.may_answer.clear()
    platform.answer = {**GREETING, "version": 8}
    seen = [get_prompt(NAME, max_age=0) for _ in range(100)]
    assert {(prompt.version, prompt.is_stale) for prompt in seen} == {(7, True)}
    platform.may_answer.set()
    until_asked()
    assert platform.connections == 2
    assert get_prompt(NAME).version == 8
    until_asked()


def test_threads_that_begin_at_once_ask_once(platform: PromptServer):
    platform.may_answer.clear()
    found: list[Any] = []
    threads = [threading.Thread(target=lambda: found.append(get_prompt(NAME, timeout=10).version)) for _ in range(20)]
    for thread in threads:
        thread.start()
    platform.may_answer.set()
    for thread in threads:
        thread.join()
    assert (found, platform.connections) == ([7] * 20, 1)


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_leaves_what_was_known_or_the_fallback(
    platform: PromptServer, fault: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    get_prompt(NAME)
    until_asked()
    # In memory.
    monkeypatch.setattr(room, "_RETRY_AFTER", 0.0)
    platform.break_down(fault)
    stale = get_prompt(NAME, max_age=0)
    if fault != "hung":
        until_asked()
    assert (stale.version, stale.source, stale.is_stale) == (7, "cache", True)
    assert get_prompt(NAME, max_age=0).compile(name="Ada", mood="glad") == COMPILED
    # On disk, of another process.
    begin_process()
    [kept] = (tmp_path / "sightline-sdk" / "prompts").iterdir()
    assert kept.stat().st_mode & 0o777 == 0o600
    old = get_prompt(NAME, timeout=0.3)
    assert (old.version, old.source, old.is_stale) == (7, "disk", True)
    # Nowhere.
    kept.write_bytes(kept.read_bytes()[:40])
    begin_process()
    given = get_prompt(NAME, timeout=0.3, fallback="Hi {{name}}.")
    assert (given.version, given.source, given.is_stale, given.compile(name="Ada")) == (None, "fallback", True, "Hi Ada.")
    nothing = get_prompt(NAME, timeout=0.3)
    assert (nothing.source, nothing.template, nothing.config) == ("none", None, {})
    with pytest.raises(PromptError, match="Nothing is known"):
        nothing.compile()


def test_a_disk_that_takes_nothing_costs_nothing(platform: PromptServer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    assert get_prompt(NAME).source == "cache"
    until_asked()
    platform.fault = "500"
    assert get_prompt(NAME, max_age=0).source == "cache"
    begin_process()
    assert get_prompt(NAME, fallback="x").source == "fallback"


def test_a_failure_is_remembered_for_a_while_and_then_forgotten(platform: PromptServer, monkeypatch: pytest.MonkeyPatch):
    platform.fault = "404"
    assert {get_prompt(NAME, fallback="x").source for _ in range(50)} == {"fallback"}
    assert platform.connections == 1
    begin_process()
    monkeypatch.setattr(room, "_RETRY_AFTER", 0.0)
    get_prompt(NAME)
    platform.fault = None
    get_prompt(NAME)
    until_asked()
    assert get_prompt(NAME).source == "cache"


@pytest.mark.parametrize(
    ("name", "options"),
    [(None, {}), (7, {}), ([], {}), (NAME, {"version": []}), (NAME, {"timeout": "x"}), (NAME, {"fallback": 7}), ("\ud800", {})],
)
def test_odd_arguments_raise_nothing(platform: PromptServer, name: Any, options: dict[str, Any]):
    platform.fault = "404"
    assert get_prompt(name, **{"timeout": 1.0, **options}).source == "none"
    until_asked()


def test_no_settings_raise_nothing(monkeypatch: pytest.MonkeyPatch):
    begin_process()
    monkeypatch.delenv("OBS_API_URL", raising=False)
    assert get_prompt(NAME, fallback=[{"role": "user", "content": "x"}]).compile() == [{"role": "user", "content": "x"}]


def test_a_loop_goes_on_while_it_waits(platform: PromptServer):
    async def run() -> Any:
        platform.may_answer.clear()
        asking = asyncio.create_task(aget_prompt(NAME, timeout=10))
        await asyncio.sleep(0)
        platform.may_answer.set()
        return await asking

    assert asyncio.run(run()).version == 7


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs a system that forks")
def test_a_forked_process_has_it_and_asks_by_itself(platform: PromptServer):
    get_prompt(NAME)
    platform.answer = {**GREETING, "version": 8}
    room._prompts._lock.acquire()  # As another thread of the parent may.
    child = os.fork()
    if child == 0:
        signal.alarm(20)
        is_there = get_prompt(NAME, max_age=0).version == 7
        get_prompt(NAME, max_age=0)
        until_asked()
        os._exit(0 if is_there and get_prompt("another", timeout=5, fallback="x").source == "fallback" else 1)
    room._prompts._lock.release()
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_a_model_call_is_recorded_with_the_prompt_that_it_is_made_with(stream: Stream, platform: PromptServer):
    prompt = get_prompt(NAME)
    text = prompt.compile(name="Ada", mood="glad")
    asked: Any = [{"role": "system", "content": text}, {"role": "user", "content": "Hi"}]
    with model_server() as url, openai.OpenAI(base_url=url, api_key="k", max_retries=0) as client:
        wrap_openai(client)
        client.chat.completions.create(model="gpt-x", messages=asked)
        client.responses.create(model="gpt-x", instructions=text, input="Hi")
        client.chat.completions.create(model="gpt-x", messages=asked[1:])
        with prompt.use():
            client.chat.completions.create(model="gpt-x", messages=asked[1:])
    chat = FakeListChatModel(responses=["Hello"], callbacks=[callback_handler()])
    with trace("t"):
        chat.invoke([SystemMessage(text), *asked[1:]])
        with observe("own", kind="llm", input={"messages": [{"parts": [{"text": text}]}]}):
            pass
        with observe("none", input=text):
            pass
        # Tokens, as embeddings may have them, are no texts: not all of a million are looked at.
        with observe("tokens", kind="llm", input=[[1] * 3_000, text]):
            pass
    starts = [start for start in stream.read().starts if start["name"] != "t"]
    expected = {"name": NAME, "version": "7"}
    assert [start.get("prompt") for start in starts] == [expected, expected, None, expected, expected, expected, None, None]
