import { createLog } from "@sightline/foundation/log";
import { foreignRevisions, migrationStatus } from "@sightline/foundation/database/migrations";
import { forEachMigrationSet, waitForDatabases } from "#compose/prepare.ts";
import { onDatabase } from "./on-database.ts";

const log = createLog({ name: "cluster", level: "warn", destination: process.stderr });

/** `sightline cluster distribute`: safe to repeat, also when it was broken off. */
export function distributeTables(): Promise<void> {
  return onDatabase(async ({ environment, platform }) => {
    await waitForDatabases(environment, log, platform.SIGHTLINE_WAIT_SECONDS);
    await forEachMigrationSet(environment, log, async (pool, set) => {
      if (set.distribute === undefined) {
        return;
      }
      const pending = (await migrationStatus(pool, set)).filter(({ appliedAt }) => appliedAt === undefined);
      if (pending.length > 0 || (await foreignRevisions(pool, set)).length > 0) {
        throw new Error(
          `The tables of ${set.part} are not those of this version. Run first: sightline migrate up (see sightline migrate status).`,
        );
      }
      const done = await set.distribute(pool);
      console.log(done.length === 0 ? `${set.part}: nothing to do` : done.map((line) => `${set.part}: ${line}`).join("\n"));
    });
  });
}
