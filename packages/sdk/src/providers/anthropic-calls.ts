import type { Usage } from "../event/event.ts";
import type { ProviderCall } from "./provider-call.ts";
import { captured, count, createText, list, text, usageOf, type Values, values } from "./provider-values.ts";

type Block = { readonly start: Values; readonly text: Text; readonly thinking: Text; readonly input: Text };
type Text = ReturnType<typeof createText>;

export const messageCall: ProviderCall = {
  start: (request) => ({
    name: "anthropic.messages",
    kind: "llm",
    model: text(request["model"]),
    input: captured([
      ...(request["system"] === undefined ? [] : [{ role: "system", content: request["system"] }]),
      ...list(request["messages"]),
    ]),
    attributes: Object.fromEntries(
      ["temperature", "max_tokens", "stream"].flatMap((name) => (request[name] === undefined ? [] : [[name, request[name]]])),
    ),
  }),
  readAnswer: messageOutcome,
  collect: () => {
    const blocks = new Map<unknown, Block>();
    let message: Values = {};
    return {
      add: (chunk) => {
        const event = values(chunk);
        switch (event["type"]) {
          case "message_start":
            message = values(event["message"]);
            break;
          case "message_delta":
            // The counts are those of the whole message so far; what is not told anew stays.
            message = {
              ...message,
              ...values(event["delta"]),
              usage: { ...values(message["usage"]), ...told(values(event["usage"])) },
            };
            break;
          case "content_block_start":
            blocks.set(event["index"], {
              start: values(event["content_block"]),
              text: createText(),
              thinking: createText(),
              input: createText(),
            });
            break;
          case "content_block_delta":
            addDelta(blocks.get(event["index"]), values(event["delta"]));
            break;
          default:
        }
      },
      outcome: () => messageOutcome({ ...message, content: [...blocks.values()].map(readBlock) }),
    };
  },
};

function messageOutcome(answer: unknown): ReturnType<ProviderCall["readAnswer"]> {
  const { model, role, content, usage, stop_reason: reason } = values(answer);
  const blocks = list(content).map(values);
  const reasoning = blocks.flatMap((block) => text(block["thinking"]) ?? []).join("\n");
  const tools = blocks.filter((block) => block["type"] === "tool_use").map((block) => text(block["name"]) ?? "");
  return {
    status: "success",
    model: text(model),
    usage: messageUsage(values(usage)),
    // Reasoning stands apart.
    output: captured({
      role: role ?? "assistant",
      content: blocks.filter(({ type }) => type !== "thinking" && type !== "redacted_thinking"),
    }),
    reasoning: captured(reasoning) === undefined ? undefined : text(reasoning),
    attributes: { stop_reason: reason ?? null, ...(tools.length > 0 ? { tool_calls: tools } : {}) },
  };
}

/** Anthropic counts cached tokens apart; the event schema's input contains them. */
function messageUsage(usage: Values): Usage | undefined {
  const uncached = count(usage["input_tokens"]);
  const read = count(usage["cache_read_input_tokens"]);
  const written = count(usage["cache_creation_input_tokens"]);
  return usageOf(
    {
      input_tokens: uncached === undefined ? undefined : uncached + (read ?? 0) + (written ?? 0),
      output_tokens: count(usage["output_tokens"]),
      cache_read_tokens: read,
      cache_write_tokens: written,
      reasoning_tokens: count(values(usage["output_tokens_details"])["thinking_tokens"]),
    },
    usage,
  );
}

function told(usage: Values): Values {
  return Object.fromEntries(Object.entries(usage).filter(([, value]) => value !== null && value !== undefined));
}

function addDelta(block: Block | undefined, delta: Values): void {
  block?.text.add(delta["text"]);
  block?.thinking.add(delta["thinking"]);
  block?.input.add(delta["partial_json"]);
}

function readBlock({ start, text: written, thinking, input }: Block): Values {
  const [said, thought, arguments_] = [written.read(), thinking.read(), input.read()];
  return {
    ...start,
    ...(said === undefined ? {} : { text: said }),
    ...(thought === undefined ? {} : { thinking: thought }),
    ...(arguments_ === undefined ? {} : { input: parse(arguments_) }),
  };
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return json;
  }
}
