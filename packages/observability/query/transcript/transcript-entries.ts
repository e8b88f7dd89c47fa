import type { TranscriptEntry } from "#contract.ts";
import { cutText, presentMessage, withReasoning } from "#messages/conversation.ts";
import { presentStep } from "#query/steps/present-step.ts";
import type { TranscriptPayload, TranscriptStep } from "./transcript.store.ts";
import { createHistory, type History } from "./transcript-history.ts";
import { readMessages, type RawMessage } from "#messages/read-messages.ts";
import { readParts, isObject, type RawPart } from "#messages/read-parts.ts";

/** Characters of one part; of all parts of an answer; of each part beyond that. */
const [MAX_TEXT, MAX_ANSWER, SHORT] = [20_000, 1_500_000, 400];
const [MAX_MESSAGES, MAX_PARTS] = [200, 100];

/**
 * The steps of one page as a transcript. Steps before it (`isBefore`) are not shown, but what they said is not new either.
 */
export function presentTranscript(steps: readonly TranscriptStep[], payloads: readonly TranscriptPayload[]): TranscriptEntry[] {
  const byOwner = Map.groupBy(payloads, (payload) => payload.owner_id);
  const history = createHistory();
  const room = { left: MAX_ANSWER };
  return steps.flatMap((step) => {
    const own = byOwner.get(step.id) ?? [];
    const spoken = step.kind === "tool" ? toolMessages(step, own, history) : modelMessages(step, own, history);
    return step.is_before ? [] : [presentEntry(step, spoken, room)];
  });
}

type Spoken = { readonly repeated: number; readonly input: readonly RawMessage[]; readonly output: readonly RawMessage[] };

function modelMessages(step: TranscriptStep, payloads: readonly TranscriptPayload[], history: History): Spoken {
  const input = readMessages(valueOf(payloads, step.start_event), "user");
  const messages = readMessages(valueOf(payloads, step.end_event), "assistant");
  const reasoning = payloads.find(({ event_id: id }) => id === step.end_event)?.reasoning ?? null;
  const repeated = history.repeatedIn(input);
  history.add([...input, ...messages]);
  return { repeated: repeated.size, input: input.filter((message) => !repeated.has(message)), output: withReasoning(messages, reasoning) };
}

function toolMessages(step: TranscriptStep, payloads: readonly TranscriptPayload[], history: History): Spoken {
  const entry = payloads.find(({ event_id: id }) => id === step.end_event)?.tool_entry ?? null;
  const given = valueOf(payloads, step.start_event) ?? entry?.parameters;
  const result = valueOf(payloads, step.end_event) ?? entry?.result;
  const parts = resultParts(result);
  for (const part of parts) {
    history.addToolResult(part);
  }
  const call = given === undefined || given === null ? [] : readParts([{ type: "tool_call", name: step.name, arguments: given }]);
  return {
    repeated: 0,
    input: call.length === 0 ? [] : [{ role: "assistant", parts: call }],
    output: parts.length === 0 ? [] : [{ role: "tool", parts }],
  };
}

/** LangChain's tools answer with a message around their result. */
function resultParts(given: unknown): readonly RawPart[] {
  if (given === undefined || given === null) {
    return [];
  }
  // Instrumentations put what the callback was told around that once more.
  const inner = isObject(given) ? given["output"] : undefined;
  const result = isObject(inner) && inner["lc"] !== undefined ? inner : given;
  const isMessage = isObject(result) && (result["type"] === "tool" || result["lc"] !== undefined || result["role"] === "tool");
  return isMessage ? readMessages(result, "tool").flatMap(({ parts }) => parts) : readParts([{ type: "tool_result", content: result }]);
}

function valueOf(payloads: readonly TranscriptPayload[], eventId: string | null): unknown {
  return eventId === null ? undefined : payloads.find((payload) => payload.event_id === eventId)?.value;
}

type Room = { left: number };

function presentEntry(step: TranscriptStep, { repeated, input, output }: Spoken, room: Room): TranscriptEntry {
  const messages = [
    ...input.map((message) => ({ message, side: "input" as const })),
    ...output.map((message) => ({ message, side: "output" as const })),
  ].filter(({ message }) => message.parts.length > 0);
  // The newest say most.
  const shown = messages.slice(-MAX_MESSAGES);
  const partsLeftOut = shown.reduce((sum, { message }) => sum + Math.max(message.parts.length - MAX_PARTS, 0), 0);
  const { id, kind, name, model, status, started_at, duration_ms, input_tokens, output_tokens, error } = presentStep(step);
  return {
    observation_id: id,
    kind,
    name,
    model,
    status,
    started_at,
    duration_ms,
    input_tokens,
    output_tokens,
    error,
    repeated,
    messages: shown.map(({ message, side }) =>
      presentMessage({ ...message, parts: message.parts.slice(0, MAX_PARTS) }, side, cutter(room)),
    ),
    left_out: messages.length - shown.length + partsLeftOut,
  };
}

/** Long parts are cut, and shorter ones too where there is no more room. */
function cutter(room: Room): (text: string) => string {
  return (whole) => {
    const text = cutText(whole, room.left > 0 ? MAX_TEXT : SHORT);
    room.left -= text.length;
    return text;
  };
}
