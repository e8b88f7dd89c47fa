import type { Database } from "@sightline/foundation/database/database";
import type { ObservabilitySchema } from "#schema.ts";
import type { Producer } from "./agent-run.ts";
import { countAndFind } from "./count-and-find.ts";
import { failingRun } from "./failing-run.ts";
import { writeEvents } from "./write-events.ts";

/** @returns the id of an issue that the project has, with a trace. */
export async function furnishIssue(database: Database<ObservabilitySchema>, producer: Producer, projectId: string): Promise<string> {
  await writeEvents(database, failingRun(producer, { at: new Date(), error: "ValueError: kept" }));
  await countAndFind(database, projectId);
  const { rows } = await database.pool.query<{ id: string }>("select id from observability.issues where project_id = $1", [projectId]);
  return rows[0]?.id ?? "";
}
