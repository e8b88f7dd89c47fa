import asyncio

import exporters
from llama_index.core.agent.workflow import FunctionAgent
from llama_index.core.tools import FunctionTool
from llama_index.llms.openai import OpenAI
from openinference.instrumentation import using_attributes
from openinference.instrumentation.llama_index import LlamaIndexInstrumentor

LlamaIndexInstrumentor().instrument(tracer_provider=exporters.provider)


async def support() -> None:
    model = OpenAI(model="gpt-4o", api_key="any", api_base=f"{exporters.MODELS}/v1", max_retries=0)
    tools = [FunctionTool.from_defaults(exporters.find_order)]
    await FunctionAgent(name="support", llm=model, tools=tools, system_prompt="You help.", streaming=False).run("Where is 42?")


with using_attributes(session_id="s-1", user_id="ada"):
    asyncio.run(support())
