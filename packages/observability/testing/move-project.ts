import type { Database } from "@sightline/foundation/database/database";
import type { ObservabilitySchema } from "#schema.ts";
import { findPlaces } from "#store/project-groups.ts";

/** Moves the shard of a project to the other worker of a cluster with two. The marks have no key, so nothing is written to it meanwhile. */
export async function moveProject(database: Database<ObservabilitySchema>, projectId: string): Promise<void> {
  const place = (await findPlaces(database.query, new Set([projectId]))).get(projectId);
  if (place === undefined) {
    throw new Error("The tables are not distributed");
  }
  const { address, shard } = place;
  await database.pool.query(
    `select citus_move_shard_placement($1, $2, $3, nodename, nodeport, 'block_writes')
     from pg_dist_node where groupid <> 0 and nodeport <> $3`,
    [shard, address.host, address.port],
  );
  // What it leaves behind is deleted later by Citus itself; before that it can't be moved back.
  await database.pool.query("call citus_cleanup_orphaned_resources()");
}
