import type { Usage } from "../event/event.ts";
import type { ProviderCall } from "./provider-call.ts";
import { asCount, asList, asObject, asText, usageOfCounts, type Values } from "../capture/loose-values.ts";
import { answeredOutcome, captured, type CollectedText, createCollectedText, pickSettings } from "./provider-values.ts";

type Block = { readonly start: Values; readonly text: CollectedText; readonly thinking: CollectedText; readonly input: CollectedText };

export const messageCall: ProviderCall = {
  start: (request) => ({
    name: "anthropic.messages",
    kind: "llm",
    model: asText(request["model"]),
    input: captured([
      ...(request["system"] === undefined ? [] : [{ role: "system", content: request["system"] }]),
      ...asList(request["messages"]),
    ]),
    attributes: pickSettings(request, ["temperature", "max_tokens", "stream"]),
  }),
  readAnswer: messageOutcome,
  collect: () => {
    const blocks = new Map<unknown, Block>();
    let message: Values = {};
    return {
      add: (chunk) => {
        const event = asObject(chunk);
        switch (event["type"]) {
          case "message_start":
            message = asObject(event["message"]);
            break;
          case "message_delta":
            // The counts are those of the whole message so far; a count that is missing here stays as it was.
            message = {
              ...message,
              ...asObject(event["delta"]),
              usage: { ...asObject(message["usage"]), ...withoutNulls(asObject(event["usage"])) },
            };
            break;
          case "content_block_start":
            blocks.set(event["index"], {
              start: asObject(event["content_block"]),
              text: createCollectedText(),
              thinking: createCollectedText(),
              input: createCollectedText(),
            });
            break;
          case "content_block_delta":
            addBlockDelta(blocks.get(event["index"]), asObject(event["delta"]));
            break;
          default:
        }
        return hasBlockContent(event);
      },
      outcome: () => messageOutcome({ ...message, content: [...blocks.values()].map(readBlock) }),
    };
  },
};

function messageOutcome(answer: unknown): ReturnType<ProviderCall["readAnswer"]> {
  const { model, role, content, usage, stop_reason: reason } = asObject(answer);
  const blocks = asList(content).map(asObject);
  const reasoning = blocks.flatMap((block) => asText(block["thinking"]) ?? []);
  const tools = blocks.filter((block) => block["type"] === "tool_use").map((block) => asText(block["name"]) ?? "");
  const answered = blocks.filter(({ type }) => type !== "thinking" && type !== "redacted_thinking");
  return answeredOutcome({
    model,
    usage: messageUsage(asObject(usage)),
    output: { role: role ?? "assistant", content: answered },
    reasoning,
    tools,
    attributes: { stop_reason: reason ?? null },
  });
}

/** Anthropic counts cached tokens apart; the event schema's input contains them. */
function messageUsage(usage: Values): Usage | undefined {
  const uncached = asCount(usage["input_tokens"]);
  const read = asCount(usage["cache_read_input_tokens"]);
  const written = asCount(usage["cache_creation_input_tokens"]);
  return usageOfCounts(
    {
      input_tokens: uncached === undefined ? undefined : uncached + (read ?? 0) + (written ?? 0),
      output_tokens: asCount(usage["output_tokens"]),
      cache_read_tokens: read,
      cache_write_tokens: written,
      reasoning_tokens: asCount(asObject(usage["output_tokens_details"])["thinking_tokens"]),
    },
    usage,
  );
}

function withoutNulls(usage: Values): Values {
  return Object.fromEntries(Object.entries(usage).filter(([, value]) => value !== null && value !== undefined));
}

function addBlockDelta(block: Block | undefined, delta: Values): void {
  block?.text.add(delta["text"]);
  block?.thinking.add(delta["thinking"]);
  block?.input.add(delta["partial_json"]);
}

/** A tool's name comes with the beginning of its block, everything else in pieces. */
function hasBlockContent(event: Values): boolean {
  const { text, thinking, partial_json: input } = asObject(event["delta"]);
  return [text, thinking, input, asObject(event["content_block"])["name"]].some((piece) => asText(piece) !== undefined);
}

function readBlock({ start, text: written, thinking, input }: Block): Values {
  const [answered, thought, arguments_] = [written.read(), thinking.read(), input.read()];
  return {
    ...start,
    ...(answered === undefined ? {} : { text: answered }),
    ...(thought === undefined ? {} : { thinking: thought }),
    ...(arguments_ === undefined ? {} : { input: parseToolInput(arguments_) }),
  };
}

function parseToolInput(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return json;
  }
}
