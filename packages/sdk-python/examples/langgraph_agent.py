"""A graph of LangGraph with a tool, a loop by conditional edges, and a memory of threads."""

import asyncio
from typing import Any

from langchain_core.language_models import FakeMessagesListChatModel
from langchain_core.messages import AIMessage
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, MessagesState
from langgraph.prebuilt import ToolNode

from sightline import close_redis_publisher, create_traced_graph, initialize_redis_publisher, wrap_llm_adapter


@tool
def find_order(number: int) -> str:
    """Finds an order."""
    return f"order {number} is on its way"


# Any chat model of LangChain; this one follows a script, so that the example needs no key.
model = FakeMessagesListChatModel(
    responses=[
        AIMessage("", tool_calls=[{"name": "find_order", "args": {"number": 42}, "id": "call-1"}]),
        AIMessage("Your order is on its way."),
    ]
)


async def think(state: MessagesState) -> dict[str, Any]:
    return {"messages": [await model.ainvoke(state["messages"])]}


def has_tool_calls(state: MessagesState) -> str:
    return "tools" if getattr(state["messages"][-1], "tool_calls", None) else END


async def main() -> None:
    print(await initialize_redis_publisher(verify_consumer=True))
    wrap_llm_adapter()  # also record prompts, responses and reasoning

    graph = create_traced_graph(MessagesState, trace_name="support-agent")
    graph.add_node("think", think).add_node("tools", ToolNode([find_order]))
    graph.add_edge(START, "think").add_edge("tools", "think")
    graph.add_conditional_edges("think", has_tool_calls, ["tools", END])
    agent = graph.compile(checkpointer=InMemorySaver())

    answer = await agent.ainvoke(
        {"messages": [("human", "Where is my order 42?")]},
        {"configurable": {"thread_id": "t-1"}, "metadata": {"user_id": "u-9"}},
    )
    print(answer["messages"][-1].content)
    await close_redis_publisher()


asyncio.run(main())
