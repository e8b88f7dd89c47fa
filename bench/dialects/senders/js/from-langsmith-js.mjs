process.env.LANGSMITH_TRACING = process.env.LANGSMITH_OTEL_ENABLED = "true";
process.env.LANGSMITH_API_KEY = "any";

const { initializeOTEL } = await import("langsmith/experimental/otel/setup");
const { Client } = await import("langsmith");
const { traceable } = await import("langsmith/traceable");
const { wrapOpenAI } = await import("langsmith/wrappers");
const { baseURL, findOrder, provider, run } = await import("./exporters.mjs");
const { default: OpenAI } = await import("openai");

initializeOTEL({ globalTracerProvider: provider });
const langsmith = new Client();
const client = wrapOpenAI(new OpenAI({ apiKey: "any", baseURL, maxRetries: 0 }), { client: langsmith });
const parameters = { type: "object", properties: { order: { type: "integer" } } };
const tools = [{ type: "function", function: { name: "find_order", parameters } }];
const find = traceable(findOrder, { name: "find_order", run_type: "tool", client: langsmith });
const support = traceable(
  async (question) => {
    const messages = [{ role: "user", content: question }];
    const asked = await client.chat.completions.create({ model: "gpt-4o", messages, tools });
    const found = { role: "tool", tool_call_id: "call-1", content: await find({ order: 42 }) };
    const answered = await client.chat.completions.create({
      model: "gpt-4o",
      messages: [...messages, asked.choices[0].message, found],
      tools,
    });
    return answered.choices[0].message.content;
  },
  { name: "support", run_type: "chain", metadata: { user_id: "ada", session_id: "s-1" }, client: langsmith },
);
await run(
  () => support("Where is 42?"),
  () => langsmith.awaitPendingTraceBatches(),
);
