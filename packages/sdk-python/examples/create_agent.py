"""An agent that LangChain makes: it is compiled already, so a traced copy of it is run."""

from langchain.agents import create_agent
from langchain_core.language_models import FakeMessagesListChatModel
from langchain_core.messages import AIMessage, HumanMessage

from sightline import close_redis_publisher, initialize_redis_publisher, trace_graph, wrap_llm_adapter

initialize_redis_publisher().wait()
wrap_llm_adapter()

model = FakeMessagesListChatModel(responses=[AIMessage("Rome is warm.")])
agent = trace_graph(create_agent(model, tools=[]), trace_name="weather-agent")
print(agent.invoke({"messages": [HumanMessage("Where is it warm?")]})["messages"][-1].content)

close_redis_publisher().wait()
