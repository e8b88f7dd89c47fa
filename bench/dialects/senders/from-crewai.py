import os

os.environ["CREWAI_DISABLE_TELEMETRY"] = os.environ["CREWAI_TRACING_ENABLED"] = "true"
os.environ["CREWAI_TRACING_ENABLED"] = "false"

import exporters
from crewai import LLM, Agent, Crew, Task
from crewai.tools import tool
from openinference.instrumentation import using_attributes
from openinference.instrumentation.crewai import CrewAIInstrumentor
from openinference.instrumentation.openai import OpenAIInstrumentor

CrewAIInstrumentor().instrument(tracer_provider=exporters.provider)
OpenAIInstrumentor().instrument(tracer_provider=exporters.provider)

model = LLM(model="gpt-4o", api_key="any", base_url=f"{exporters.MODELS}/v1")
tools = [tool("find_order")(exporters.find_order)]
agent = Agent(role="support", goal="Help.", backstory="You help.", llm=model, tools=tools, max_retry_limit=0)
task = Task(description="Where is 42?", expected_output="An answer.", agent=agent)
with using_attributes(session_id="s-1", user_id="ada"):
    Crew(name="support", agents=[agent], tasks=[task]).kickoff()
