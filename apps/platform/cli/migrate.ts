import { createLog } from "@sightline/foundation/log";
import { foreignRevisions, migrateDown, migrateUp, migrationStatus } from "@sightline/foundation/database/migrations";
import type { Environment } from "#settings/environment.ts";
import { UsageError } from "#settings/failure.ts";
import { forEachMigrationSet, migrationGroups, waitForDatabases, withDatabase } from "#compose/prepare.ts";
import { onDatabase } from "./on-database.ts";

const log = createLog({ name: "migrate", level: "warn", destination: process.stderr });

export function migrateAllUp(): Promise<void> {
  return onMigratable((environment) =>
    forEachMigrationSet(environment, log, async (pool, set) => {
      const applied = await migrateUp(pool, set);
      console.log(`${set.part}: ${applied.length === 0 ? "nothing to do" : applied.join(", ")}`);
    }),
  );
}

export function migratePartDown(part: string): Promise<void> {
  const known = migrationGroups.flatMap(({ urlVariable, sets }) => sets.map((set) => ({ urlVariable, set })));
  const found = known.find(({ set }) => set.part === part);
  if (found === undefined) {
    throw new UsageError(`There is no part "${part}". The parts are: ${known.map(({ set }) => set.part).join(", ")}.`);
  }
  return onMigratable((environment) =>
    withDatabase(environment[found.urlVariable] ?? "", log, async ({ pool }) => {
      const name = await migrateDown(pool, found.set);
      console.log(`${part}: ${name === undefined ? "nothing is applied" : `took ${name} back`}`);
    }),
  );
}

export function showMigrations(): Promise<void> {
  return onMigratable((environment) =>
    forEachMigrationSet(environment, log, async (pool, set) => {
      for (const { name, appliedAt } of await migrationStatus(pool, set)) {
        showRevision(set.part, name, appliedAt?.toISOString() ?? "pending");
      }
      for (const name of await foreignRevisions(pool, set)) {
        showRevision(set.part, name, "applied by a newer version");
      }
    }),
  );
}

function showRevision(part: string, name: string, state: string): void {
  console.log(`${part.padEnd(14)} ${name.padEnd(30)} ${state}`);
}

function onMigratable(work: (environment: Environment) => Promise<void>): Promise<void> {
  return onDatabase(async ({ environment, platform }) => {
    await waitForDatabases(environment, log, platform.SIGHTLINE_WAIT_SECONDS);
    await work(environment);
  });
}
