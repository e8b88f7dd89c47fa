import type { z } from "zod";

/** What is wrong with a request, for people: `email: Invalid email address; name: at least one character`. */
export function describeWrongFields({ issues }: z.ZodError): string {
  return issues.map(({ path, message }) => `${path.join(".")}: ${message}`).join("; ");
}
