import { z } from "zod";
import { eventSchema } from "./event.ts";

export const EVENT_SCHEMA_FILE = new URL("./event-v1.schema.json", import.meta.url);

/** The event schema as JSON Schema (draft 2020-12), for SDKs in other languages. Unknown fields are allowed and ignored. */
export function eventJsonSchema(): object {
  return { title: "Sightline event, version 1", ...z.toJSONSchema(eventSchema, { io: "input" }) };
}
