import { systemClock } from "@sightline/foundation/clock";
import type { Database } from "@sightline/foundation/database/database";
import { silentLog } from "@sightline/foundation/testing/silent-log";
import { createTraceTools } from "#mcp-tools/trace-tools.ts";
import type { ObservabilitySchema } from "#schema.ts";

/** Calls a tool as the assistant of somebody who may see the projects of `tenant-1`. */
export async function callTool(
  database: Database<ObservabilitySchema>,
  tool: string,
  input: Readonly<Record<string, unknown>>,
): Promise<string> {
  const findStanding = async () => ({ tenantId: "tenant-1", isAdmin: true });
  const { tools } = createTraceTools({ database, clock: systemClock, log: silentLog, findStanding });
  const call = {
    person: { tenantId: "tenant-1", userId: "ada" },
    maxTokens: 4_000,
    signal: new AbortController().signal,
    countTokens: (text: string) => Math.ceil(text.length / 3),
    takeTokens: (text: string, limit: number) => text.slice(0, limit * 3),
  };
  return (await tools.find(({ name }) => name === tool)?.answer(input, call)) ?? "";
}
