import type { Database } from "@sightline/foundation/database/database";
import { deadLetterPageSchema } from "#contract.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { API_KEY, createApiRig } from "./api-rig.ts";
import { markerOf } from "./ingested.ts";
import type { Fate } from "./numbered-events.ts";

type ReplayOptions = {
  readonly database: Database<ObservabilitySchema>;
  readonly redisUrl: string;
  readonly stream: string;
  readonly fateOf: (marker: string) => Fate | undefined;
};

/**
 * Deals with every open dead letter by way of the API as somebody would: what has a project by now is replayed, what can't be
 * read is deleted. Returns the ids of the events that are to have a row now.
 */
export async function replayLetters({ database, redisUrl, stream, fateOf }: ReplayOptions): Promise<ReadonlySet<string>> {
  const api = await createApiRig({ database, redisUrl, stream, heartbeatKey: `${stream}:heartbeat` });
  const replayed = new Set<string>();

  async function ask(method: "POST" | "DELETE", path: string): Promise<void> {
    const answer = await api.server.inject({
      method,
      url: `/api/v1/dead-letters/${path}`,
      headers: { authorization: `Bearer ${API_KEY}` },
    });
    if (answer.statusCode !== 200) {
      throw new Error(`${method} ${path} answered ${answer.statusCode}: ${answer.body}`);
    }
  }

  async function dealWith(id: string, entry: string): Promise<void> {
    if (fateOf(markerOf(entry)) !== "homeless") {
      await ask("DELETE", id);
      return;
    }
    await ask("POST", `${id}/replay`);
    replayed.add(markerOf(entry));
  }

  try {
    for (;;) {
      const { items } = deadLetterPageSchema.parse((await api.get("/api/v1/dead-letters?limit=200", API_KEY)).body);
      if (items.length === 0) {
        return replayed;
      }
      for (const { id, entry } of items) {
        await dealWith(id, entry);
      }
    }
  } finally {
    await api.close();
  }
}
