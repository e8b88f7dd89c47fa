import asyncio
import os

os.environ["SEMANTICKERNEL_EXPERIMENTAL_GENAI_ENABLE_OTEL_DIAGNOSTICS_SENSITIVE"] = "true"

import exporters
from openai import AsyncOpenAI
from openinference.instrumentation import using_attributes
from openinference.instrumentation.openai import OpenAIInstrumentor
from semantic_kernel.agents import ChatCompletionAgent
from semantic_kernel.connectors.ai.open_ai import OpenAIChatCompletion
from semantic_kernel.functions import kernel_function

OpenAIInstrumentor().instrument(tracer_provider=exporters.provider)


class Orders:
    @kernel_function(name="find_order")
    def find_order(self, order: int) -> str:
        return exporters.find_order(order)


async def support() -> None:
    client = AsyncOpenAI(api_key="any", base_url=f"{exporters.MODELS}/v1")
    service = OpenAIChatCompletion(ai_model_id="gpt-4o", async_client=client)
    await ChatCompletionAgent(service=service, name="support", instructions="You help.", plugins=[Orders()]).get_response("Where is 42?")


with using_attributes(session_id="s-1", user_id="ada"):
    asyncio.run(support())
