import os

os.environ["OPENAI_API_KEY"], os.environ["OPENAI_BASE_URL"] = "any", f"{os.environ['MODELS_URL']}/v1"

import exporters
from agents import Agent, Runner, function_tool, trace
from openinference.instrumentation import using_attributes
from openinference.instrumentation.openai_agents import OpenAIAgentsInstrumentor

OpenAIAgentsInstrumentor().instrument(tracer_provider=exporters.provider)
agent = Agent(name="support", model="gpt-4o", instructions="You help.", tools=[function_tool(exporters.find_order)])
with using_attributes(session_id="s-1", user_id="ada"), trace("refund"):
    Runner.run_sync(agent, "Where is 42?")
