import type { JsonReader } from "#otlp/attribute-reader.ts";
import type { Named } from "./dialect.ts";
import { readHaystack } from "./read-haystack.ts";
import { readMastra } from "./read-mastra.ts";

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
