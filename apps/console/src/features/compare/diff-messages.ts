import { presentMessage, readConversation, type TranscriptMessage } from "@sightline/observability/contract";
import { diffArrays } from "diff";
import { SPEAKERS } from "#ui/words/speakers.ts";

type Side = TranscriptMessage["side"];

/** A message as it is compared: who speaks, and all parts as one text. */
export type SpokenText = { readonly speaker: string; readonly text: string };

/** A message of both runs, of one alone, or one that says something else in the other. */
export type DiffMessage = { readonly a: SpokenText | undefined; readonly b: SpokenText | undefined };

/** The messages in a value; undefined where it holds none. */
export function messagesIn(value: unknown, side: Side, isModelCall: boolean): readonly SpokenText[] | undefined {
  return readConversation(value, { side, isModelCall })?.messages.map((message) => toText(presentMessage(message, side)));
}

/** Message by message: what both said once, and what one said in the place of the other beside it. */
export function toDiffMessages(a: readonly SpokenText[], b: readonly SpokenText[]): readonly DiffMessage[] {
  const parts = diffArrays([...a], [...b], { comparator: (left, right) => left.speaker === right.speaker && left.text === right.text });
  const rows: DiffMessage[] = [];
  let onlyA: readonly SpokenText[] = [];
  for (const { value, added, removed } of [...parts, { value: [], added: false, removed: false }]) {
    if (removed) {
      onlyA = value;
      continue;
    }
    rows.push(...(added ? besideEachOther(onlyA, value) : [...besideEachOther(onlyA, []), ...value.map((both) => ({ a: both, b: both }))]));
    onlyA = [];
  }
  return rows;
}

function besideEachOther(a: readonly SpokenText[], b: readonly SpokenText[]): readonly DiffMessage[] {
  const waiting = [...b];
  const rows = a.flatMap((left): readonly DiffMessage[] => {
    const place = waiting.findIndex(({ speaker }) => speaker === left.speaker);
    return place === -1
      ? [{ a: left, b: undefined }]
      : [...waiting.splice(0, place).map((right) => ({ a: undefined, b: right })), { a: left, b: waiting.shift() }];
  });
  return [...rows, ...waiting.map((right) => ({ a: undefined, b: right }))];
}

function toText({ role, name, parts }: TranscriptMessage): SpokenText {
  const texts = parts.map((part) =>
    part.type === "tool_call"
      ? `Calls ${part.name ?? "a tool"} ${part.text}`
      : part.type === "reasoning"
        ? `Reasoning: ${part.text}`
        : part.type === "media"
          ? "[image or file]"
          : part.text,
  );
  return { speaker: name === null ? SPEAKERS[role] : `${SPEAKERS[role]} · ${name}`, text: texts.join("\n\n") };
}
