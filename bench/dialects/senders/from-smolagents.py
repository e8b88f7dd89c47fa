import exporters
from openinference.instrumentation import using_attributes
from openinference.instrumentation.smolagents import SmolagentsInstrumentor
from smolagents import OpenAIServerModel, ToolCallingAgent, tool

SmolagentsInstrumentor().instrument(tracer_provider=exporters.provider)


@tool
def find_order(order: int) -> str:
    """Finds an order.

    Args:
        order: Its number.
    """
    return exporters.find_order(order)


model = OpenAIServerModel(model_id="gpt-4o", api_base=f"{exporters.MODELS}/v1", api_key="any")
with using_attributes(session_id="s-1", user_id="ada"):
    ToolCallingAgent(tools=[find_order], model=model, name="support", max_steps=3).run("Where is 42?")
