import exporters
from pydantic_ai import Agent
from pydantic_ai.models.google import GoogleModel
from pydantic_ai.providers.google import GoogleProvider

Agent.instrument_all()
model = GoogleModel("gemini-2.5-flash", provider=GoogleProvider(api_key="any", base_url=exporters.MODELS))
agent = Agent(model, name="support", instructions="You help.", tools=[exporters.find_order])
agent.run_sync("Where is 42?")
