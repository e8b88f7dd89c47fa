/** What is to arrive of a run that asks a model, calls the tool `find_order`, and asks again. */
const WHOLE = {
  traces: 1,
  status: "success",
  name: "support",
  said: "in out",
  calls: "2 of 2",
  tools: "find_order in out",
  tokens: "240 + 60",
  cached: 128,
  reasoning: 24,
  cost: 0.00104,
  session: "s-1",
  user: "ada",
  scores: "",
  refused: "failure, said",
};

type Row = { readonly [Name in keyof typeof WHOLE]: (typeof WHOLE)[Name] | null };

/** Gemini's price; a session of the framework's own, which is another each time, or none, where it has no words for the application's. */
const GEMINI = { cost: 0.000_187_44, session: "its own", user: null };
const NO_LABELS = { session: null, user: null };
/** Of one call below a span of the application's own. */
const ONE_CALL = { name: "own root", calls: "1 of 1", tools: "", tokens: "120 + 30", cached: 64, reasoning: 12, cost: 0.000_52 };

/** What is another, by dialect: what its instrumentation leaves out or calls by other names. */
const OTHERS: Readonly<Record<string, Partial<Row>>> = {
  agno: { name: "support.run", reasoning: 0 },
  "agent-framework": NO_LABELS,
  // A team goes on until its third message. A tool is told by AutoGen and by its instrumentation, details of tokens by neither.
  autogen: {
    name: "own root",
    calls: "3 of 3",
    tools: "find_order in out, find_order",
    tokens: "360 + 90",
    cached: 0,
    reasoning: 0,
    cost: 0.0018,
  },
  crewai: { name: "support.kickoff" },
  // It calls no tools here; its own step around LiteLLM's is a call too, and says no tokens.
  dspy: { ...ONE_CALL, name: "Predict.forward", calls: "1 of 2" },
  // What is said comes in logs: of calls alone.
  "google-adk": { ...GEMINI, said: "", tools: "find_order" },
  "google-adk-spans": GEMINI,
  haystack: { name: "haystack.agent.run", ...NO_LABELS },
  // By its own SDK.
  langfuse: { scores: "helpful 1" },
  "langfuse-js": { scores: "helpful 1" },
  // Of two steps around each other the inner one has the tokens.
  "llama-index": { name: "FunctionAgent.run", calls: "2 of 4" },
  // A run that fails ends well by its instrumentation's word.
  "openai-agents": { name: "refund", refused: "success, said" },
  openlit: { ...ONE_CALL, reasoning: 0, ...NO_LABELS },
  "otlp-grpc": ONE_CALL,
  "pydantic-ai": GEMINI,
  "semantic-kernel": { calls: "2 of 4", tools: "Orders-find_order in out" },
  // Its last answer is a tool. Its instrumentation says no details of tokens, and sends no root of a run that failed.
  smolagents: {
    name: "support.run",
    tools: "find_order in out, final_answer in out",
    cached: 0,
    reasoning: 0,
    cost: 0.0012,
    refused: "running, said",
  },
  strands: { reasoning: 0 },
  traceloop: { ...ONE_CALL, cost: 0.000_031_2, ...NO_LABELS },
};

export const expectRow = (dialect: string): Row => ({ ...WHOLE, ...OTHERS[dialect] });
