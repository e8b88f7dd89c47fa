"""LangChain without LangGraph: a handler among the callbacks."""

from langchain_core.language_models import FakeListChatModel
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate

from sightline import callback_handler, close_redis_publisher, initialize_redis_publisher, wrap_llm_adapter

initialize_redis_publisher().wait()
wrap_llm_adapter()

prompt = ChatPromptTemplate.from_template("Summarise: {text}")
chain = prompt | FakeListChatModel(responses=["Short."]) | StrOutputParser()
print(chain.invoke({"text": "a long story"}, {"callbacks": [callback_handler("summary")], "metadata": {"session_id": "s-1"}}))

close_redis_publisher().wait()
