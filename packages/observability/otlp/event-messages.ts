import type { EventMessages } from "#otlp/dialects/dialect.ts";
import type { FactReader } from "#otlp/dialects/fact-reader.ts";
import { toRecord, type OtlpEvent, type OtlpValue } from "#otlp/wire/otlp-span.ts";

type Side = keyof EventMessages;

/** Collects the messages of a span's events for the sides that no attribute has; `rest` are the events that are not used up by them. */
export function collectMessages(
  events: readonly OtlpEvent[],
  wanted: readonly Side[],
  { kind, readEvent }: Pick<FactReader, "kind" | "readEvent">,
): EventMessages & { readonly rest: readonly OtlpEvent[] } {
  const messages: Record<Side, OtlpValue[]> = { input: [], output: [] };
  const rest = events.filter((event) => {
    const held = readEvent(event);
    for (const side of wanted) {
      // One by one: a call has no room for the items of a long list.
      for (const message of [held[side] ?? []].flat()) {
        messages[side].push(message);
      }
    }
    const sides = Object.keys(held) as Side[];
    return sides.length === 0 || sides.some((side) => !wanted.includes(side));
  });
  const found = wanted
    .filter((side) => messages[side].length > 0)
    .map((side) => [side, kind === "tool" ? contentOfOnly(messages[side]) : messages[side]]);
  return { ...Object.fromEntries(found), rest };
}

/** A tool is given its arguments and gives its result: who says so is no part of them. */
function contentOfOnly(messages: readonly OtlpValue[]): OtlpValue {
  const [only, ...others] = messages;
  return (others.length === 0 ? toRecord(only)?.["content"] : undefined) ?? [...messages];
}
