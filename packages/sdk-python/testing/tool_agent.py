"""An agent whose model calls two tools, one of which fails, and then answers; the model follows a script."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from langchain.agents import create_agent
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.runnables import Runnable
from langchain_core.tools import tool
from langgraph.graph import END, START, MessagesState
from langgraph.prebuilt import ToolNode
from pydantic import PrivateAttr

from sightline import create_traced_graph, trace_graph


@tool
def search(query: str, api_key: str = "") -> str:
    """Finds something."""
    return f"found {query}"


@tool
def broken(query: str) -> str:
    """Never works."""
    raise ValueError("the tool broke")


class ScriptedModel(BaseChatModel):
    answers: Sequence[AIMessage]
    _given: int = PrivateAttr(default=0)

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def _get_ls_params(self, stop: list[str] | None = None, **more: Any) -> Any:
        return {"ls_model_name": "scripted-1", "ls_provider": "scripted", "ls_model_type": "chat"}

    def bind_tools(self, tools: Any, **more: Any) -> Runnable[Any, AIMessage]:
        return self

    def _generate(self, messages: list[BaseMessage], stop: Any = None, run_manager: Any = None, **more: Any) -> ChatResult:
        answer = self.answers[self._given % len(self.answers)]
        self._given += 1
        return ChatResult(generations=[ChatGeneration(message=answer.model_copy())])


def scripted_model() -> ScriptedModel:
    return ScriptedModel(
        answers=[
            AIMessage(
                "",
                tool_calls=[
                    {"name": "search", "args": {"query": "cats", "api_key": "secret-1"}, "id": "call-1"},
                    {"name": "broken", "args": {"query": "dogs"}, "id": "call-2"},
                ],
            ),
            AIMessage(
                [{"type": "thinking", "thinking": "I have seen enough."}, {"type": "text", "text": "Cats it is."}],
                usage_metadata={
                    "input_tokens": 30,
                    "output_tokens": 5,
                    "total_tokens": 35,
                    "input_token_details": {"cache_read": 10},
                },
                response_metadata={
                    "model_name": "scripted-1-2026",
                    "token_usage": {"prompt_tokens": 30, "completion_tokens": 5},
                },
            ),
        ]
    )


def route(state: MessagesState) -> str:
    last = state["messages"][-1]
    return "act" if isinstance(last, AIMessage) and last.tool_calls else "done"


def tool_agent(trace_name: str) -> Any:
    model = scripted_model()

    def agent(state: MessagesState) -> Any:
        return {"messages": [model.invoke(state["messages"])]}

    def handle(error: Exception) -> str:
        return str(error)

    graph = create_traced_graph(MessagesState, trace_name)
    graph.add_node("agent", agent).add_node("tools", ToolNode([search, broken], handle_tool_errors=handle))
    graph.add_edge(START, "agent").add_edge("tools", "agent")
    graph.add_conditional_edges("agent", route, {"act": "tools", "done": END})
    return graph.compile()


@tool
def weather(city: str) -> str:
    """Tells the weather."""
    return f"sun in {city}"


def prebuilt_agent(trace_name: str) -> Any:
    calls = [{"name": "weather", "args": {"city": city}, "id": f"call-{city}", "type": "tool_call"} for city in ("Rome", "Oslo")]
    model = ScriptedModel(answers=[AIMessage("", tool_calls=calls), AIMessage("Rome.")])
    return trace_graph(create_agent(model, [weather]), trace_name)
