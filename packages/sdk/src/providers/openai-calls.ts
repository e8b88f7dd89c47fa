import type { Usage } from "../event/event.ts";
import type { ProviderCall } from "./provider-call.ts";
import { asCount, asList, asObject, asText, usageOfCounts, type Values } from "../capture/loose-values.ts";
import { answeredOutcome, captured, type CollectedText, createCollectedText, pickSettings } from "./provider-values.ts";

type Message = {
  role: unknown;
  readonly content: CollectedText;
  readonly reasoning: CollectedText;
  readonly refusal: CollectedText;
  readonly toolCalls: Map<unknown, ToolCall>;
};
type ToolCall = { id: unknown; type: unknown; name: unknown; readonly arguments: CollectedText };

export const chatCompletionCall: ProviderCall = {
  start: (request) => ({
    name: "openai.chat",
    kind: "llm",
    model: asText(request["model"]),
    input: captured(request["messages"]),
    attributes: pickSettings(request, ["temperature", "max_tokens", "max_completion_tokens", "reasoning_effort", "stream"]),
  }),
  readAnswer: (answer) => {
    const { model, choices, usage } = asObject(answer);
    return chatOutcome(model, asList(choices).map(asObject), usage);
  },
  collect: () => {
    const messages = new Map<unknown, Message>();
    const reasons = new Map<unknown, unknown>();
    let model: unknown;
    let usage: unknown;
    return {
      add: (chunk) => {
        const given = asObject(chunk);
        model ??= asText(given["model"]);
        usage = given["usage"] ?? usage;
        const choices = asList(given["choices"]).map(asObject);
        for (const choice of choices) {
          const index = choice["index"] ?? 0;
          const message = messages.get(index) ?? createMessage();
          messages.set(index, message);
          addChatDelta(message, asObject(choice["delta"]));
          reasons.set(index, choice["finish_reason"] ?? reasons.get(index));
        }
        return choices.some((choice) => hasChatContent(asObject(choice["delta"])));
      },
      outcome: () =>
        chatOutcome(
          model,
          [...messages].map(([index, message]) => ({ message: collectedMessage(message), finish_reason: reasons.get(index) })),
          usage,
        ),
    };
  },
};

export const responseCall: ProviderCall = {
  start: (request) => ({
    name: "openai.responses",
    kind: "llm",
    model: asText(request["model"]),
    input: captured(typeof request["input"] === "string" ? [{ role: "user", content: request["input"] }] : request["input"]),
    attributes: pickSettings(request, ["temperature", "max_output_tokens", "stream", "background"]),
  }),
  readAnswer: responseOutcome,
  collect: () => {
    let last: unknown;
    let model: unknown;
    return {
      add: (chunk) => {
        const { type, response, delta } = asObject(chunk);
        model ??= asObject(response)["model"];
        if (type === "response.completed" || type === "response.incomplete" || type === "response.failed") {
          last = response;
        }
        return typeof type === "string" && type.endsWith(".delta") && asText(delta) !== undefined;
      },
      outcome: () => responseOutcome(last ?? { model }),
    };
  },
};

export const embeddingCall: ProviderCall = {
  start: (request) => ({ name: "openai.embeddings", kind: "llm", model: asText(request["model"]), input: captured(request["input"]) }),
  readAnswer: (answer) => {
    const { model, usage, data } = asObject(answer);
    const counted = { input_tokens: asCount(asObject(usage)["prompt_tokens"]) };
    return {
      status: "success",
      model: asText(model),
      usage: usageOfCounts(counted, asObject(usage)),
      attributes: { embeddings: asList(data).length },
    };
  },
  collect: () => ({ add: () => false, outcome: () => ({ status: "success" }) }),
};

function chatOutcome(model: unknown, choices: readonly Values[], usage: unknown): ReturnType<ProviderCall["readAnswer"]> {
  const messages = choices.map(({ message }) => asObject(message));
  const reasoning = messages.flatMap((message) => asText(message["reasoning_content"]) ?? asText(message["reasoning"]) ?? []);
  const tools = messages.flatMap((message) =>
    asList(message["tool_calls"]).map((call) => asText(asObject(asObject(call)["function"])["name"]) ?? ""),
  );
  return answeredOutcome({
    model,
    usage: openAIUsage(asObject(usage), "prompt", "completion"),
    output: messages.length === 1 ? withoutReasoning(messages[0]) : messages.map(withoutReasoning),
    reasoning,
    tools,
    attributes: { finish_reasons: choices.map((choice) => choice["finish_reason"] ?? null) },
  });
}

function withoutReasoning(message: Values | undefined): Values {
  const { reasoning_content: _content, reasoning: _reasoning, ...rest } = message ?? {};
  return rest;
}

/** Chat completions and responses name the same counts differently. Input contains the cached tokens, as the event schema wants it. */
function openAIUsage(usage: Values, input: "prompt" | "input", output: "completion" | "output"): Usage | undefined {
  const [inputDetails, outputDetails] = [asObject(usage[`${input}_tokens_details`]), asObject(usage[`${output}_tokens_details`])];
  return usageOfCounts(
    {
      input_tokens: asCount(usage[`${input}_tokens`]),
      output_tokens: asCount(usage[`${output}_tokens`]),
      cache_read_tokens: asCount(inputDetails["cached_tokens"]),
      cache_write_tokens: asCount(inputDetails["cache_write_tokens"]),
      reasoning_tokens: asCount(outputDetails["reasoning_tokens"]),
    },
    usage,
  );
}

function responseOutcome(answer: unknown): ReturnType<ProviderCall["readAnswer"]> {
  const { model, output, status, error, incomplete_details: incomplete, usage } = asObject(answer);
  const items = asList(output).map(asObject);
  const summaries = items
    .filter((item) => item["type"] === "reasoning")
    .flatMap((item) => [...asList(item["content"]), ...asList(item["summary"])]);
  const reasoning = summaries.flatMap((part) => asText(asObject(part)["text"]) ?? []);
  const tools = items.filter((item) => item["type"] === "function_call").map((item) => asText(item["name"]) ?? "");
  const outcome = answeredOutcome({
    model,
    usage: openAIUsage(asObject(usage), "input", "output"),
    output: items.filter((item) => item["type"] !== "reasoning"),
    reasoning,
    tools,
    attributes: {
      ...(status === undefined ? {} : { response_status: status }),
      ...(incomplete === undefined || incomplete === null ? {} : { incomplete }),
    },
  });
  return status === "failed"
    ? { ...outcome, status: "failure", error: asText(asObject(error)["message"]) ?? "the response failed" }
    : outcome;
}

function createMessage(): Message {
  return {
    role: undefined,
    content: createCollectedText(),
    reasoning: createCollectedText(),
    refusal: createCollectedText(),
    toolCalls: new Map(),
  };
}

function addChatDelta(message: Message, delta: Values): void {
  message.role ??= asText(delta["role"]);
  message.content.add(delta["content"]);
  message.refusal.add(delta["refusal"]);
  message.reasoning.add(delta["reasoning_content"] ?? delta["reasoning"]);
  for (const given of asList(delta["tool_calls"]).map(asObject)) {
    const call = message.toolCalls.get(given["index"]) ?? {
      id: undefined,
      type: undefined,
      name: undefined,
      arguments: createCollectedText(),
    };
    message.toolCalls.set(given["index"], call);
    const called = asObject(given["function"]);
    call.id ??= given["id"];
    call.type ??= given["type"];
    call.name ??= called["name"];
    call.arguments.add(called["arguments"]);
  }
}

function hasChatContent({ content, refusal, reasoning_content: reasoning, reasoning: thought, tool_calls: calls }: Values): boolean {
  return [content, refusal, reasoning, thought].some((piece) => asText(piece) !== undefined) || asList(calls).length > 0;
}

function collectedMessage(message: Message): Values {
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
