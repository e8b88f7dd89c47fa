import type { StackTrace } from "#contract.ts";
import type { StreamEvent } from "./event.ts";
import type { Masker, Masking } from "./masker.ts";

/** An event after masking, which may be stored. */
export type MaskedEvent = {
  readonly event: StreamEvent;
  /** Hashes of contents that nobody may read any more, since they stood under a masked name. */
  readonly contents: readonly string[];
};

/**
 * Masks the producer's contents of an event: values, texts, errors with those behind them, reasoning, tool entries, contents and tags, which people write. The
 * fields by which it is found and counted (names, labels, ids of sessions, threads and users, models, times, tokens) stay.
 *
 * @throws {MaskingError}
 */
export function maskEvent(given: StreamEvent, masker: Masker): MaskedEvent {
  if (!masker.hasRules) {
    return { event: given, contents: [] };
  }
  const masking = masker.start();
  const event = masked(given, masking);
  return { event, contents: [...masking.contents] };
}

function masked(event: StreamEvent, masking: Masking): StreamEvent {
  const { text, value } = masking;
  switch (event.type) {
    case "trace.start": {
      const { body } = event;
      return { ...event, body: { ...body, ...begun(body, masking), tags: body.tags?.map((tag) => text(tag)) } };
    }
    case "observation.start":
      return { ...event, body: { ...event.body, ...begun(event.body, masking) } };
    case "trace.end": {
      const { body } = event;
      return { ...event, body: { ...body, ...ended(body, masking) } };
    }
    case "observation.end": {
      const { body } = event;
      const { usage, reasoning, tool_entry: entry } = body;
      return {
        ...event,
        body: {
          ...body,
          ...ended(body, masking),
          usage: usage && { ...usage, raw: recordOf(usage.raw, masking) },
          reasoning: reasoning && maskReasoning(reasoning, masking),
          tool_entry: entry && { ...entry, parameters: recordOf(entry.parameters, masking) ?? {}, result: value(entry.result) },
        },
      };
    }
    case "observation.update": {
      const { body } = event;
      return { ...event, body: { ...body, attributes: recordOf(body.attributes, masking) ?? {} } };
    }
    case "blob": {
      const { body } = event;
      return { ...event, body: { ...body, content: value(body.content) } };
    }
    case "score": {
      const { body } = event;
      const [comment, words] = [body.comment, body.text_value].map((given) => optionalText(given, masking));
      return { ...event, body: { ...body, comment, text_value: words } };
    }
    case "graph":
    case "graph.enter":
    case "trace.resume":
    case "producer.hello":
    case "producer.heartbeat":
    case "producer.bye":
      return event;
    default:
      return event satisfies never;
  }
}

type Begun = { readonly input?: unknown; readonly attributes?: Record<string, unknown> | undefined };

function begun({ input, attributes }: Begun, masking: Masking) {
  return { input: masking.value(input), attributes: recordOf(attributes, masking) };
}

type Ended = Pick<Extract<StreamEvent, { readonly type: "trace.end" }>["body"], "output" | "error" | "stack" | "attributes">;

function ended({ output, error, stack, attributes }: Ended, masking: Masking) {
  return {
    output: masking.value(output),
    error: optionalText(error, masking),
    stack: stack && maskStack(stack, masking),
    attributes: recordOf(attributes, masking),
  };
}

/** The paths and names of code stay, as they do in the field `code`. */
function maskStack(stack: StackTrace, masking: Masking): StackTrace {
  const errors = stack.errors.map((error) => ({ ...error, message: optionalText(error.message, masking) }));
  return { ...stack, errors, text: optionalText(stack.text, masking) };
}

function optionalText(text: string | undefined, masking: Masking): string | undefined {
  return text === undefined ? undefined : masking.text(text);
}

type Reasoning = NonNullable<Extract<StreamEvent, { readonly type: "observation.end" }>["body"]["reasoning"]>;

function maskReasoning(reasoning: Reasoning, masking: Masking): Reasoning {
  const text = masking.text(reasoning.text);
  // The hash of a text would confirm a guess of the secret in it, so it is replaced too.
  return text === reasoning.text ? reasoning : { ...reasoning, text, sha256: undefined };
}

function recordOf(record: Record<string, unknown> | undefined, { value }: Masking): Record<string, unknown> | undefined {
  return record === undefined ? undefined : { ...(value(record) as Record<string, unknown>) };
}
