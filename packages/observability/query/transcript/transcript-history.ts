import { createHash } from "node:crypto";
import type { RawMessage } from "#messages/read-messages.ts";
import type { RawPart } from "#messages/read-parts.ts";

export type History = {
  /** Which of the messages that go into a call stand further up, as its history or as a tool's result. */
  readonly repeatedIn: (messages: readonly RawMessage[]) => ReadonlySet<RawMessage>;
  /** What went into a call and came out of it: what the next calls repeat. */
  readonly add: (messages: readonly RawMessage[]) => void;
  /** A tool's step: its result stands there, so that it need not once more where a model is told of it. */
  readonly addToolResult: (part: RawPart) => void;
};

const START = "";

/**
 * Tells history from what is new. A message is repeated when one of its neighbours is the same as before: so the same word said twice is two
 * messages, and a history whose beginning was dropped is one still. Reasoning and ids don't count: few applications send them back.
 */
export function createHistory(): History {
  const pairs = new Set<string>();
  const results = new Map<string, number>();

  function takeResult(message: RawMessage): boolean {
    const prints = message.role === "tool" ? message.parts.map(printOfPart) : [];
    if (prints.length === 0 || !prints.every((print) => (results.get(print) ?? 0) > 0)) {
      return false;
    }
    for (const print of prints) {
      results.set(print, (results.get(print) ?? 0) - 1);
    }
    return true;
  }

  return {
    repeatedIn: (messages) => {
      const prints = messages.map(printOf);
      const isBefore = (index: number) => pairs.has(pairOf(prints[index - 1] ?? START, prints[index]));
      const repeated = new Set<RawMessage>();
      for (const [index, message] of messages.entries()) {
        if (isBefore(index) || (index + 1 < messages.length && isBefore(index + 1)) || takeResult(message)) {
          repeated.add(message);
        }
      }
      return repeated;
    },
    add: (messages) => {
      let before = START;
      for (const message of messages) {
        const print = printOf(message);
        pairs.add(pairOf(before, print));
        before = print;
      }
    },
    addToolResult: (part) => {
      const print = printOfPart(part);
      results.set(print, (results.get(print) ?? 0) + 1);
    },
  };
}

function pairOf(before: string, print: string | undefined): string {
  return `${before} ${print ?? ""}`;
}

function printOf({ role, parts }: RawMessage): string {
  return hash([role, ...parts.filter(({ type }) => type !== "reasoning").map(printOfPart)]);
}

function printOfPart({ type, value, name, mediaType, characters }: RawPart): string {
  // The results of tools come back without the tool's name.
  const called = type === "tool_call" ? name : undefined;
  return hash([type, called, type === "text" && typeof value === "string" ? value.trim() : canonical(value), mediaType, characters]);
}

function hash(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("base64");
}

/** Writes equal JSON for equal content, in whichever order its keys are. */
function canonical(value: unknown): string {
  return (
    JSON.stringify(value, (_key, item: unknown) =>
      typeof item === "object" && item !== null && !Array.isArray(item)
        ? Object.fromEntries(Object.entries(item).toSorted(([left], [right]) => (left < right ? -1 : 1)))
        : item,
    ) ?? ""
  );
}
