"""Agents that are recorded, and replayed in another process without their models' server: `replay_agents.py record` and
`replay_agents.py replay <ids by name>`. Prints what each gave, and how often a model or a tool ran."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from anthropic import Anthropic
from langchain.agents import create_agent
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.outputs import ChatGenerationChunk, ChatResult
from langchain_core.tools import tool
from langgraph.graph import END, START, MessagesState
from langgraph.prebuilt import ToolNode
from langgraph.types import Send
from model_server import model_server
from openai import BadRequestError, OpenAI
from pydantic import BaseModel
from tool_agent import ScriptedModel, route, tool_agent

import sightline
from sightline import EvaluationError, create_traced_graph, trace_graph

SERVER = {"url": "http://127.0.0.1:9"}
"""By default nobody listens."""
RUNS = {"count": 0}
"""How often a tool of ours ran."""


def openai_client() -> OpenAI:
    return OpenAI(api_key="k", base_url=SERVER["url"], max_retries=0)


class ServedModel(ScriptedModel):
    """Answers by its script after it asked the server, with a client that nobody wraps."""

    def _generate(self, messages: list[BaseMessage], stop: Any = None, run_manager: Any = None, **more: Any) -> ChatResult:
        openai_client().chat.completions.create(model="m", messages=[{"role": "user", "content": "x"}])
        return super()._generate(messages, stop, run_manager, **more)

    def _stream(self, messages: list[BaseMessage], stop: Any = None, run_manager: Any = None, **more: Any) -> Any:
        for generation in self._generate(messages, stop, run_manager).generations:
            message: Any = generation.message
            chunk = AIMessageChunk(content=message.content, tool_calls=message.tool_calls, chunk_position="last")
            yield ChatGenerationChunk(message=chunk)


def called(name: str, number: int, **args: Any) -> dict[str, Any]:
    return {"name": name, "args": args, "id": f"call-{number}", "type": "tool_call"}


@tool
def search(query: str) -> str:
    """Finds something."""
    RUNS["count"] += 1
    return f"found {query}"


@tool
async def look_up(query: str) -> dict[str, str]:
    """Finds it, later."""
    RUNS["count"] += 1
    return {"found": query}


@tool
def broken(query: str) -> str:
    """Never works."""
    RUNS["count"] += 1
    raise LookupError(f"no {query}")


@tool
def long(query: str) -> str:
    """Says more than is kept."""
    return query * 100_000


TOOLS = [search, broken, long]


def graph(name: str, *, streams: bool = False, script: list[AIMessage] | None = None) -> Any:
    model = ServedModel(
        answers=script
        or [
            AIMessage("", tool_calls=[called("search", 1, query="cats"), called("broken", 2, query="dogs")]),
            AIMessage("", tool_calls=[called("search", 3, query="birds")]),
            AIMessage("Cats it is.", usage_metadata={"input_tokens": 3, "output_tokens": 2, "total_tokens": 5}),
        ]
    )

    def agent(state: MessagesState) -> Any:
        asked = [*state["messages"], *CHANGED]
        if not streams:
            return {"messages": [model.invoke(asked)]}
        whole: Any = None
        for chunk in model.stream(asked):
            whole = chunk if whole is None else whole + chunk
        return {"messages": [whole]}

    def handle(error: Exception) -> str:
        return f"{type(error).__name__}: {error}"

    builder = create_traced_graph(MessagesState, name)
    builder.add_node("agent", agent).add_node("tools", ToolNode(TOOLS, handle_tool_errors=handle))
    builder.add_edge(START, "agent").add_edge("tools", "agent")
    builder.add_conditional_edges("agent", route, {"act": "tools", "done": END})
    return builder.compile()


CHANGED: list[Any] = []
"""What a changed agent says beside."""


def fan_out(name: str) -> Any:
    """Three nodes at once, whose calls are of one path each, and come in any order."""

    @sightline.trace_tool("price")
    def price(city: str) -> float:
        RUNS["count"] += 1
        return len(city) / 4

    builder = create_traced_graph(MessagesState, name)
    builder.add_node("ask", lambda state: {"messages": [("ai", f"{state['city']} costs {price(state['city'])}")]})
    builder.add_conditional_edges(
        START, lambda _state: [Send("ask", {"city": city}) for city in ("Rome", "Oslo", "Bern")], ["ask"]
    )
    return builder.compile()


def inner_agent(name: str) -> Any:
    """A tool that runs an agent, whose graph is to be seen in a replay, too."""
    inner = graph("inner", script=[AIMessage("", tool_calls=[called("search", 1, query="cats")]), AIMessage("Inner.")])

    @tool
    def delegate(task: str) -> str:
        """Asks another agent."""
        return str(inner.invoke({"messages": [("user", task)]})["messages"][-1].content)

    model = ServedModel(answers=[AIMessage("", tool_calls=[called("delegate", 1, task="cats")]), AIMessage("Outer.")])
    return trace_graph(create_agent(model, [delegate]), name)


def async_agent(name: str) -> Any:
    calls = [called("look_up", number, query=query) for number, query in enumerate(("Rome", "Oslo"))]
    model = ServedModel(answers=[AIMessage("", tool_calls=calls), AIMessage("Rome.")])
    return trace_graph(create_agent(model, [look_up]), name)


@sightline.trace_tool()
def charge(amount: int) -> dict[str, Any]:
    RUNS["count"] += 1
    return {"charged": amount, "parts": [1.5, None]}


@sightline.observe(kind="retriever")
def documents(query: str) -> Any:
    RUNS["count"] += 1
    yield f"{query} 1"
    yield f"{query} 2"


@sightline.trace_tool()
async def refund(amount: int) -> int:
    RUNS["count"] += 1
    if amount > 5:
        raise KeyError("too much")
    return amount


async def clients(name: str) -> list[Any]:
    """Wrapped clients and decorated functions, without a framework."""
    with sightline.observe(name):
        asked: Any = [{"role": "user", "content": "hi"}]
        openai = sightline.wrap_openai(openai_client())
        anthropic = sightline.wrap_anthropic(Anthropic(api_key="k", base_url=SERVER["url"], max_retries=0))
        chat = openai.chat.completions.create(model="m", messages=asked)
        asked = [*asked, chat.choices[0].message]
        said: list[Any] = [chat.choices[0].message.content, chat.usage.prompt_tokens if chat.usage else None]
        chunks = list(openai.chat.completions.create(model="m", messages=asked, stream=True))
        deltas = [choice.delta for chunk in chunks for choice in chunk.choices]
        said += [
            "".join(delta.content or "" for delta in deltas),
            [c.function.name for d in deltas for c in d.tool_calls or [] if c.function and c.function.name],
        ]
        response = openai.responses.create(model="m", input="hi")
        said += [response.output_text, [item.type for item in response.output if item.type != "reasoning"]]
        with openai.responses.stream(model="m", input="hi") as stream:
            said.append("".join(event.delta for event in stream if event.type == "response.output_text.delta"))
        message = anthropic.messages.create(model="m", max_tokens=5, messages=[{"role": "user", "content": "hi"}])
        said += [message.stop_reason, [block.type for block in message.content if block.type != "thinking"]]
        with anthropic.messages.stream(model="m", max_tokens=5, messages=[{"role": "user", "content": "hi"}]) as streamed:
            said += ["".join(streamed.text_stream), streamed.get_final_message().usage.output_tokens]
        try:
            openai.chat.completions.create(model="failing", messages=[{"role": "user", "content": "no"}])
        except BadRequestError as error:
            said.append(str(error))
        said += [charge(3), list(documents("cats")), await refund(2), await asyncio.gather(refund(3), refund(3))]
        try:
            await refund(9)
        except KeyError as error:
            said.append(repr(error))
        return said


@dataclass
class Order:
    number: int


class Price(BaseModel):
    amount: float


CARD = "4111 1111 1111 1111"


def mask(payload: Any, _field: str) -> Any:
    """An application's own, which leaves no trace in the text."""
    return "a card" if payload == CARD else payload


def returning(value: Any) -> Callable[[str], Any]:
    """An agent whose one tool returns the value."""

    @sightline.trace_tool("look")
    def look() -> Any:
        RUNS["count"] += 1
        return value

    def agent(name: str) -> str:
        with sightline.trace(name):
            return repr(look())

    return agent


async def twins(name: str) -> list[int]:
    """Two calls that nothing tells apart, at once, with other answers."""
    both = asyncio.Barrier(2)
    numbers = iter((1, 2))

    @sightline.trace_tool("roll")
    async def roll() -> int:
        number = next(numbers)
        await both.wait()
        return number

    with sightline.trace(name):
        return list(await asyncio.gather(roll(), roll()))


def small(name: str, *, more: bool = False) -> list[Any]:
    with sightline.trace(name):
        said: list[Any] = [charge(1)]
        if more:
            said.append(sightline.wrap_openai(openai_client()).embeddings.create(model="m", input="x"))
        return said


PLAIN: dict[str, Callable[[str], Any]] = {
    "small": small,
    "twins": lambda name: asyncio.run(twins(name)),
    "tuple": returning((1, 2)),
    "dataclass": returning(Order(7)),
    "pydantic": returning({"prices": [Price(amount=1.5)]}),
    "own mask": returning(CARD),
}


QUESTION = {"messages": [("user", "cats?")]}


def cut(name: str) -> Any:
    return graph(name, script=[AIMessage("", tool_calls=[called("long", 1, query="long")]), AIMessage("Enough.")])


def block(name: str) -> Any:
    with sightline.trace(name), sightline.trace_tool("charge", parameters={"amount": 1}) as call:
        call.output = 1


GRAPHS: dict[str, Callable[[str], Any]] = {
    "graph": graph,
    "streamed": lambda name: graph(name, streams=True),
    "fan out": fan_out,
    "inner": inner_agent,
    "masked": tool_agent,
    "cut": cut,
}


def record() -> dict[str, Any]:
    with model_server() as url:
        SERVER["url"] = url
        said = {name: tell(build(name).invoke(QUESTION)) for name, build in GRAPHS.items()}
        said["async"] = tell(asyncio.run(async_agent("async").ainvoke(QUESTION)))
        said["clients"] = asyncio.run(clients("clients"))
        said |= {name: run(name) for name, run in PLAIN.items()}
        block("block")
    return {"said": said, "runs": RUNS["count"]}


def replay(ids: dict[str, str]) -> dict[str, Any]:
    def once(name: str, agent: Any, **more: Any) -> Any:
        try:
            result = sightline.replay(ids[name], agent, **more)
            return {**told(result), "output": tell(result.output)}
        except EvaluationError as error:
            return {"refused": str(error)}

    found = {name: once(name, build(name)) for name, build in GRAPHS.items()}
    result = asyncio.run(sightline.areplay(ids["async"], async_agent("async")))
    found["async"] = {**told(result), "output": tell(result.output)}
    found["clients"] = once("clients", lambda _given: clients("clients"))
    found |= {name: once(name, lambda _given, name=name: PLAIN[name](name)) for name in PLAIN}
    found["block"] = once("block", lambda _given: block("block"))
    found["more"] = once("small", lambda _given: small("small", more=True))
    runs = RUNS["count"]
    CHANGED.append(("user", "and dogs?"))
    found["stopped"] = once("graph", graph("graph"))
    with model_server() as url:
        SERVER["url"] = url
        found["live"] = once("graph", graph("graph"), on_divergence="live")
    CHANGED.clear()
    found["shorter"] = once("graph", graph("graph").with_config(recursion_limit=3))
    ids["nowhere"] = "01900000-0000-7000-8000-000000000000"
    found["nowhere"] = once("nowhere", graph("graph"))
    found["no key"] = once("graph", graph("graph"), api_key="studio_" + "0" * 64)
    return {"found": found, "runs": runs}


def told(result: sightline.ReplayResult) -> dict[str, Any]:
    return {
        "trace_id": result.trace_id,
        "divergence": result.divergence,
        "answered": result.answered,
        "live": list(result.live),
        "stopped": result.is_stopped,
        "error": None if result.error is None else f"{type(result.error).__name__}: {result.error}"[:200],
    }


def tell(output: Any) -> Any:
    """Messages as what they say."""
    if isinstance(output, dict) and "messages" in output:
        return [[message.type, message.content] for message in output["messages"]]
    return output


if __name__ == "__main__":
    sightline.initialize_redis_publisher(mask=mask).wait()
    sightline.wrap_llm_adapter()
    said = record() if sys.argv[1] == "record" else replay(json.loads(sys.argv[2]))
    sightline.close_redis_publisher().wait()
    print(json.dumps(said))
