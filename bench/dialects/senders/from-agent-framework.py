import asyncio

import exporters
from agent_framework import Agent
from agent_framework.observability import enable_instrumentation
from agent_framework.openai import OpenAIChatCompletionClient

enable_instrumentation(enable_sensitive_data=True)
client = OpenAIChatCompletionClient(model="gpt-4o", api_key="any", base_url=f"{exporters.MODELS}/v1")
agent = Agent(client=client, name="support", instructions="You help.", tools=[exporters.find_order])
asyncio.run(agent.run("Where is 42?"))
