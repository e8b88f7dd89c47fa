import type { Observation, RecordedAnswer } from "#contract.ts";

type Values = Readonly<Record<string, unknown>>;
type Provider = { readonly body: (step: Observation) => Values; readonly events: (body: Values) => readonly (Values | string)[] };

const PROVIDERS: Readonly<Record<string, Provider>> = {
  "openai.chat": { body: chatBody, events: chatEvents },
  "openai.responses": { body: responseBody, events: responseEvents },
  "anthropic.messages": { body: messageBody, events: messageEvents },
};

/** Whether the clients that the SDKs wrap name a model call so, and can read its answer again. */
export const isProviderCall = (name: string): boolean => name in PROVIDERS;

/** As the clients write what a provider refused: its status, and its message or its whole answer. They make the error of it again. */
const REFUSAL = /^\w*Error: (?:Error code: )?([45]\d\d)(?: (?:- )?([^]*))?$/;

/** A recorded answer of a model as its provider would send it; the client reads it as it reads every answer. */
export function toHttpAnswer(step: Observation): RecordedAnswer["http"] {
  const provider = PROVIDERS[step.name];
  if (provider === undefined) {
    return null;
  }
  if (step.status === "failure") {
    const [, status, message = ""] = REFUSAL.exec(step.error ?? "") ?? [];
    const body = message.startsWith("{") ? message : JSON.stringify({ message, error: { message } });
    return status === undefined ? null : { status: Number(status), is_stream: isStream(step), body };
  }
  const body = provider.body(step);
  return {
    status: 200,
    is_stream: isStream(step),
    body: isStream(step) ? provider.events(body).map(writeEvent).join("") : JSON.stringify(body),
  };
}

const isStream = ({ attributes }: Observation) => attributes["stream"] === true;

function writeEvent(event: Values | string): string {
  const name = typeof event === "object" && typeof event["type"] === "string" ? `event: ${event["type"]}\n` : "";
  return `${name}data: ${typeof event === "string" ? event : JSON.stringify(event)}\n\n`;
}

function chatBody(step: Observation): Values {
  const reasons = listOf(step.attributes["finish_reasons"]);
  const messages: readonly unknown[] = Array.isArray(step.output) ? step.output : [step.output];
  const choices = messages.map((message, index) => ({ index, message, finish_reason: reasons[index] ?? "stop" }));
  const head = { id: `chatcmpl-${step.id}`, object: "chat.completion", created: 0, model: step.model };
  return { ...head, choices, ...openAIUsage(step, "prompt", "completion") };
}

function chatEvents(body: Values): readonly (Values | string)[] {
  const start = { ...body, object: "chat.completion.chunk", usage: null };
  const chunks = valuesOf(body["choices"]).map(({ index, message, finish_reason: reason }) => {
    const [said = {}] = valuesOf([message]);
    const calls = valuesOf(said["tool_calls"]).map((call, at) => ({ index: at, ...call }));
    const delta = calls.length > 0 ? { ...said, tool_calls: calls } : said;
    return { ...start, choices: [{ index, delta, finish_reason: reason }] };
  });
  return [...chunks, ...("usage" in body ? [{ ...start, choices: [], usage: body["usage"] }] : []), "[DONE]"];
}

function responseBody(step: Observation): Values {
  const { response_status: status, incomplete } = step.attributes;
  return {
    id: `resp_${step.id}`,
    object: "response",
    created_at: 0,
    status: status ?? "completed",
    model: step.model,
    output: step.output,
    parallel_tool_calls: true,
    tool_choice: "auto",
    tools: [],
    incomplete_details: incomplete ?? null,
    ...openAIUsage(step, "input", "output"),
  };
}

function responseEvents(body: Values): readonly Values[] {
  const events: readonly Values[] = [
    { type: "response.created", response: { ...body, status: "in_progress", output: [] } },
    ...valuesOf(body["output"]).flatMap(itemEvents),
    { type: `response.${String(body["status"])}`, response: body },
  ];
  return events.map((event, number) => ({ ...event, sequence_number: number }));
}

function itemEvents(item: Values, index: number): readonly Values[] {
  const place = { item_id: item["id"], output_index: index };
  const { content, arguments: given } = item;
  const parts = valuesOf(content).flatMap((part, at) => [
    { type: "response.content_part.added", ...place, content_index: at, part: "text" in part ? { ...part, text: "" } : part },
    ...("text" in part ? [{ type: "response.output_text.delta", ...place, content_index: at, delta: part["text"], logprobs: [] }] : []),
    { type: "response.content_part.done", ...place, content_index: at, part },
  ]);
  const called = given === undefined ? [] : [{ type: "response.function_call_arguments.delta", ...place, delta: given }];
  const empty = { ...(content === undefined ? {} : { content: [] }), ...(given === undefined ? {} : { arguments: "" }) };
  return [
    { type: "response.output_item.added", output_index: index, item: { ...item, ...empty } },
    ...parts,
    ...called,
    { type: "response.output_item.done", output_index: index, item },
  ];
}

function messageBody(step: Observation): Values {
  const [read, written] = [step.cache_read_tokens ?? 0, step.cache_write_tokens ?? 0];
  const usage = {
    input_tokens: (step.input_tokens ?? 0) - read - written,
    output_tokens: step.output_tokens ?? 0,
    cache_read_input_tokens: read,
    cache_creation_input_tokens: written,
  };
  const [message = {}] = valuesOf([step.output]);
  const head = { id: `msg_${step.id}`, type: "message", model: step.model, stop_sequence: null, usage };
  return { ...head, stop_reason: step.attributes["stop_reason"] ?? null, ...message };
}

function messageEvents(body: Values): readonly Values[] {
  const blocks = valuesOf(body["content"]).flatMap((block, index) => {
    const { type, text, input } = block;
    const delta = type === "text" ? { type: "text_delta", text } : { type: "input_json_delta", partial_json: JSON.stringify(input) ?? "" };
    const empty = type === "text" ? { text: "" } : "input" in block ? { input: {} } : {};
    return [
      { type: "content_block_start", index, content_block: { ...block, ...empty } },
      ...(type === "text" || "input" in block ? [{ type: "content_block_delta", index, delta }] : []),
      { type: "content_block_stop", index },
    ];
  });
  const { usage, stop_reason: reason } = body;
  return [
    { type: "message_start", message: { ...body, content: [], stop_reason: null } },
    ...blocks,
    { type: "message_delta", delta: { stop_reason: reason, stop_sequence: null }, usage },
    { type: "message_stop" },
  ];
}

/** Nothing where no tokens were recorded, as of a stream that was not asked for them. */
function openAIUsage(step: Observation, given: string, made: string): Values {
  const { input_tokens: read, output_tokens: written } = step;
  if (read === null && written === null) {
    return {};
  }
  return {
    usage: {
      [`${given}_tokens`]: read ?? 0,
      [`${made}_tokens`]: written ?? 0,
      total_tokens: (read ?? 0) + (written ?? 0),
      [`${given}_tokens_details`]: { cached_tokens: step.cache_read_tokens ?? 0 },
      [`${made}_tokens_details`]: { reasoning_tokens: step.reasoning_tokens ?? 0 },
    },
  };
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

function valuesOf(value: unknown): readonly Values[] {
  return listOf(value).filter((each): each is Values => typeof each === "object" && each !== null);
}
