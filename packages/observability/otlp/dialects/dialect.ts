import type { JsonReader } from "#otlp/attribute-reader.ts";
import { toRecord, type OtlpAttributes, type OtlpSpan, type OtlpValue } from "#otlp/otlp-span.ts";

export type Named = Pick<OtlpSpan, "name" | "attributes">;

/** A span of a framework with words of its own: `said` are the same things under names of a convention, `used` the names they had. */
export type Dialect = {
  readonly name?: string;
  readonly said: Readonly<Record<string, OtlpValue | undefined>>;
  readonly used: readonly string[];
};

/** An attribute that holds the JSON of an object, as that object; empty where it holds anything else. */
export function fieldsIn(attributes: OtlpAttributes, name: string, readJson: JsonReader): Readonly<Record<string, OtlpValue>> {
  return toRecord(readJson(attributes.get(name) ?? null)) ?? {};
}
