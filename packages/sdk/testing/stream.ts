import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { Redis } from "ioredis";
import { inject } from "vitest";
import { z } from "zod";
import { PROJECT_ID } from "./project.ts";

export { PROJECT_ID };

declare module "vitest" {
  interface ProvidedContext {
    readonly redisUrl: string;
  }
}

type Body = Readonly<Record<string, unknown>>;
export type ReadEvent = {
  readonly id: string;
  readonly type: string;
  readonly producer_id: string;
  readonly seq: number;
  readonly body: Body;
};

const schemaFile = new URL("../../observability/events/event-v1.schema.json", import.meta.url);
const eventSchema = z.fromJSONSchema(JSON.parse(readFileSync(schemaFile, "utf8")));

/** A stream of the test's own, read back and judged by the platform's JSON Schema. */
export function createTestStream(url: string = inject("redisUrl"), streamName = `test:sdk:${randomUUID()}`) {
  const client = new Redis(url, { protocol: 2 });
  // Tests kill servers; what the client then says is not the matter.
  client.on("error", () => undefined);
  return {
    url,
    streamName,
    client,
    options: { redisUrl: url, streamName, projectId: PROJECT_ID, logger: { warn: () => undefined } },
    /** With references to contents replaced by the contents, as the platform shows them; every reference has its blob. */
    read: async (): Promise<ReadEvent[]> =>
      resolveContents((await client.xrange(streamName, "-", "+")).map(([, fields]) => readEntry(fields))),
    async stop() {
      await client.del(streamName).catch(() => 0);
      client.disconnect();
    },
  };
}

export function ofType(events: readonly ReadEvent[], type: string): Body[] {
  return events.filter((event) => event.type === type).map((event) => event.body);
}

function readEntry(fields: readonly string[]): ReadEvent {
  const entry = Object.fromEntries(fields.flatMap((name, index) => (index % 2 === 0 ? [[name, fields[index + 1] ?? ""]] : [])));
  const event = { ...entry, v: Number(entry["v"]), seq: Number(entry["seq"]), body: JSON.parse(entry["body"] ?? "") as unknown };
  const judged = eventSchema.safeParse(event);
  if (!judged.success) {
    throw new Error(`An event breaks the schema: ${z.prettifyError(judged.error)}\n${JSON.stringify(event).slice(0, 2000)}`);
  }
  return judged.data as ReadEvent;
}

function resolveContents(events: readonly ReadEvent[]): ReadEvent[] {
  const contents = new Map(ofType(events, "blob").map(({ sha256, content }) => [sha256, content]));
  return events.map((event) => ({ ...event, body: resolve(event.body, contents) as Body }));
}

function resolve(value: unknown, contents: ReadonlyMap<unknown, unknown>): unknown {
  if (Array.isArray(value)) {
    return value.map((item) => resolve(item, contents));
  }
  if (typeof value !== "object" || value === null) {
    return value;
  }
  const entries = Object.entries(value);
  if (entries.length === 1 && entries[0]?.[0] === "$blob") {
    const hash: unknown = entries[0][1];
    if (!contents.has(hash)) {
      throw new Error(`no blob has the content of ${String(hash)}`);
    }
    return contents.get(hash);
  }
  return Object.fromEntries(entries.map(([key, item]) => [key, resolve(item, contents)]));
}
