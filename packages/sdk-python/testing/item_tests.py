"""Items of a dataset as tests, run by `pytest testing/item_tests.py`."""

from __future__ import annotations

import asyncio
import os
from typing import Any

import pytest

import sightline

interrupted: list[bool] = []


def exact(output: Any, expected: Any) -> bool:
    return bool(output == expected)


@pytest.fixture(scope="session", autouse=True)
def publisher() -> Any:
    sightline.initialize_redis_publisher().wait()
    yield
    sightline.close_redis_publisher()


@pytest.fixture
def greeting() -> str:
    return "hello "


@sightline.trace_tool()
def find_order(name: str) -> str:
    return name


@pytest.mark.sightline(os.environ["DATASET"], evaluators=[exact], repetitions=2)
async def test_agent(input: str, greeting: str) -> str:  # noqa: A002
    if input == "fails":
        raise LookupError("no order")
    if input == "interrupts":
        if not interrupted:
            # Ctrl-C once, as a terminal sends it.
            interrupted.append(True)
            os.kill(os.getpid(), 2)
        await asyncio.sleep(60)
    if input == "looks":
        find_order(input)
    return greeting + input


@pytest.mark.sightline("nothing of that name")
def test_without_a_dataset(input: str) -> str:  # noqa: A002
    return input


def test_of_its_own() -> None:
    assert exact(1, 1)
