import { z } from "zod";
import { cell, limitsOf, typeOf, type JsonSchema } from "./render-schema.ts";

const objectSchema = z.object({ properties: z.record(z.string(), z.looseObject({})), required: z.array(z.string()).default([]) });
const eventSchema = z.object({ oneOf: z.array(objectSchema) });

/** From the JSON Schema of the stream's events, which is itself written from the code. */
export function renderEvents(schema: unknown): string {
  const kinds = eventSchema.parse(schema).oneOf;
  const [first] = kinds;
  const head = Object.entries(first?.properties ?? {}).filter(([name]) => name !== "type" && name !== "body");
  return [
    "# Events of the stream",
    "What SDKs put on the Redis stream. An entry's fields are texts; `body` is JSON with the fields of its type. What each type is for: [Events](../observability.md#events). As JSON Schema: [event-v1.schema.json](../../packages/observability/events/event-v1.schema.json).",
    "## Every event",
    table([...head, ["type", {}], ["body", {}]], ["v", "id", "project_id", "producer_id", "seq", "ts", "type", "body"]),
    ...kinds.flatMap(({ properties }) => {
      const body = objectSchema.safeParse(properties["body"]).data;
      const type = String(properties["type"]?.["const"]);
      return [`## ${type}`, body === undefined ? "Any body." : table(Object.entries(body.properties), body.required)];
    }),
  ].join("\n\n");
}

function table(fields: readonly (readonly [string, JsonSchema])[], required: readonly string[]): string {
  const rows = fields.map(([name, schema]) => {
    const limits = [required.includes(name) ? "required" : "", limitsOf(schema)].filter((text) => text !== "").join(", ");
    return `| \`${name}\` | ${cell(typeOfField(name, schema))} | ${cell(limits)} |`;
  });
  return ["| field | type | limits |", "| --- | --- | --- |", ...rows].join("\n");
}

function typeOfField(name: string, schema: JsonSchema): string {
  return name === "type" ? "one of the headings below" : name === "body" ? "JSON" : typeOf(schema);
}
