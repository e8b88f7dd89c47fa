/** LangChain.js without LangGraph: a handler among the callbacks. */
import { StringOutputParser } from "@langchain/core/output_parsers";
import { ChatPromptTemplate } from "@langchain/core/prompts";
import { FakeListChatModel } from "@langchain/core/utils/testing";
import { closeRedisPublisher, initializeRedisPublisher, wrapLlmAdapter } from "@sightline/sdk";
import { createCallbackHandler } from "@sightline/sdk/langchain";

await initializeRedisPublisher();
wrapLlmAdapter();

const chain = ChatPromptTemplate.fromTemplate("Summarize: {text}")
  .pipe(new FakeListChatModel({ responses: ["Short."] }))
  .pipe(new StringOutputParser());
const options = { callbacks: [createCallbackHandler({ traceName: "summary" })], metadata: { session_id: "s-1" } };
console.log(await chain.invoke({ text: "a long text" }, options));

await closeRedisPublisher();
