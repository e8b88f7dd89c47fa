import os

os.environ["LANGFUSE_BASE_URL"] = os.environ["SIGHTLINE_URL"]
os.environ["LANGFUSE_SECRET_KEY"] = os.environ["SIGHTLINE_KEY"]
os.environ["LANGFUSE_PUBLIC_KEY"] = "pk-lf-any"

from langfuse import get_client, observe, propagate_attributes
from langfuse.openai import OpenAI

client = OpenAI(api_key="any", base_url=f"{os.environ['MODELS_URL']}/v1")
TOOLS = [{"type": "function", "function": {"name": "find_order", "parameters": {"type": "object", "properties": {"order": {"type": "integer"}}}}}]


@observe(as_type="tool")
def find_order(order: int) -> str:
    return f"order {order} was shipped"


@observe(as_type="chain")
def answer(question: str) -> str | None:
    messages: list = [{"role": "user", "content": question}]
    asked = client.chat.completions.create(model="gpt-4o", messages=messages, tools=TOOLS).choices[0].message
    result = {"role": "tool", "tool_call_id": "call-1", "content": find_order(order=42)}
    return client.chat.completions.create(model="gpt-4o", messages=[*messages, asked, result], tools=TOOLS).choices[0].message.content


get_client().auth_check()
with propagate_attributes(user_id="ada", session_id="s-1"):
    with get_client().start_as_current_observation(name="support", as_type="agent", input="Where is 42?") as run:
        run.update(output=answer("Where is 42?"))
        run.score_trace(name="helpful", value=1, data_type="BOOLEAN")
get_client().shutdown()
