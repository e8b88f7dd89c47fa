import exporters
from agno.agent import Agent
from agno.models.openai import OpenAIChat
from openinference.instrumentation.agno import AgnoInstrumentor

AgnoInstrumentor().instrument(tracer_provider=exporters.provider)
model = OpenAIChat(id="gpt-4o", api_key="any", base_url=f"{exporters.MODELS}/v1")
Agent(name="support", model=model, instructions="You help.", tools=[exporters.find_order]).run("Where is 42?", user_id="ada", session_id="s-1")
