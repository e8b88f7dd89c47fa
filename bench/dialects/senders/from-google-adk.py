import asyncio
import os

os.environ["GOOGLE_API_KEY"], os.environ["GOOGLE_GEMINI_BASE_URL"] = "any", os.environ["MODELS_URL"]
# Its messages are events of logs then.
os.environ.setdefault("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT", "true")

import exporters
from google.adk.agents import Agent
from google.adk.runners import InMemoryRunner
from google.genai import types


async def support() -> None:
    agent = Agent(name="support", model="gemini-2.5-flash", instruction="You help.", tools=[exporters.find_order])
    runner = InMemoryRunner(agent=agent, app_name="shop")
    session = await runner.session_service.create_session(app_name="shop", user_id="ada")
    message = types.Content(role="user", parts=[types.Part(text="Where is 42?")])
    async for _event in runner.run_async(user_id="ada", session_id=session.id, new_message=message):
        pass


asyncio.run(support())
