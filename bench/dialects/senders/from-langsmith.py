import os

os.environ["LANGSMITH_TRACING"] = os.environ["LANGSMITH_OTEL_ENABLED"] = os.environ["LANGSMITH_OTEL_ONLY"] = "true"
os.environ["LANGSMITH_API_KEY"] = "any"

import exporters
from langchain_core.messages import HumanMessage
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI
from langsmith import traceable
from langsmith.run_trees import get_cached_client

model = ChatOpenAI(model="gpt-4o", api_key="any", base_url=f"{exporters.MODELS}/v1")
find_order = tool(exporters.find_order)


@traceable(run_type="chain", name="support", metadata={"user_id": "ada", "session_id": "s-1"})
def support(question: str) -> str:
    messages: list = [HumanMessage(question)]
    asked = model.bind_tools([find_order]).invoke(messages)
    return model.bind_tools([find_order]).invoke([*messages, asked, find_order.invoke(asked.tool_calls[0])]).content


support("Where is 42?")

