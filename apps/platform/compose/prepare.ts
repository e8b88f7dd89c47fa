import { codeIndexMigrations, createCodeIndexKeys, ensureCodeIndexTenant, type createCodeIndexApi } from "@sightline/code-index";
import { codeIndexVariables } from "@sightline/code-index/settings";
import { systemClock } from "@sightline/foundation/clock";
import { readConfig } from "@sightline/foundation/config";
import { createDatabase, waitForDatabase, type Database } from "@sightline/foundation/database/database";
import { AppError, errorMessage } from "@sightline/foundation/errors";
import type { Logger } from "@sightline/foundation/log";
import { foreignRevisions, migrateUp, type MigrationSet } from "@sightline/foundation/database/migrations";
import { createIdentity, identityMigrations, type Identity } from "@sightline/identity";
import { identityVariables } from "@sightline/identity/settings";
import {
  createObservabilityKeys,
  observabilityMigrations,
  type ObservabilityKeys,
  type ObservabilitySchema,
} from "@sightline/observability";
import type { Environment } from "#settings/environment.ts";

type IdentityDatabase = Parameters<typeof createIdentity>[0]["database"];
export type CodeIndexKeys = ReturnType<typeof createCodeIndexKeys>;
type CodeIndexDatabase = Parameters<typeof createCodeIndexApi>[0]["database"];

export type MigrationGroup = { readonly urlVariable: "DATABASE_URL" | "CODEINDEX_DATABASE_URL"; readonly sets: readonly MigrationSet[] };

/** The migrations of each database. */
export const migrationGroups: readonly MigrationGroup[] = [
  { urlVariable: "DATABASE_URL", sets: [identityMigrations, observabilityMigrations] },
  { urlVariable: "CODEINDEX_DATABASE_URL", sets: [codeIndexMigrations] },
];

export type FirstAdmin = { readonly email: string; readonly oneTimePassword?: string | undefined };

type PrepareOptions = {
  readonly firstAdmin: boolean;
  /** Whether it fails where the database has not what the code index needs; else the code index is left out then. */
  readonly needsCode: boolean;
};

/**
 * Brings the databases to where every role can start: reachable, migrated, with the default tenant and a first admin.
 * Any number of processes may do it at once.
 *
 * @returns the first admin when this call made it.
 */
export async function prepare(
  environment: Environment,
  log: Logger,
  waitSeconds: number,
  { firstAdmin, needsCode }: PrepareOptions,
): Promise<FirstAdmin | undefined> {
  await waitForDatabases(environment, log, waitSeconds);
  const hasCode = await migrateAll(environment, log, needsCode);
  return withParts(environment, log, async ({ identity, codeIndex }) => {
    // Before anything is written to a new database: only an empty audit is signed for the first time.
    await identity.signAudit();
    await identity.ensureTenant("default");
    for (const tenant of hasCode ? await identity.listTenants() : []) {
      await ensureCodeIndexTenant(codeIndex, { tenantId: tenant.id, name: tenant.name }).catch((error: unknown) => {
        // It was added anew while the old one is still being removed: the others have to start meanwhile.
        if (!(error instanceof AppError && error.code === "tenant_deleting")) {
          throw error;
        }
        log.warn(`The code of an earlier tenant ${tenant.name} is still being removed; repeat then: sightline tenant add ${tenant.name}`);
      });
    }
    return firstAdmin ? identity.ensureFirstAdmin() : undefined;
  });
}

/** Waits until the databases answer. */
export async function waitForDatabases(environment: Environment, log: Logger, waitSeconds: number): Promise<void> {
  // When two variables hold the same address, messages name the first.
  const urls = new Map(migrationGroups.toReversed().map(({ urlVariable }) => [environment[urlVariable] ?? "", urlVariable]));
  await Promise.all([...urls].map(([url, variable]) => waitForDatabase({ url, variable, log, giveUpAfterMs: waitSeconds * 1000 })));
}

/** @returns whether the code index is there. */
async function migrateAll(environment: Environment, log: Logger, needsCode: boolean): Promise<boolean> {
  let hasCode = true;
  await forEachMigrationSet(environment, log, async (pool, set) => {
    const applied = await migrateUp(pool, set).catch((error: unknown) => {
      if (needsCode || set !== codeIndexMigrations || !isRaised(error)) {
        throw error;
      }
      hasCode = false;
      log.warn(`The code index is left out, and its roles would not start: ${errorMessage(error)}`);
      return undefined;
    });
    if (applied === undefined) {
      return;
    }
    for (const name of applied) {
      log.info(`migrated ${set.part}: ${name}`);
    }
    // Replicas of two versions run side by side while one is exchanged for the other, so this is no reason to end.
    const foreign = await foreignRevisions(pool, set);
    if (foreign.length > 0) {
      log.warn(
        `A newer version of Sightline applied ${foreign.join(", ")} of ${set.part}. Whoever went back to this one for good takes them back with that version: see sightline migrate down.`,
      );
    }
  });
  return hasCode;
}

/** Whether a migration itself refused, and not the server or the way to it. */
function isRaised(error: unknown): boolean {
  const { cause } = error instanceof Error ? error : {};
  return cause instanceof Error && "code" in cause && cause.code === "P0001";
}

/** Does something with the migrations of each part, one after the other, in the database where they belong. */
export async function forEachMigrationSet(
  environment: Environment,
  log: Logger,
  work: (pool: Database<unknown>["pool"], set: MigrationSet) => Promise<void>,
): Promise<void> {
  for (const { urlVariable, sets } of migrationGroups) {
    await withDatabase(environment[urlVariable] ?? "", log, async ({ pool }) => {
      for (const set of sets) {
        await work(pool, set);
      }
    });
  }
}

/** Opens a database while `work` runs. */
export async function withDatabase<Schema, Result>(
  url: string,
  log: Logger,
  work: (database: Database<Schema>) => Promise<Result>,
): Promise<Result> {
  const database = createDatabase<Schema>({ url, poolSize: 2, applicationName: "sightline-platform", log });
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}

export type Parts = {
  readonly identity: Identity;
  readonly codeIndex: CodeIndexDatabase;
  readonly codeIndexKeys: CodeIndexKeys;
  readonly observabilityKeys: ObservabilityKeys;
};

/** Opens all parts for a command. */
export async function withParts<Result>(environment: Environment, log: Logger, work: (parts: Parts) => Promise<Result>): Promise<Result> {
  const config = readConfig(identityVariables, environment);
  const { CODEINDEX_DATABASE_URL: codeUrl, CODEINDEX_ENCRYPTION_KEYS: ring } = readConfig(codeIndexVariables, environment);
  return withDatabase<SchemaOf<IdentityDatabase>, Result>(config.DATABASE_URL, log, (database) =>
    withDatabase<SchemaOf<CodeIndexDatabase>, Result>(codeUrl, log, (codeIndex) =>
      withDatabase<ObservabilitySchema, Result>(config.DATABASE_URL, log, (observability) =>
        work({
          identity: createIdentity({ config, database, log, clock: systemClock, home: environment["SIGHTLINE_HOME"] }),
          codeIndex,
          codeIndexKeys: createCodeIndexKeys({ database: codeIndex, ring }),
          observabilityKeys: createObservabilityKeys({ database: observability, ring: config.ENCRYPTION_KEYS }),
        }),
      ),
    ),
  );
}

type SchemaOf<Opened> = Opened extends Database<infer Schema> ? Schema : never;
