import os

os.environ["HAYSTACK_CONTENT_TRACING_ENABLED"] = "true"
os.environ["OPENAI_API_KEY"] = "any"

import exporters
from haystack import tracing
from haystack.components.agents import Agent
from haystack.components.generators.chat import OpenAIChatGenerator
from haystack.dataclasses import ChatMessage
from haystack.tools import create_tool_from_function
from haystack_integrations.tracing.opentelemetry import OpenTelemetryTracer

tracing.enable_tracing(OpenTelemetryTracer(exporters.provider.get_tracer("haystack")))
model = OpenAIChatGenerator(model="gpt-4o", api_base_url=f"{exporters.MODELS}/v1", max_retries=0)
agent = Agent(chat_generator=model, tools=[create_tool_from_function(exporters.find_order)], system_prompt="You help.")
agent.run(messages=[ChatMessage.from_user("Where is 42?")])
