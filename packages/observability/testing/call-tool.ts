import { systemClock } from "@sightline/foundation/clock";
import type { Database } from "@sightline/foundation/database/database";
import { silentLog } from "@sightline/foundation/testing/silent-log";
import { createTraceTools } from "#mcp-tools/trace-tools.ts";
import type { ObservabilitySchema } from "#schema.ts";

const ADA = { tenantId: "tenant-1", userId: "ada", isAdmin: true };

/** Calls a tool as the assistant of an admin of `tenant-1`, or of another one. */
export async function callTool(
  database: Database<ObservabilitySchema>,
  tool: string,
  input: Readonly<Record<string, unknown>>,
  { person = ADA, maxTokens = 4_000 } = {},
): Promise<string> {
  const findStanding = async () => person;
  const { tools, evaluation } = createTraceTools({ database, clock: systemClock, log: silentLog, findStanding });
  const call = {
    person,
    maxTokens,
    signal: new AbortController().signal,
    countTokens: (text: string) => Math.ceil(text.length / 3),
    takeTokens: (text: string, limit: number) => text.slice(0, limit * 3),
  };
  return (await [...tools, ...evaluation.tools].find(({ name }) => name === tool)?.answer(input, call)) ?? "";
}
