import { parseExactly } from "@sightline/foundation/exact-json";
import { z } from "zod";

const entrySchema = z.array(z.string());

/** An entry as one reads it: its fields as JSON, the body as JSON in it where it is any. `undefined` when it was cut. */
export function formatEntry(entry: string): string | undefined {
  const fields = entrySchema.safeParse(parse(entry)).data;
  if (fields === undefined) {
    return undefined;
  }
  const named: (readonly [string, unknown])[] = [];
  for (let index = 0; index < fields.length; index += 2) {
    const [name = "", text = ""] = [fields[index], fields[index + 1]];
    const body = name === "body" ? parse(text) : undefined;
    named.push([name, typeof body === "object" && body !== null ? body : text]);
  }
  return JSON.stringify(Object.fromEntries(named), null, 2);
}

/** The event's type, if the entry says one. */
export function typeOfEntry(entry: string): string | undefined {
  return /(?:^\[|,)"type","([^"\\]{1,60})"/.exec(entry)?.[1];
}

function parse(text: string): unknown {
  try {
    return parseExactly(text);
  } catch {
    return undefined;
  }
}
