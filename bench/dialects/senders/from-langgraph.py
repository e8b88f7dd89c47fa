import exporters
from langchain_openai import ChatOpenAI
from langchain_core.tools import tool
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode, tools_condition
from openinference.instrumentation import using_attributes
from openinference.instrumentation.langchain import LangChainInstrumentor

LangChainInstrumentor().instrument(tracer_provider=exporters.provider)
tools = [tool(exporters.find_order)]
model = ChatOpenAI(model="gpt-4o", api_key="any", base_url=f"{exporters.MODELS}/v1", max_retries=0).bind_tools(tools)
graph = StateGraph(MessagesState)
graph.add_node("agent", lambda state: {"messages": [model.invoke(state["messages"])]})
graph.add_node("tools", ToolNode(tools))
graph.add_edge(START, "agent")
graph.add_conditional_edges("agent", tools_condition)
graph.add_edge("tools", "agent")
with using_attributes(session_id="s-1", user_id="ada"):
    graph.compile(name="support").invoke({"messages": [("user", "Where is 42?")]})
