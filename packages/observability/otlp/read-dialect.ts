import type { JsonReader } from "./attribute-reader.ts";
import type { OtlpAttributes, OtlpSpan, OtlpValue } from "./otlp-span.ts";
import { readHaystack } from "./read-haystack.ts";
import { readMastra } from "./read-mastra.ts";

export type Named = Pick<OtlpSpan, "name" | "attributes">;

/** A span of a framework with words of its own: `said` are the same things under names of a convention, `used` the names they had. */
export type Dialect = {
  readonly name?: string;
  readonly said: Readonly<Record<string, OtlpValue | undefined>>;
  readonly used: readonly string[];
};

/**
 * Puts what Mastra and Haystack say in names of their own under the names of OpenInference and GenAI, which all others use.
 *
 * @param parent of the same request, which has what a model call of Mastra was given.
 */
export function readDialect(span: Named, parent: Named | undefined, readJson: JsonReader): Named {
  const dialect = readMastra(span, parent, readJson) ?? readHaystack(span, readJson);
  if (dialect === undefined) {
    return span;
  }
  const attributes = new Map(span.attributes);
  for (const name of dialect.used) {
    attributes.delete(name);
  }
  for (const [name, value] of Object.entries(dialect.said)) {
    if (value !== undefined && value !== null) {
      attributes.set(name, value);
    }
  }
  return { name: dialect.name ?? span.name, attributes };
}

/** An attribute that holds the JSON of an object, as that object; empty where it holds anything else. */
export function fieldsIn(attributes: OtlpAttributes, name: string, readJson: JsonReader): Readonly<Record<string, OtlpValue>> {
  return fieldsOf(readJson(attributes.get(name) ?? null));
}

export function fieldsOf(value: OtlpValue | undefined): Readonly<Record<string, OtlpValue>> {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Readonly<Record<string, OtlpValue>>) : {};
}
