import exporters
from strands import Agent, tool
from strands.models.openai import OpenAIModel

model = OpenAIModel(client_args={"api_key": "any", "base_url": f"{exporters.MODELS}/v1"}, model_id="gpt-4o")
attributes = {"session.id": "s-1", "user.id": "ada"}
agent = Agent(name="support", model=model, system_prompt="You help.", tools=[tool(exporters.find_order)], trace_attributes=attributes, callback_handler=None)
agent("Where is 42?")
