import type { TranscriptEntry, TranscriptMessage, TranscriptPart } from "#contract.ts";
import { presentStep } from "#query/steps/present-step.ts";
import type { TranscriptPayload, TranscriptStep } from "./transcript.store.ts";
import { createHistory, type History } from "./transcript-history.ts";
import { messagesOf, type RawMessage } from "./transcript-messages.ts";
import { partsOf, isObject, type RawPart } from "./transcript-parts.ts";

/** Characters of one part; of all parts of an answer; of each part beyond that. */
const [MAX_TEXT, MAX_ANSWER, SHORT] = [20_000, 1_500_000, 400];
const [MAX_MESSAGES, MAX_PARTS] = [200, 100];
const MAX_NAME = 200;

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
  const input = messagesOf(valueOf(payloads, step.start_event), "user");
  const said = messagesOf(valueOf(payloads, step.end_event), "assistant");
  const reasoning = payloads.find(({ event_id: id }) => id === step.end_event)?.reasoning ?? null;
  const repeated = history.repeatedIn(input);
  history.add([...input, ...said]);
  return { repeated: repeated.size, input: input.filter((message) => !repeated.has(message)), output: withReasoning(said, reasoning) };
}

/** The platform keeps reasoning apart from the answer. */
function withReasoning(said: readonly RawMessage[], reasoning: string | null): readonly RawMessage[] {
  if (reasoning === null || reasoning === "" || said.some(({ parts }) => parts.some(({ type }) => type === "reasoning"))) {
    return said;
  }
  const thought: RawPart = { type: "reasoning", value: reasoning };
  const [first, ...others] = said;
  return first === undefined ? [{ role: "assistant", parts: [thought] }] : [{ ...first, parts: [thought, ...first.parts] }, ...others];
}

function toolMessages(step: TranscriptStep, payloads: readonly TranscriptPayload[], history: History): Spoken {
  const entry = payloads.find(({ event_id: id }) => id === step.end_event)?.tool_entry ?? null;
  const given = valueOf(payloads, step.start_event) ?? entry?.parameters;
  const result = valueOf(payloads, step.end_event) ?? entry?.result;
  const parts = resultParts(result);
  for (const part of parts) {
    history.addToolResult(part);
  }
  const call = given === undefined || given === null ? [] : partsOf([{ type: "tool_call", name: step.name, arguments: given }]);
  return {
    repeated: 0,
    input: call.length === 0 ? [] : [{ role: "assistant", parts: call }],
    output: parts.length === 0 ? [] : [{ role: "tool", parts }],
  };
}

/** LangChain's tools answer with a message around their result. */
function resultParts(result: unknown): readonly RawPart[] {
  if (result === undefined || result === null) {
    return [];
  }
  const isMessage = isObject(result) && (result["type"] === "tool" || result["lc"] !== undefined || result["role"] === "tool");
  return isMessage ? messagesOf(result, "tool").flatMap(({ parts }) => parts) : partsOf([{ type: "tool_result", content: result }]);
}

function valueOf(payloads: readonly TranscriptPayload[], eventId: string | null): unknown {
  return eventId === null ? undefined : payloads.find((payload) => payload.event_id === eventId)?.value;
}

type Room = { left: number };

function presentEntry(step: TranscriptStep, { repeated, input, output }: Spoken, room: Room): TranscriptEntry {
  const said = [
    ...input.map((message) => ({ message, side: "input" as const })),
    ...output.map((message) => ({ message, side: "output" as const })),
  ].filter(({ message }) => message.parts.length > 0);
  // The newest say most.
  const shown = said.slice(-MAX_MESSAGES);
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
    messages: shown.map(({ message, side }) => presentMessage(message, side, room)),
    left_out: said.length - shown.length + partsLeftOut,
  };
}

function presentMessage({ role, name, parts }: RawMessage, side: TranscriptMessage["side"], room: Room): TranscriptMessage {
  return { side, role, name: bounded(name), parts: parts.slice(0, MAX_PARTS).map((part) => presentPart(part, room)) };
}

function presentPart({ type, value, name, callId, isError, mediaType, characters }: RawPart, room: Room): TranscriptPart {
  const whole = typeof value === "string" ? value : JSON.stringify(value, null, 2);
  const text = cut(whole, room.left > 0 ? MAX_TEXT : SHORT);
  room.left -= text.length;
  return {
    type,
    text,
    characters: characters ?? whole.length,
    name: bounded(name),
    call_id: bounded(callId),
    is_error: isError ?? false,
    media_type: bounded(mediaType),
  };
}

function bounded(text: string | undefined): string | null {
  return text === undefined ? null : cut(text, MAX_NAME);
}

/** Never between the two halves of one character. */
function cut(text: string, maximum: number): string {
  const end = maximum > 0 && /[\uD800-\uDBFF]/.test(text[maximum - 1] ?? "") ? maximum - 1 : maximum;
  return text.length <= maximum ? text : text.slice(0, end);
}
