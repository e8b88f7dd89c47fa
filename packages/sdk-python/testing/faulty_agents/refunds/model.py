"""A model that follows a script: it knows three instructions, and words its answers by chance."""

from __future__ import annotations

import random
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult


class ScriptedModel(BaseChatModel):
    @property
    def _llm_type(self) -> str:
        return "scripted"

    def _generate(self, messages: list[BaseMessage], stop: Any = None, run_manager: Any = None, **more: Any) -> ChatResult:
        return ChatResult(generations=[ChatGeneration(message=AIMessage(_reply(str(messages[-1].content))))])


def _reply(prompt: str) -> str:
    instruction, _, given = prompt.partition(": ")
    match instruction:
        case "Classify":
            return "refund" if "back" in given else "question"
        case "Ask":
            return f"Which one is it, {random.choice(['please', 'then'])}?"
        case "Answer" if random.random() > 0.05:
            return f"{given}. {random.choice(['Goodbye', 'Thank you', 'Kind regards'])}!"
    return "I can't tell."


model = ScriptedModel()
