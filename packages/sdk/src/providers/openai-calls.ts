import type { Usage } from "../event/event.ts";
import type { ProviderCall } from "./provider-call.ts";
import { captured, count, createText, list, text, usageOf, type Values, values } from "./provider-values.ts";

type Message = {
  role: unknown;
  readonly content: Text;
  readonly reasoning: Text;
  readonly refusal: Text;
  readonly toolCalls: Map<unknown, ToolCall>;
};
type Text = ReturnType<typeof createText>;
type ToolCall = { id: unknown; type: unknown; name: unknown; readonly arguments: Text };

export const chatCompletionCall: ProviderCall = {
  start: (request) => ({
    name: "openai.chat",
    kind: "llm",
    model: text(request["model"]),
    input: captured(request["messages"]),
    attributes: settingsOf(request, ["temperature", "max_tokens", "max_completion_tokens", "reasoning_effort", "stream"]),
  }),
  readAnswer: (answer) => {
    const { model, choices, usage } = values(answer);
    return chatOutcome(model, list(choices).map(values), usage);
  },
  collect: () => {
    const messages = new Map<unknown, Message>();
    const reasons = new Map<unknown, unknown>();
    let model: unknown;
    let usage: unknown;
    return {
      add: (chunk) => {
        const given = values(chunk);
        model ??= text(given["model"]);
        usage = given["usage"] ?? usage;
        for (const choice of list(given["choices"]).map(values)) {
          const index = choice["index"] ?? 0;
          const message = messages.get(index) ?? createMessage();
          messages.set(index, message);
          addDelta(message, values(choice["delta"]));
          reasons.set(index, choice["finish_reason"] ?? reasons.get(index));
        }
      },
      outcome: () =>
        chatOutcome(
          model,
          [...messages].map(([index, message]) => ({ message: readMessage(message), finish_reason: reasons.get(index) })),
          usage,
        ),
    };
  },
};

export const responseCall: ProviderCall = {
  start: (request) => ({
    name: "openai.responses",
    kind: "llm",
    model: text(request["model"]),
    input: captured(typeof request["input"] === "string" ? [{ role: "user", content: request["input"] }] : request["input"]),
    attributes: settingsOf(request, ["temperature", "max_output_tokens", "stream", "background"]),
  }),
  readAnswer: responseOutcome,
  collect: () => {
    let last: unknown;
    let model: unknown;
    return {
      add: (chunk) => {
        const { type, response } = values(chunk);
        model ??= values(response)["model"];
        if (type === "response.completed" || type === "response.incomplete" || type === "response.failed") {
          last = response;
        }
      },
      outcome: () => responseOutcome(last ?? { model }),
    };
  },
};

export const embeddingCall: ProviderCall = {
  start: (request) => ({ name: "openai.embeddings", kind: "llm", model: text(request["model"]), input: captured(request["input"]) }),
  readAnswer: (answer) => {
    const { model, usage, data } = values(answer);
    const counted = { input_tokens: count(values(usage)["prompt_tokens"]) };
    return { status: "success", model: text(model), usage: usageOf(counted, usage), attributes: { embeddings: list(data).length } };
  },
  collect: () => ({ add: () => undefined, outcome: () => ({ status: "success" }) }),
};

function chatOutcome(model: unknown, choices: readonly Values[], usage: unknown): ReturnType<ProviderCall["readAnswer"]> {
  const messages = choices.map(({ message }) => values(message));
  const reasoning = messages.flatMap((message) => text(message["reasoning_content"]) ?? text(message["reasoning"]) ?? []).join("\n");
  const tools = messages.flatMap((message) =>
    list(message["tool_calls"]).map((call) => text(values(values(call)["function"])["name"]) ?? ""),
  );
  return {
    status: "success",
    model: text(model),
    usage: chatUsage(values(usage)),
    // Reasoning stands apart.
    output: captured(messages.length === 1 ? withoutReasoning(messages[0]) : messages.map(withoutReasoning)),
    reasoning: captured(reasoning) === undefined ? undefined : text(reasoning),
    attributes: {
      finish_reasons: choices.map((choice) => choice["finish_reason"] ?? null),
      ...(tools.length > 0 ? { tool_calls: tools } : {}),
    },
  };
}

function withoutReasoning(message: Values | undefined): Values {
  const { reasoning_content: _content, reasoning: _reasoning, ...rest } = message ?? {};
  return rest;
}

/** OpenAI's input tokens contain the cached ones, as the event schema wants it. */
function chatUsage(usage: Values): Usage | undefined {
  const [input, output] = [values(usage["prompt_tokens_details"]), values(usage["completion_tokens_details"])];
  return usageOf(
    {
      input_tokens: count(usage["prompt_tokens"]),
      output_tokens: count(usage["completion_tokens"]),
      cache_read_tokens: count(input["cached_tokens"]),
      cache_write_tokens: count(input["cache_write_tokens"]),
      reasoning_tokens: count(output["reasoning_tokens"]),
    },
    usage,
  );
}

function responseOutcome(answer: unknown): ReturnType<ProviderCall["readAnswer"]> {
  const { model, output, status, error, incomplete_details: incomplete, usage } = values(answer);
  const items = list(output).map(values);
  const summaries = items
    .filter((item) => item["type"] === "reasoning")
    .flatMap((item) => [...list(item["content"]), ...list(item["summary"])]);
  const reasoning = summaries.flatMap((part) => text(values(part)["text"]) ?? []).join("\n");
  const tools = items.filter((item) => item["type"] === "function_call").map((item) => text(item["name"]) ?? "");
  const failed = status === "failed";
  return {
    status: failed ? "failure" : "success",
    ...(failed ? { error: text(values(error)["message"]) ?? "the response failed" } : {}),
    model: text(model),
    usage: responseUsage(values(usage)),
    output: captured(items.filter((item) => item["type"] !== "reasoning")),
    reasoning: captured(reasoning) === undefined ? undefined : text(reasoning),
    attributes: {
      ...(status === undefined ? {} : { response_status: status }),
      ...(incomplete === undefined || incomplete === null ? {} : { incomplete }),
      ...(tools.length > 0 ? { tool_calls: tools } : {}),
    },
  };
}

function responseUsage(usage: Values): Usage | undefined {
  const [input, output] = [values(usage["input_tokens_details"]), values(usage["output_tokens_details"])];
  return usageOf(
    {
      input_tokens: count(usage["input_tokens"]),
      output_tokens: count(usage["output_tokens"]),
      cache_read_tokens: count(input["cached_tokens"]),
      cache_write_tokens: count(input["cache_write_tokens"]),
      reasoning_tokens: count(output["reasoning_tokens"]),
    },
    usage,
  );
}

function createMessage(): Message {
  return { role: undefined, content: createText(), reasoning: createText(), refusal: createText(), toolCalls: new Map() };
}

function addDelta(message: Message, delta: Values): void {
  message.role ??= text(delta["role"]);
  message.content.add(delta["content"]);
  message.refusal.add(delta["refusal"]);
  message.reasoning.add(delta["reasoning_content"] ?? delta["reasoning"]);
  for (const given of list(delta["tool_calls"]).map(values)) {
    const call = message.toolCalls.get(given["index"]) ?? { id: undefined, type: undefined, name: undefined, arguments: createText() };
    message.toolCalls.set(given["index"], call);
    const called = values(given["function"]);
    call.id ??= given["id"];
    call.type ??= given["type"];
    call.name ??= called["name"];
    call.arguments.add(called["arguments"]);
  }
}

function readMessage(message: Message): Values {
  const calls = [...message.toolCalls.values()].map(({ id, type, name, arguments: given }) => ({
    id,
    type,
    function: { name, arguments: given.read() ?? "" },
  }));
  const [refusal, reasoning] = [message.refusal.read(), message.reasoning.read()];
  return {
    role: message.role ?? "assistant",
    content: message.content.read() ?? null,
    ...(reasoning === undefined ? {} : { reasoning_content: reasoning }),
    ...(refusal === undefined ? {} : { refusal }),
    ...(calls.length > 0 ? { tool_calls: calls } : {}),
  };
}

function settingsOf(request: Values, names: readonly string[]): Values {
  return Object.fromEntries(names.flatMap((name) => (request[name] === undefined ? [] : [[name, request[name]]])));
}
