import { z } from "zod";

/** The value of a JSON text; the text itself where it was cut and can't be read. */
export function fromJsonText(text: string): z.infer<ReturnType<typeof z.json>> {
  try {
    return z.json().parse(JSON.parse(text));
  } catch {
    return text;
  }
}
