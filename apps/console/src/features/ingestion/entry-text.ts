import { z } from "zod";

const entrySchema = z.array(z.string());
const fieldsSchema = z.record(z.string(), z.unknown());

/** An entry as one reads and mends it: its fields as JSON, the body as JSON in it where it is any. `undefined` when it was cut. */
export function toEditable(entry: string): string | undefined {
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

export type EditedEntry = { readonly fields: Readonly<Record<string, string>> } | { readonly problem: string };

/** The fields as the stream carries them: texts all, the body JSON. */
export function fromEditable(text: string): EditedEntry {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (error) {
    return { problem: `This is no JSON: ${error instanceof Error ? error.message : String(error)}` };
  }
  const fields = fieldsSchema.safeParse(parsed).data;
  if (fields === undefined) {
    return { problem: "Write the fields as an object: { … }" };
  }
  return {
    fields: Object.fromEntries(
      Object.entries(fields).map(([name, value]) => [name, typeof value === "string" ? value : JSON.stringify(value)]),
    ),
  };
}

/** Where it is from, for the list: its type, if it says one. */
export function typeOf(entry: string): string | undefined {
  return /(?:^\[|,)"type","([^"\\]{1,60})"/.exec(entry)?.[1];
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
