import exporters
from langchain.agents import create_agent
from langchain_openai import ChatOpenAI
from openinference.instrumentation import using_attributes
from openinference.instrumentation.langchain import LangChainInstrumentor

LangChainInstrumentor().instrument(tracer_provider=exporters.provider)
model = ChatOpenAI(model="gpt-4o", api_key="any", base_url=f"{exporters.MODELS}/v1", max_retries=0)
agent = create_agent(model, tools=[exporters.find_order], system_prompt="You help.", name="support")
with using_attributes(session_id="s-1", user_id="ada"):
    agent.invoke({"messages": [("user", "Where is 42?")]})
