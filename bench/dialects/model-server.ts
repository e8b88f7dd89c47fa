import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { json } from "node:stream/consumers";

/** The input of each call holds 64 cached tokens, the output 12 of reasoning, which Gemini counts beside the rest. */
const [INPUT, CACHED, OUTPUT, REASONING] = [120, 64, 30, 12];
const [ASKED, ANSWERED] = [{ order: 42 }, "It was shipped."];

type Asked = {
  readonly model?: string;
  readonly stream?: boolean;
  readonly messages?: readonly { readonly role?: string; readonly content?: unknown }[];
  readonly input?: readonly { readonly type?: string }[] | string;
  readonly contents?: readonly { readonly parts?: readonly Readonly<Record<string, unknown>>[] }[];
  readonly tools?: readonly unknown[];
};

/** What it says to whatever is sent below `/broken`. */
export const REFUSED = "there is no such model on sale";

/** Speaks OpenAI's chat completions and responses, and Gemini: asks for the tool `find_order` first, and answers once its result is there. */
export async function startModelServer() {
  const server = createServer((request, response) => void answer(request, response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`,
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const asked = (await json(request)) as Asked;
  const path = request.url ?? "";
  if (path.startsWith("/broken")) {
    const error = { code: 400, message: REFUSED, type: "invalid_request_error", status: "INVALID_ARGUMENT" };
    response.writeHead(400, { "content-type": "application/json" }).end(JSON.stringify({ error }));
    return;
  }
  if (asked.stream === true && path.endsWith("/chat/completions")) {
    response.setHeader("content-type", "text/event-stream").end(toChunks(ofChat(asked)));
    return;
  }
  const body = path.includes("enerateContent") ? ofGemini(asked) : path.endsWith("/responses") ? ofResponses(asked) : ofChat(asked);
  response.setHeader("content-type", "application/json").end(JSON.stringify(body));
}

/** The answer as one chunk, and what it used as another. */
function toChunks({ choices: [choice], usage, ...rest }: ReturnType<typeof ofChat>): string {
  const first = { ...rest, choices: [{ index: 0, delta: choice?.message, finish_reason: choice?.finish_reason }] };
  return [first, { ...rest, choices: [], usage }]
    .map((chunk) => `data: ${JSON.stringify({ ...chunk, object: "chat.completion.chunk" })}\n\n`)
    .concat("data: [DONE]\n\n")
    .join("");
}

function ofChat({ model, messages = [], tools = [] }: Asked) {
  const asked = JSON.stringify(messages);
  const isDone = tools.length === 0 || messages.some(({ role }) => role === "tool" || role === "function") || asked.includes("was shipped");
  // Smolagents' last answer is a call too; DSPy's has marks around its fields.
  const isLast = isDone && JSON.stringify(tools).includes("final_answer");
  const wanted = isLast ? { name: "final_answer", arguments: { answer: ANSWERED } } : { name: "find_order", arguments: ASKED };
  const call = { index: 0, id: "call-1", type: "function", function: { ...wanted, arguments: JSON.stringify(wanted.arguments) } };
  const text = asked.includes("[[ ## answer ## ]]") ? `[[ ## answer ## ]]\n${ANSWERED}\n\n[[ ## completed ## ]]` : ANSWERED;
  const message = isDone && !isLast ? { role: "assistant", content: text } : { role: "assistant", content: null, tool_calls: [call] };
  return {
    id: "chat-1",
    object: "chat.completion",
    created: 1_790_000_000,
    model,
    choices: [{ index: 0, message, finish_reason: isDone && !isLast ? "stop" : "tool_calls" }],
    usage: {
      prompt_tokens: INPUT,
      completion_tokens: OUTPUT,
      total_tokens: INPUT + OUTPUT,
      prompt_tokens_details: { cached_tokens: CACHED },
      completion_tokens_details: { reasoning_tokens: REASONING },
    },
  };
}

function ofResponses({ model, input = [], tools = [] }: Asked): object {
  const isDone = tools.length === 0 || (typeof input !== "string" && input.some(({ type }) => type === "function_call_output"));
  const text = { type: "output_text", text: ANSWERED, annotations: [] };
  const output = isDone
    ? { type: "message", id: "message-1", role: "assistant", status: "completed", content: [text] }
    : { type: "function_call", id: "f-1", call_id: "call-1", name: "find_order", arguments: JSON.stringify(ASKED), status: "completed" };
  return {
    id: "response-1",
    object: "response",
    created_at: 1_790_000_000,
    status: "completed",
    model,
    output: [output],
    parallel_tool_calls: true,
    tool_choice: "auto",
    tools: [],
    usage: {
      input_tokens: INPUT,
      input_tokens_details: { cached_tokens: CACHED },
      output_tokens: OUTPUT,
      output_tokens_details: { reasoning_tokens: REASONING },
      total_tokens: INPUT + OUTPUT,
    },
  };
}

function ofGemini({ contents = [], tools = [] }: Asked): object {
  const isDone = tools.length === 0 || contents.some(({ parts = [] }) => parts.some((part) => "functionResponse" in part));
  const parts = isDone ? [{ text: ANSWERED }] : [{ functionCall: { name: "find_order", args: ASKED } }];
  return {
    candidates: [{ content: { role: "model", parts }, finishReason: "STOP", index: 0 }],
    usageMetadata: {
      promptTokenCount: INPUT,
      cachedContentTokenCount: CACHED,
      candidatesTokenCount: OUTPUT - REASONING,
      thoughtsTokenCount: REASONING,
      totalTokenCount: INPUT + OUTPUT,
    },
    modelVersion: "gemini-2.5-flash",
    responseId: "gemini-1",
  };
}
