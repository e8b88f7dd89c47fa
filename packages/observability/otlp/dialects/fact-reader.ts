import type { ObservationKind } from "#contract.ts";
import { toRecord, toText, type OtlpEvent, type OtlpValue } from "#otlp/wire/otlp-span.ts";
import { createAttributeReader, toCount, type JsonReader } from "./attribute-reader.ts";
import type { Dialect, EventMessages, Fact, NamedSpan, SpanReader } from "./dialect.ts";
import { DIALECTS } from "./dialects.ts";

export type FactReader = ReturnType<typeof createFactReader>;

type Read<Value> = (value: OtlpValue) => Value | undefined;

const KINDS = new Map<unknown, ObservationKind | "embedding">(DIALECTS.flatMap(({ kinds = {} }) => Object.entries(kinds)));

/** Reads each fact from the first of the span's dialects that has it. */
export function createFactReader(given: NamedSpan, readJson: JsonReader, parent?: NamedSpan) {
  const prefixes = new Set([...given.attributes.keys()].map((name) => name.split(".", 1)[0] ?? name));
  const dialects = DIALECTS.filter(({ canRead }) => canRead(given, prefixes));
  const attributes = createAttributeReader(given.attributes, readJson);
  const span: SpanReader = { ...given, ...attributes, parent };
  const kinds = dialects.map(({ readKind }) => KINDS.get(readKind?.(span)));
  attributes.hide(dialects.flatMap(({ hides }) => hides?.(span) ?? []));

  function first<Value>(read: (dialect: Dialect) => Value | undefined): Value | undefined {
    for (const dialect of dialects) {
      const value = read(dialect);
      if (value !== undefined) {
        return value;
      }
    }
    return undefined;
  }

  function readFact<Value>(fact: Fact, readAttribute: Read<Value>, readValue = readAttribute): Value | undefined {
    return first(({ facts }) => {
      const source = facts?.[fact] ?? [];
      if (typeof source !== "function") {
        return attributes.first(source, readAttribute);
      }
      const value = source(span);
      return value === undefined ? undefined : readValue(value);
    });
  }

  return {
    kind: kinds.find((kind) => kind !== undefined && kind !== "embedding") ?? "span",
    isEmbedding: kinds.includes("embedding"),
    task: first(({ readTask }) => readTask?.(span)),
    text: (fact: Fact) => readFact(fact, toText),
    count: (fact: Fact) => readFact(fact, toCount),
    value: (fact: Fact) => readFact<OtlpValue>(fact, readJson, (value) => value),
    /** The fields that any dialect has for it. */
    fields: (fact: Fact): Readonly<Record<string, OtlpValue>> => {
      const sources = dialects.map(({ facts }) => facts?.[fact]).filter((source) => typeof source === "function");
      return Object.assign({}, ...sources.toReversed().map((source) => toRecord(source(span))));
    },
    readEvent: (event: OtlpEvent): EventMessages => first(({ readEvent }) => readEvent?.(event, readJson)) ?? {},
    isEmptyEvent: (event: OtlpEvent) => dialects.some(({ isEmptyEvent }) => isEmptyEvent?.(event)),
    isFirstToken: ({ name }: OtlpEvent) => dialects.some(({ firstTokenEvent }) => firstTokenEvent === name),
    /** The attributes that no fact was read from. */
    rest: attributes.rest,
  };
}
