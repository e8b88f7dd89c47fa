import asyncio
import os

os.environ["AUTOGEN_DISABLE_RUNTIME_TRACING"] = "true"

import exporters
from autogen_agentchat.agents import AssistantAgent
from autogen_agentchat.conditions import MaxMessageTermination
from autogen_agentchat.teams import RoundRobinGroupChat
from autogen_ext.models.openai import OpenAIChatCompletionClient
from openinference.instrumentation import using_attributes
from openinference.instrumentation.autogen_agentchat import AutogenAgentChatInstrumentor

AutogenAgentChatInstrumentor().instrument(tracer_provider=exporters.provider)


async def support() -> None:
    model = OpenAIChatCompletionClient(model="gpt-4o", api_key="any", base_url=f"{exporters.MODELS}/v1")
    agent = AssistantAgent("support", model_client=model, tools=[exporters.find_order], reflect_on_tool_use=True)
    await RoundRobinGroupChat([agent], termination_condition=MaxMessageTermination(3)).run(task="Where is 42?")


with using_attributes(session_id="s-1", user_id="ada"), exporters.provider.get_tracer("own").start_as_current_span("own root"):
    asyncio.run(support())
